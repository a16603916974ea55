/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Module;
import org.opensearch.common.lifecycle.LifecycleListener;
import org.opensearch.common.settings.Settings;
import org.opensearch.plugins.Plugin;

/** All that indexes go through, with each store type, in a node in this process. */
@Tag("slow")
class EmbeddedNodeTest {
  private static final String FAULT = "not today";

  @TempDir Path home;

  /** Returns settings with a cache smaller than the indexes, so that it evicts. */
  private static Settings settings(String cacheSize) {
    return Settings.builder()
        .put("pread.cache.size", cacheSize)
        .put("pread.block.size", "4kb")
        .build();
  }

  @Test
  void answersAsHybridfsDoes() throws Exception {
    goThroughEverything(3_000, "512kb");
  }

  @Test
  @Tag("nightly")
  void answersAsHybridfsDoesWithManyDocuments() throws Exception {
    goThroughEverything(100_000, "4mb");
  }

  private void goThroughEverything(int books, String cacheSize) throws Exception {
    IndexLife life;
    try (EmbeddedNode node = EmbeddedNode.start(home, settings(cacheSize));
        Rest rest = new Rest(node.httpPort())) {
      life = new IndexLife(rest, true);
      life.create();
      life.fill(books);
      life.update(books);
      StatsCheck stats = new StatsCheck(rest);
      stats.countsOpenDirectories(1);
      stats.countsReads();
      stats.hasATable();
      life.snapshotAndRestore();
      life.closeAndOpen();
      stats.countsOpenDirectories(1);
    }
    try (EmbeddedNode node = EmbeddedNode.start(home, settings(cacheSize));
        Rest rest = new Rest(node.httpPort())) {
      IndexLife again = life.goOnWith(rest);
      again.checkAnswers();
      again.goBack();
      new StatsCheck(rest).countsOpenDirectories(0);
    }
  }

  @Test
  void sizesTheCacheItselfUnlessItIsTold() throws Exception {
    try (EmbeddedNode node = EmbeddedNode.start(home, Settings.EMPTY);
        Rest rest = new Rest(node.httpPort())) {
      IndexLife life = new IndexLife(rest, true);
      life.create();
      life.fill(3_000);
      life.closeAndOpen();
      new StatsCheck(rest).tellsOfAnElasticCache();
    }
    assertFalse(Files.exists(home.resolve("data/nodes/0/pread")), "a list that nobody asked for");
  }

