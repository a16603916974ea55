/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.elasticsearch.common.component.LifecycleListener;
import org.elasticsearch.plugins.Plugin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users do with an index, on a node in this process. */
@Tag("slow")
class EmbeddedNodeTest {

  /** A cache of far less than an index has, so that all that is read comes and goes. */
  private static final Map<String, String> TINY_CACHE =
      Map.of("pread.cache.size", "256kb", "pread.block.size", "4kb");

  /** What direct I/O is tried with: no usual device has larger blocks. */
  private static final int PROBE = 4096;

  @Test
  void answersAsTheServersOwnTypeWhateverHappensToTheIndex(@TempDir Path home) throws Exception {
    live(home, 1000, TINY_CACHE);
  }

  @Test
  @Tag("nightly")
  void answersWithALargeIndex(@TempDir Path home) throws Exception {
    live(home, 100_000, Map.of("pread.cache.size", "8mb"));
  }

  @Test
  void answersWithoutACache(@TempDir Path home) throws Exception {
    live(home, 1000, Map.of("pread.cache.size", "0"));
  }

  @Test
  void answersByAllBackends(@TempDir Path home) throws Exception {
    live(home.resolve("jni"), 1000, Map.of("pread.backend", "jni", "pread.cache.size", "1mb"));
    live(home.resolve("channel"), 1000, Map.of("pread.backend", "channel"));
  }

  /** Nothing looked up is no success. */
  @Test
  void hasNoHitRatioBeforeTheFirstLookUp(@TempDir Path home) throws Exception {
    try (TestNode node = new TestNode(home, TINY_CACHE)) {
      Scenario scenario = new Scenario(node.http(), 1000);
      JsonNode stats = scenario.stats(TestNode.NAME);
      assertTrue(stats.at("/cache/hit_ratio").isNull(), stats::toString);
      assertEquals("-", node.http().text("GET", "/_cat/pread?h=hit_ratio", null).strip());

      scenario.create(0);
      scenario.check();
      stats = scenario.stats(TestNode.NAME);
      assertTrue(stats.at("/cache/hit_ratio").isNumber(), stats::toString);
      String text = node.http().text("GET", "/_cat/pread?h=hit_ratio", null).strip();
      assertTrue(text.matches("[01]\\.\\d{3}"), text);
    }
  }

  @Test
  void readsAfterARestartWhatItsCacheHad(@TempDir Path home) throws Exception {
    Map<String, String> settings =
        Map.of("pread.cache.size", "32mb", "pread.cache.warm_restart", "true");
    Scenario scenario;
    try (TestNode node = new TestNode(home, settings)) {
      scenario = new Scenario(node.http(), 1000);
      scenario.createAndFlush();
      assertEquals(0, scenario.stats(TestNode.NAME).at("/cache/blocks_restored").asInt(-1));
    }
    try (TestNode node = new TestNode(home, settings)) {
      scenario = scenario.on(node.http());
      scenario.awaitHealth("green");
      scenario.awaitRestored(TestNode.NAME);
      scenario.check();
    }
  }

  /** Another plugin, which keeps the node from being made. */
  private static final class FailingPlugin extends Plugin {
    @Override
    public Collection<?> createComponents(PluginServices services) {
      throw new IllegalStateException("not today");
    }
  }

