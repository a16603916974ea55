/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks of whole lines, over and over, and what is kept of an index that is made of them. */
class TextFeedTest {
  @TempDir private Path temp;

  private static List<TextFeed.Chunk> all(TextFeed feed) throws Exception {
    List<TextFeed.Chunk> chunks = new ArrayList<>();
    for (TextFeed.Chunk chunk = feed.next(); chunk != null; chunk = feed.next()) {
      chunks.add(chunk);
    }
    return chunks;
  }

  private List<TextFeed.Chunk> cut(String text) throws Exception {
    Files.writeString(temp.resolve("text"), text);
    try (TextFeed feed = new TextFeed(() -> Corpus.open(temp))) {
      List<TextFeed.Chunk> chunks = all(feed);
      assertEquals(text, chunks.stream().map(TextFeed.Chunk::text).collect(Collectors.joining()));
      return chunks;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 59, 60, 61, 120, 1_000})
  void chunksAreWholeLines(int lines) throws Exception {
    List<TextFeed.Chunk> chunks = cut("a line\n".repeat(lines));
    assertEquals((lines + 59) / 60, chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      assertEquals(1 + 60 * i, chunks.get(i).line());
      assertTrue(chunks.get(i).text().endsWith("\n"));
    }
  }

  @Test
  void longLinesAreCut() throws Exception {
    assertEquals(7, cut("x".repeat(100_000) + "\nlast").size());
  }

  @Test
  void onceWithoutALimitAndThenToIt() throws Exception {
    for (int i = 0; i < 5; i++) {
      Files.writeString(temp.resolve("f" + i + ".txt"), "some words\n");
    }
    try (TextFeed feed = new TextFeed(() -> Corpus.open(temp))) {
      List<TextFeed.Chunk> chunks = all(feed);
      assertEquals(5, chunks.size());
      assertEquals(1, feed.copies());
      feed.limit(13);
      chunks.addAll(all(feed));
      assertEquals(2.6, feed.copies());
      assertEquals(1.0, feed.share());
      for (int i = 0; i < 13; i++) {
        assertEquals(
            new TextFeed.Chunk(i, i / 5, "f" + i % 5 + ".txt", 1, "some words\n"), chunks.get(i));
      }
    }
  }

  @Test
  void corpusWithoutTextIsRefused() throws Exception {
    try (TextFeed feed = new TextFeed(() -> Corpus.open(temp))) {
      UserError error = assertThrows(UserError.class, feed::next);
      assertTrue(error.getMessage().contains("holds no text"), error.getMessage());
    }
  }

  @Test
  void onlyACompleteIndexOfTheSameOriginIsTaken() throws Exception {
    Path index = temp.resolve("index");
    assertNull(Kept.take(temp, index, "a", this::stopped));
    assertTrue(Files.notExists(index), "nothing is left");
    Kept kept = new Kept("a", 10, 3);
    assertEquals(kept, Kept.take(temp, index, "a", folder -> kept));
    assertEquals(kept, Kept.take(temp, index, "a", folder -> null));
    assertNull(Kept.take(temp, index, "b", this::stopped));
    assertNull(Kept.take(temp, index, "a", folder -> null), "it is gone");
    Files.writeString(temp.resolve("kept.json"), "{\"orig");
    assertNull(Kept.take(temp, index, "a", folder -> null));
  }

  private Kept stopped(Path folder) throws IOException {
    Files.createDirectory(folder);
    return null;
  }
}
