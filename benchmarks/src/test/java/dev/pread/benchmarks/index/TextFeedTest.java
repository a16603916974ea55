/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.corpus.Corpora;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks over and over, with dense numbers, and what is kept of an index that is made of them. */
class TextFeedTest {
  @TempDir private Path temp;

  private static List<TextFeed.Chunk> all(TextFeed feed) throws Exception {
    List<TextFeed.Chunk> chunks = new ArrayList<>();
    for (TextFeed.Chunk chunk = feed.next(); chunk != null; chunk = feed.next()) {
      chunks.add(chunk);
    }
    return chunks;
  }

  @Test
  void onceWithoutALimitAndThenToIt() throws Exception {
    for (int i = 0; i < 5; i++) {
      Files.writeString(temp.resolve("f" + i + ".txt"), "some words\n");
    }
    try (TextFeed feed = new TextFeed(() -> Corpora.open(temp))) {
      List<TextFeed.Chunk> chunks = all(feed);
      assertEquals(5, chunks.size());
      assertEquals(1, feed.copies());
      feed.limit(13);
      chunks.addAll(all(feed));
      assertEquals(3, feed.copies());
      assertEquals(5, feed.once());
      assertEquals(1.0, feed.share());
      for (int i = 0; i < 13; i++) {
        assertEquals(
            new TextFeed.Chunk(i, i / 5, "f" + i % 5 + ".txt", 1, "some words\n"), chunks.get(i));
      }
    }
  }

  @Test
  void corpusWithoutTextIsRefused() throws Exception {
    try (TextFeed feed = new TextFeed(() -> Corpora.open(temp))) {
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
    assertNull(Kept.in(temp, "b"));
    assertNull(Kept.take(temp, index, "b", this::stopped));
    assertNull(Kept.in(temp, "a"), "it is gone");
    Files.writeString(temp.resolve("kept.json"), "{\"orig");
    assertNull(Kept.in(temp, "a"));
  }

  private Kept stopped(Path folder) throws java.io.IOException {
    Files.createDirectory(folder);
    return null;
  }
}
