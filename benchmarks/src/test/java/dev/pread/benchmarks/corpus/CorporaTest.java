/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.CompressorException;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of corpus gives the same texts; damaged ones say so. */
class CorporaTest {
  private static final Map<String, byte[]> FILES =
      Map.of(
          "a.txt",
          "first\n".getBytes(StandardCharsets.UTF_8),
          "deep/er/b.txt",
          "zweite Zeile: \u00e4\n".getBytes(StandardCharsets.UTF_8),
          "empty.txt",
          new byte[0],
          "image.png",
          new byte[] {'P', 'N', 'G', 0, 1, 2});

  private static final Map<String, String> TEXTS =
      new TreeMap<>(Map.of("a.txt", "first\n", "deep/er/b.txt", "zweite Zeile: \u00e4\n"));

  @TempDir private Path temp;

  private static Map<String, String> read(Path path) throws IOException, UserError {
    Map<String, String> texts = new TreeMap<>();
    try (Corpus corpus = Corpora.open(path)) {
      SourceText text;
      while ((text = corpus.next()) != null) {
        texts.put(text.name().replace('\\', '/'), text.text());
        assertTrue(corpus.progress() >= 0 && corpus.progress() <= 1);
      }
      assertEquals(1, corpus.progress(), 0.01);
    }
    return texts;
  }

  private Path zip(Map<String, byte[]> files) throws IOException {
    Path path = temp.resolve("corpus.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(path))) {
      for (Map.Entry<String, byte[]> file : new TreeMap<>(files).entrySet()) {
        out.putNextEntry(new ZipEntry(file.getKey()));
        out.write(file.getValue());
        out.closeEntry();
      }
    }
    return path;
  }

  private Path tar(String compression, Map<String, byte[]> files)
      throws IOException, CompressorException {
    Path path = temp.resolve("corpus.archive");
    try (OutputStream raw = Files.newOutputStream(path);
        OutputStream packed =
            compression.equals("none")
                ? raw
                : new CompressorStreamFactory().createCompressorOutputStream(compression, raw);
        TarArchiveOutputStream out = new TarArchiveOutputStream(packed)) {
      for (Map.Entry<String, byte[]> file : new TreeMap<>(files).entrySet()) {
        TarArchiveEntry entry = new TarArchiveEntry(file.getKey(), true);
        entry.setSize(file.getValue().length);
        out.putArchiveEntry(entry);
        out.write(file.getValue());
        out.closeArchiveEntry();
      }
    }
    return path;
  }

  @Test
  void readsAFolder() throws IOException, UserError {
    for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
      Path path = temp.resolve("corpus").resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
    assertEquals(TEXTS, read(temp.resolve("corpus")));
  }

  @Test
  void readsAZip() throws IOException, UserError {
    assertEquals(TEXTS, read(zip(FILES)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gz", "xz", "bzip2"})
  void readsATar(String compression) throws IOException, UserError, CompressorException {
    assertEquals(TEXTS, read(tar(compression, FILES)));
  }

  @Test
  void namesThatPointOutsideAreOnlyLabels() throws IOException, UserError, CompressorException {
    Map<String, byte[]> files =
        Map.of(
            "../../escaped.txt", "up\n".getBytes(StandardCharsets.UTF_8),
            "/escaped.txt", "root\n".getBytes(StandardCharsets.UTF_8));
    Map<String, String> texts =
        new TreeMap<>(Map.of("../../escaped.txt", "up\n", "/escaped.txt", "root\n"));
    assertThrows(UserError.class, () -> read(zip(files)));
    assertEquals(texts, read(tar("gz", files)));
    assertFalse(Files.exists(temp.resolve("../../escaped.txt")));
    assertFalse(Files.exists(Path.of("/escaped.txt")));
  }

  @Test
  void brokenZipSaysSo() throws IOException {
    Path path = zip(FILES);
    byte[] bytes = Files.readAllBytes(path);
    Files.write(path, Arrays.copyOf(bytes, bytes.length / 2));
    UserError error = assertThrows(UserError.class, () -> Corpora.open(path));
    assertTrue(error.getMessage().contains("cannot be read"), error.getMessage());
    assertEquals(1, error.getMessage().lines().count());
  }

  @Test
  void brokenTarSaysSo() throws IOException, UserError, CompressorException {
    byte[] noise = new byte[100_000];
    new SplittableRandom(1).nextBytes(noise);
    Path path = tar("gz", Map.of("a.txt", noise, "b.txt", noise));
    byte[] bytes = Files.readAllBytes(path);
    Files.write(path, Arrays.copyOf(bytes, bytes.length / 2));
    CorpusException error = assertThrows(CorpusException.class, () -> read(path));
    assertTrue(error.getMessage().contains("cannot be read"), error.getMessage());
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path path = Files.writeString(temp.resolve("letter.txt"), "Dear Sir");
    UserError error = assertThrows(UserError.class, () -> Corpora.open(path));
    assertTrue(error.getMessage().contains("is neither"), error.getMessage());
  }
}
