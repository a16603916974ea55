/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

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
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.compressors.CompressorStreamFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of corpus gives the same texts; damaged ones say so. */
class CorpusTest {
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
      Map.of("a.txt", "first\n", "deep/er/b.txt", "zweite Zeile: \u00e4\n");

  @TempDir private Path temp;

  private static Map<String, String> read(Path path) throws IOException, UserError {
    Map<String, String> texts = new TreeMap<>();
    try (Corpus corpus = Corpus.open(path)) {
      Corpus.Text text;
      while ((text = corpus.next()) != null) {
        texts.put(text.name().replace('\\', '/'), text.content());
        assertTrue(corpus.progress() >= 0 && corpus.progress() <= 1);
      }
      assertEquals(1, corpus.progress(), 0.01);
    }
    return texts;
  }

  /** Writes a zip or, in any other compression, a tar archive. */
  private Path archive(String compression, Map<String, byte[]> files) throws Exception {
    Path path = temp.resolve("corpus.archive");
    try (OutputStream raw = Files.newOutputStream(path)) {
      if (compression.equals("zip")) {
        write(new ZipArchiveOutputStream(raw), files);
      } else if (compression.equals("none")) {
        write(new TarArchiveOutputStream(raw), files);
      } else {
        var factory = new CompressorStreamFactory();
        write(
            new TarArchiveOutputStream(factory.createCompressorOutputStream(compression, raw)),
            files);
      }
    }
    return path;
  }

  @SuppressWarnings("unchecked")
  private static void write(ArchiveOutputStream<?> out, Map<String, byte[]> files)
      throws IOException {
    ArchiveOutputStream<ArchiveEntry> archive = (ArchiveOutputStream<ArchiveEntry>) out;
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      if (out instanceof ZipArchiveOutputStream) {
        archive.putArchiveEntry(new ZipArchiveEntry(file.getKey()));
      } else {
        TarArchiveEntry entry = new TarArchiveEntry(file.getKey(), true);
        entry.setSize(file.getValue().length);
        archive.putArchiveEntry(entry);
      }
      archive.write(file.getValue());
      archive.closeArchiveEntry();
    }
    archive.close();
  }

  @Test
  void readsAFolder() throws Exception {
    for (Map.Entry<String, byte[]> file : FILES.entrySet()) {
      Path path = temp.resolve("corpus").resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.write(path, file.getValue());
    }
    assertEquals(TEXTS, read(temp.resolve("corpus")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zip", "none", "gz", "xz", "bzip2"})
  void readsAnArchive(String compression) throws Exception {
    assertEquals(TEXTS, read(archive(compression, FILES)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zip", "gz"})
  void namesThatPointOutsideAreOnlyLabels(String compression) throws Exception {
    Map<String, byte[]> files =
        Map.of(
            "../../escaped.txt", "up\n".getBytes(StandardCharsets.UTF_8),
            "/escaped.txt", "root\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(
        Map.of("../../escaped.txt", "up\n", "/escaped.txt", "root\n"),
        read(archive(compression, files)));
    assertFalse(Files.exists(temp.resolve("../../escaped.txt")));
    assertFalse(Files.exists(Path.of("/escaped.txt")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zip", "gz"})
  void damagedArchivesSaySo(String compression) throws Exception {
    byte[] noise = new byte[100_000];
    new SplittableRandom(1).nextBytes(noise);
    Path path = archive(compression, Map.of("a.txt", noise, "b.txt", noise));
    byte[] bytes = Files.readAllBytes(path);
    Files.write(path, Arrays.copyOf(bytes, bytes.length / 2));
    UserError error = assertThrows(UserError.class, () -> read(path));
    assertTrue(error.getMessage().contains("cannot be read"), error.getMessage());
    assertEquals(1, error.getMessage().lines().count());
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path path = Files.writeString(temp.resolve("letter.txt"), "Dear Sir");
    UserError error = assertThrows(UserError.class, () -> Corpus.open(path));
    assertTrue(error.getMessage().contains("is neither"), error.getMessage());
  }
}
