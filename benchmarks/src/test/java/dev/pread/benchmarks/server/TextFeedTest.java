/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

/** Documents over and over, with dense keys and a vocabulary that grows. */
class TextFeedTest {
  private static final String TEXT = "short words and AveryLongIdentifier\n";

  @TempDir private Path temp;

  private TextFeed feed() throws Exception {
    Path folder = Files.createDirectories(temp.resolve("corpus/deep"));
    for (int i = 0; i < 5; i++) {
      Files.writeString(folder.resolve("f" + i + ".txt"), TEXT);
    }
    return new TextFeed(() -> Corpora.open(temp.resolve("corpus")), 1);
  }

  private static List<TextFeed.Doc> all(TextFeed feed) throws Exception {
    List<TextFeed.Doc> docs = new ArrayList<>();
    for (TextFeed.Doc doc = feed.next(); doc != null; doc = feed.next()) {
      docs.add(doc);
    }
    return docs;
  }

  @Test
  void onceWithoutALimitAndThenToIt() throws Exception {
    try (TextFeed feed = feed()) {
      List<TextFeed.Doc> once = all(feed);
      assertEquals(5, once.size());
      assertEquals(1, feed.copies());
      feed.limit(13);
      List<TextFeed.Doc> more = all(feed);
      assertEquals(8, more.size());
      assertEquals(3, feed.copies());
      assertEquals(1.0, feed.share());
      once.addAll(more);
      for (int i = 0; i < 13; i++) {
        assertEquals(i, once.get(i).key());
        assertEquals("deep", once.get(i).folder());
        assertEquals(1, once.get(i).line());
      }
      assertEquals(TEXT, once.get(4).text());
      assertEquals("short words and AveryLongIdentifierx1\n", once.get(5).text());
      assertEquals("short words and AveryLongIdentifierx2\n", once.get(12).text());
      assertEquals(List.of(TEXT, TEXT, TEXT, TEXT, TEXT), feed.sample());
    }
  }

  @Test
  void corpusWithoutTextIsRefused() throws Exception {
    Path folder = Files.createDirectories(temp.resolve("none"));
    try (TextFeed feed = new TextFeed(() -> Corpora.open(folder), 1)) {
      UserError error = assertThrows(UserError.class, feed::next);
      assertTrue(error.getMessage().contains("--corpus"), error.getMessage());
      assertFalse(error.getMessage().contains("null"), error.getMessage());
    }
  }
}
