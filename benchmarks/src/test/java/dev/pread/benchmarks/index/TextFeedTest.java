/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.UserError;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.util.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks of whole lines, over and over, and what is kept of an index that is made of them. */
class TextFeedTest {
  private static final List<TextFeed.Chunk> TEXTS =
      List.of(
          new TextFeed.Chunk(0, 0, "a.txt", 1, "first\n"),
          new TextFeed.Chunk(1, 0, "deep/er/b.txt", 1, "zweite Zeile: \u00e4\n"));

  @TempDir private Path temp;

  private static List<TextFeed.Chunk> rest(TextFeed feed) {
    List<TextFeed.Chunk> chunks = new ArrayList<>();
    for (TextFeed.Chunk chunk = feed.next(); chunk != null; chunk = feed.next()) {
      chunks.add(chunk);
      assertTrue(feed.share() > 0 && feed.share() <= 1, "share " + feed.share());
    }
    return chunks;
  }

  private static List<TextFeed.Chunk> read(Path corpus) throws IOException {
    try (TextFeed feed = TextFeed.open(corpus)) {
      return rest(feed);
    }
  }

  /** Writes the texts, and what is none. */
  private static Path write(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("deep/er"));
    for (TextFeed.Chunk chunk : TEXTS) {
      Files.writeString(folder.resolve(chunk.file()), chunk.text());
    }
    Files.writeString(folder.resolve("empty.txt"), "");
    Files.writeString(folder.resolve("image.png"), "PNG\0");
    return folder;
  }

  private Path zip() throws IOException {
    Path path = temp.resolve("corpus.zip");
    Files.deleteIfExists(path);
    try (FileSystem zip = FileSystems.newFileSystem(path, Map.of("create", "true"))) {
      write(zip.getPath("/"));
    }
    return path;
  }

  @Test
  void folderAndZipHaveTheSameTexts() throws IOException {
    assertEquals(TEXTS, read(write(temp.resolve("corpus"))));
    assertEquals(TEXTS, read(zip()));
    assertEquals(TEXTS, read(zip()), "the one before was closed");
  }

  @Test
  void whatCannotBeReadIsRefused() throws IOException {
    Path whole = zip();
    byte[] bytes = Files.readAllBytes(whole);
    for (Path corpus :
        List.of(
            Files.write(whole, Arrays.copyOf(bytes, bytes.length / 2)),
            Files.writeString(temp.resolve("letter.txt"), "Dear Sir"))) {
      UserError error = assertThrows(UserError.class, () -> read(corpus));
      assertTrue(error.getMessage().contains(corpus.toString()), error.getMessage());
    }
  }

  private List<TextFeed.Chunk> cut(String text) throws IOException {
    Files.writeString(temp.resolve("text"), text);
    List<TextFeed.Chunk> chunks = read(temp);
    assertEquals(text, chunks.stream().map(TextFeed.Chunk::text).collect(Collectors.joining()));
    return chunks;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 59, 60, 61, 120, 1_000})
  void chunksAreWholeLines(int lines) throws IOException {
    List<TextFeed.Chunk> chunks = cut("a line\n".repeat(lines));
    assertEquals((lines + 59) / 60, chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      assertEquals(1 + 60 * i, chunks.get(i).line());
      assertTrue(chunks.get(i).text().endsWith("\n"));
    }
  }

  @Test
  void onceWithoutALimitAndThenToIt() throws IOException {
    for (int i = 0; i < 5; i++) {
      Files.writeString(temp.resolve("f" + i + ".txt"), "some words\n");
    }
    try (TextFeed feed = TextFeed.open(temp)) {
      List<TextFeed.Chunk> chunks = rest(feed);
      assertEquals(5, chunks.size());
      assertEquals(1, feed.copies());
      feed.limit(13);
      chunks.addAll(rest(feed));
      assertEquals(2.6, feed.copies());
      for (int i = 0; i < 13; i++) {
        assertEquals(
            new TextFeed.Chunk(i, i / 5, "f" + i % 5 + ".txt", 1, "some words\n"), chunks.get(i));
      }
    }
    assertEquals(3, new Kept("", 13, 2.6).sample(temp, 3).size());
    assertEquals(5, new Kept("", 13, 2.6).sample(temp, 99).size());
  }

  @Test
  void onlyACompleteIndexOfTheSameOriginIsTaken() throws IOException {
    Path index = temp.resolve("index");
    assertThrows(IOException.class, () -> Kept.take(temp, index, "a", this::stopped));
    assertTrue(Files.notExists(index), "nothing is left");
    Kept kept = new Kept("a", 10, 3);
    Kept first = Kept.take(temp, index, "a", folder -> kept);
    assertEquals(new Kept("a " + Version.LATEST, 10, 3), first, "another Lucene makes another");
    assertEquals(first, Kept.take(temp, index, "a", this::stopped));
    assertThrows(IOException.class, () -> Kept.take(temp, index, "b", this::stopped));
    assertThrows(IOException.class, () -> Kept.take(temp, index, "a", this::stopped), "it is gone");
    Files.writeString(temp.resolve("kept.json"), "{\"orig");
    assertEquals(first, Kept.take(temp, index, "a", folder -> kept));
  }

  private Kept stopped(Path folder) throws IOException {
    throw new IOException("in " + Files.createDirectory(folder));
  }
}
