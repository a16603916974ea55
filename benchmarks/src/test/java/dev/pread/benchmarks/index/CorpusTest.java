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
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder and a zip file give the same texts; damaged ones say so. */
class CorpusTest {
  private static final Map<String, byte[]> FILES =
      Map.of(
          "a.txt",
          bytes("first\n"),
          "deep/er/b.txt",
          bytes("zweite Zeile: \u00e4\n"),
          "empty.txt",
          new byte[0],
          "image.png",
          new byte[] {'P', 'N', 'G', 0, 1, 2});
  private static final Map<String, String> TEXTS =
      Map.of("a.txt", "first\n", "deep/er/b.txt", "zweite Zeile: \u00e4\n");

  @TempDir private Path temp;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, String> read(Path path) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Corpus corpus = Corpus.open(path)) {
      Corpus.Text text;
      while ((text = corpus.next()) != null) {
        texts.put(text.name(), text.content());
        assertTrue(corpus.progress() >= 0 && corpus.progress() <= 1);
      }
      assertEquals(1, corpus.progress());
    }
    return texts;
  }

  private Path zip(Map<String, byte[]> files) throws Exception {
    Path path = temp.resolve("corpus.zip");
    try (OutputStream raw = Files.newOutputStream(path);
        ZipOutputStream zip = new ZipOutputStream(raw)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue());
      }
    }
    return path;
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

  @Test
  void readsAZip() throws Exception {
    assertEquals(TEXTS, read(zip(FILES)));
    assertEquals(TEXTS, read(zip(FILES)), "the one before was closed");
  }

  private void refused(Path path, String words) {
    UserError error = assertThrows(UserError.class, () -> read(path));
    assertTrue(error.getMessage().contains(words), error.getMessage());
    assertEquals(1, error.getMessage().lines().count());
  }

  @Test
  void namesThatPointOutsideAreRefused() throws Exception {
    refused(zip(Map.of("../../escaped.txt", bytes("up\n"))), "cannot be read");
    assertFalse(Files.exists(temp.resolve("../../escaped.txt")));
  }

  @Test
  void damagedZipsSaySo() throws Exception {
    byte[] noise = new byte[100_000];
    new SplittableRandom(1).nextBytes(noise);
    Path path = zip(Map.of("a.txt", noise, "b.txt", noise));
    byte[] whole = Files.readAllBytes(path);
    Files.write(path, Arrays.copyOf(whole, whole.length / 2));
    refused(path, "cannot be read");
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    refused(Files.writeString(temp.resolve("letter.txt"), "Dear Sir"), "is neither");
  }
}