  @Test
  void aNodeThatCanNotBeMadeLeavesTheListToTheNextOne(@TempDir Path home) throws Exception {
    Map<String, String> settings = Map.of("pread.cache.warm_restart", "true");
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> new TestNode(home, settings, new PreadPlugin(), new FailingPlugin()).close());
    assertEquals("not today", e.getMessage());
    Path list = home.resolve("data/pread/hot-blocks");
    Files.delete(list);
    new TestNode(home, settings).close();
    assertTrue(Files.exists(list));
  }

  /** Another plugin, which keeps the server from telling others that it closes. */
  private static final class FailingListener extends Plugin {
    @Override
    public Collection<?> createComponents(PluginServices services) {
      services
          .clusterService()
          .addLifecycleListener(
              new LifecycleListener() {
                @Override
                public void afterClose() {
                  throw new IllegalStateException("not today");
                }
              });
      return List.of();
    }
  }

  @Test
  void aListenerThatFailsLeavesTheListToTheNextNode(@TempDir Path home) throws Exception {
    Map<String, String> settings = Map.of("pread.cache.warm_restart", "true");
    TestNode node = new TestNode(home, settings, new FailingListener(), new PreadPlugin());
    IllegalStateException e = assertThrows(IllegalStateException.class, node::close);
    assertEquals("not today", e.getMessage());
    Path list = home.resolve("data/pread/hot-blocks");
    Files.delete(list);
    new TestNode(home, settings).close();
    assertTrue(Files.exists(list));
  }

  private static void live(Path home, int documents, Map<String, String> settings)
      throws Exception {
    Scenario scenario;
    try (TestNode node = new TestNode(home, settings)) {
      scenario = new Scenario(node.http(), documents);
      scenario.live(home.resolve("repo"));
      checkStats(scenario.stats(TestNode.NAME), home, settings);
      assertEquals(
          TestNode.NAME + " 2 2 " + directIo(home, settings),
          node.http().text("GET", "/_cat/pread?h=n,p,pd,d", null).strip());
      checkPaths(node.http());
    }
    try (TestNode node = new TestNode(home, settings)) {
      scenario = scenario.on(node.http());
      scenario.awaitHealth("green");
      scenario.check();
      checkStats(scenario.stats(TestNode.NAME), home, settings);
    }
    assertFalse(Files.exists(home.resolve("data/pread")), "a list that nobody asked for");
  }

  /** Checks what is told of all nodes, and of those that are named. */
  private static void checkPaths(Http http) throws IOException {
    for (String nodes : List.of("", "/_local", "/" + TestNode.NAME)) {
      JsonNode stats = http.get("/_pread/stats" + nodes + "?timeout=30s");
      assertEquals(1, stats.at("/_nodes/successful").asInt(), stats::toString);
      assertEquals(TestNode.NAME, http.text("GET", "/_cat/pread" + nodes + "?h=n", null).strip());
    }
    assertEquals(0, http.get("/_pread/stats/nobody").at("/_nodes/total").asInt(-1));
    assertEquals("", http.text("GET", "/_cat/pread/nobody", null).strip());
    assertEquals(
        List.of(
            "id,nodeId",
            "name,n",
            "backend,b",
            "elastic,el",
            "size,s",
            "memory,mem",
            "used,u",
            "block_size,bs",
            "hits,h",
            "misses,m",
            "hit_ratio,hr",
            "evictions,e",
            "given_back,gb",
            "memory_limit,ml",
            "read,r",
            "restored,rs",
            "waits,w",
            "bypasses,by",
            "pread,p",
            "pread_direct,pd",
            "direct_io,d",
            "uses_page_cache,upc"),
        http.text("GET", "/_cat/pread?help", null)
            .lines()
            .map(line -> line.split("\\|", -1))
            .map(cells -> cells[0].strip() + "," + cells[1].strip())
            .toList());
  }

  /**
   * Returns what the statistics should say about direct I/O, found out by the JDK's direct I/O and
   * not by this project's.
   */
  private static String directIo(Path home, Map<String, String> settings)
      throws ReflectiveOperationException {
    if ("channel".equals(settings.get("pread.backend"))) {
      return "no";
    }
    // It is found by its name: the compiler warns of the package, which is documented and there to
    // stay.
    OpenOption direct =
        (OpenOption)
            Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
    Path probe = home.resolve("probe");
    ByteBuffer block = ByteBuffer.allocateDirect(2 * PROBE).alignedSlice(PROBE).limit(PROBE);
    try (FileChannel file =
        FileChannel.open(
            probe,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE,
            direct)) {
      return file.write(block) == PROBE ? "yes" : "no";
    } catch (IOException | UnsupportedOperationException e) {
      return "no";
    }
  }

  private static void checkStats(JsonNode stats, Path home, Map<String, String> settings)
      throws ReflectiveOperationException {
    assertEquals(settings.getOrDefault("pread.backend", "ffm"), stats.at("/backend").asText());
    assertEquals(2, stats.at("/directories/pread").asInt(), stats::toString);
    assertEquals(2, stats.at("/directories/pread_direct").asInt(), stats::toString);
    String direct = directIo(home, settings);
    assertEquals(direct, stats.at("/direct_io/in_use").asText(), stats::toString);
    assertEquals(
        direct.equals("yes") ? 0 : 2,
        stats.at("/direct_io/uses_page_cache").asInt(),
        stats::toString);
    JsonNode cache = stats.at("/cache");
    boolean used = !"0".equals(settings.get("pread.cache.size"));
    double ratio = cache.at("/hit_ratio").asDouble(-1);
    assertTrue(used ? ratio >= 0 && ratio <= 1 : cache.at("/hit_ratio").isNull(), stats::toString);
    assertEquals(used, cache.at("/size_in_bytes").asLong() > 0, stats::toString);
    assertEquals(used, cache.at("/read_in_bytes").asLong() > 0, stats::toString);
    assertEquals(used, cache.at("/misses").asLong() > 0, stats::toString);
    boolean elastic = !settings.containsKey("pread.cache.size");
    assertEquals(elastic, cache.at("/elastic").asBoolean(), stats::toString);
    assertEquals(elastic, cache.at("/memory_limit_in_bytes").asLong() > 0, stats::toString);
    assertTrue(cache.at("/given_back_in_bytes").asLong(-1) >= 0, stats::toString);
    // An elastic cache may have less than it has taken, as long as it is about to give it back.
    String most = elastic ? "/memory_in_bytes" : "/size_in_bytes";
    assertTrue(cache.at("/used_in_bytes").asLong() <= cache.at(most).asLong(), stats::toString);
    if (settings.equals(TINY_CACHE)) {
      assertEquals(256 << 10, cache.at("/size_in_bytes").asLong());
      assertEquals(4 << 10, cache.at("/block_size_in_bytes").asLong());
      assertTrue(cache.at("/evictions").asLong() > 0, stats::toString);
    }
  }
}
