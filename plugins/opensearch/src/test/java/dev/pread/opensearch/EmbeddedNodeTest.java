/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.common.settings.Settings;

/** All that indexes do, with each store type, in a node in this process. */
class EmbeddedNodeTest {

  private static final List<String> TYPES = List.of("hybridfs", "pread", "pread_direct");
  private static final int BOOKS = 5_000;

  @TempDir Path home;

  @Test
  void answersAsHybridfsDoes() throws Exception {
    Settings settings = Settings.builder().put("pread.cache.size", "16mb").build();
    try (EmbeddedNode node = EmbeddedNode.start(home, settings);
        Rest rest = new Rest(node.httpPort())) {
      Books books = new Books(rest, true);
      for (String type : TYPES) {
        books.create(type, type, 0);
        books.add(type, 0, BOOKS);
      }
      List<Object> expected = books.answers("hybridfs");
      assertEquals(expected, books.answers("pread"));
      assertEquals(expected, books.answers("pread_direct"));
    }
  }
}