  private static byte[] bytes(Random random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void readsAfterARestartWhatItsCacheHad() throws Exception {
    Settings warm =
        Settings.builder()
            .put("pread.cache.size", "32mb")
            .put("pread.cache.warm_restart", true)
            .build();
    Object answers;
    try (EmbeddedNode node = EmbeddedNode.start(home, warm);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("PUT", "/warm", "{\"settings\": {\"index.store.type\": \"pread_direct\"}}");
      // There has to be more than what is read when a segment is opened.
      Random random = new Random(0);
      for (int i = 0; i < 50; i++) {
        String body = HexFormat.of().formatHex(bytes(random, 20_000));
        rest.json(
            "PUT",
            "/warm/_doc/" + i,
            "{\"title\": \"book " + i + "\", \"body\": \"" + body + "\"}");
      }
      // Segments that no commit knows are made anew at the next start.
      rest.json("POST", "/warm/_flush", null);
      rest.json("POST", "/warm/_refresh", null);
      answers = Rest.at(rest.json("GET", "/warm/_search?q=book&size=50", null), "hits", "hits");
      assertEquals("0", rest.text("GET", "/_cat/pread?h=restored", null).trim());
    }
    try (EmbeddedNode node = EmbeddedNode.start(home, warm);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("GET", "/_cluster/health/warm?wait_for_status=yellow&timeout=60s", null);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (rest.text("GET", "/_cat/pread?h=restored", null).trim().equals("0")) {
        assertTrue(System.nanoTime() - deadline < 0, "nothing is read");
        Thread.sleep(10);
      }
      assertEquals(
          answers, Rest.at(rest.json("GET", "/warm/_search?q=book&size=50", null), "hits", "hits"));
    }
  }

  /** Another plugin, which keeps the node from being made. */
  public static final class FailingPlugin extends Plugin {
    @Override
    public Collection<Module> createGuiceModules() {
      return List.of(
          binder -> {
            throw new IllegalStateException(FAULT);
          });
    }
  }

  @Test
  void aNodeThatCanNotBeMadeLeavesTheListToTheNextOne() throws Exception {
    Settings warm = Settings.builder().put("pread.cache.warm_restart", true).build();
    RuntimeException e =
        assertThrows(
            RuntimeException.class,
            () ->
                EmbeddedNode.start(home, warm, List.of(PreadPlugin.class, FailingPlugin.class))
                    .close());
    assertTrue(e.getMessage().contains(FAULT), e::toString);
    Path list = home.resolve("data/nodes/0/pread/hot-blocks");
    Files.delete(list);
    EmbeddedNode.start(home, warm).close();
    assertTrue(Files.exists(list));
  }

  @Test
  void aListenerThatFailsLeavesTheListToTheNextNode() throws Exception {
    Settings warm = Settings.builder().put("pread.cache.warm_restart", true).build();
    EmbeddedNode node = EmbeddedNode.start(home, warm);
    node.injector()
        .getInstance(ClusterService.class)
        .addLifecycleListener(
            new LifecycleListener() {
              @Override
              public void beforeClose() {
                throw new IllegalStateException(FAULT);
              }
            });
    IllegalStateException e = assertThrows(IllegalStateException.class, node::close);
    assertEquals(FAULT, e.getMessage());
    Path list = home.resolve("data/nodes/0/pread/hot-blocks");
    Files.delete(list);
    EmbeddedNode.start(home, warm).close();
    assertTrue(Files.exists(list));
  }

  @Test
  void worksWithoutACache() throws Exception {
    try (EmbeddedNode node = EmbeddedNode.start(home, settings("0"));
        Rest rest = new Rest(node.httpPort())) {
      IndexLife life = new IndexLife(rest, true);
      life.create();
      life.fill(500);
      assertEquals("0b", rest.text("GET", "/_cat/pread?h=size", null).trim());
      assertTrue(rest.text("GET", "/_cat", null).contains("/_cat/pread\n"));
    }
  }

  /** Nothing looked up is no success. */
  @Test
  void hasNoHitRatioBeforeTheFirstLookUp() throws Exception {
    try (EmbeddedNode node = EmbeddedNode.start(home, settings("512kb"));
        Rest rest = new Rest(node.httpPort())) {
      Map<?, ?> cache = (Map<?, ?>) Rest.at(new StatsCheck(rest).figures(), "cache");
      assertTrue(cache.containsKey("hit_ratio"), cache::toString);
      assertNull(cache.get("hit_ratio"));
      assertEquals("-", rest.text("GET", "/_cat/pread?h=hit_ratio", null).trim());

      Books books = new Books(rest, false);
      books.create("books", "pread", 0);
      books.add("books", 0, 500);
      books.answers("books");
      double ratio = (Double) Rest.at(new StatsCheck(rest).figures(), "cache", "hit_ratio");
      assertTrue(ratio >= 0 && ratio <= 1, () -> "hit_ratio " + ratio);
      String text = rest.text("GET", "/_cat/pread?h=hit_ratio", null).trim();
      assertTrue(text.matches("[01]\\.\\d{3}"), text);
    }
  }

  /** One line in opensearch.yml is for all indexes that don't say otherwise, old ones too. */
  @Test
  void takesTheTypeOfANode() throws Exception {
    try (EmbeddedNode node = EmbeddedNode.start(home, Settings.EMPTY);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("PUT", "/old", "{\"settings\": {\"number_of_replicas\": 0}}");
      rest.json("PUT", "/old/_doc/1?refresh=true", "{\"title\": \"old\"}");
      assertEquals("0 0", directories(rest));
    }
    Settings pread = Settings.builder().put("index.store.type", "pread").build();
    try (EmbeddedNode node = EmbeddedNode.start(home, pread);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("PUT", "/new", "{\"settings\": {\"number_of_replicas\": 0}}");
      rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
      assertEquals("2 0", directories(rest));
      assertEquals(
          1, Rest.number(rest.json("GET", "/old/_search?q=old", null), "hits", "total", "value"));
    }
    try (EmbeddedNode node = EmbeddedNode.start(home, Settings.EMPTY);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
      assertEquals("0 0", directories(rest));
    }
  }

  private static String directories(Rest rest) throws IOException {
    return rest.text("GET", "/_cat/pread?h=pread,pread_direct", null).trim().replaceAll(" +", " ");
  }
}
