/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users do with an index, on a node in this process. */
class EmbeddedNodeTest {

  /** Far less than an index has, so that all that is read comes and goes. */
  private static final Map<String, String> TINY_CACHE =
      Map.of("pread.cache.size", "256kb", "pread.block.size", "4kb");

  @Test
  void answersAsTheServersOwnTypeWhateverHappensToTheIndex(@TempDir Path home) throws Exception {
    live(home, 1000, TINY_CACHE);
  }

  @Test
  @Tag("slow")
  void answersWithALargeIndex(@TempDir Path home) throws Exception {
    live(home, 100_000, Map.of("pread.cache.size", "8mb"));
  }

  @Test
  @Tag("slow")
  void answersWithoutACache(@TempDir Path home) throws Exception {
    live(home, 1000, Map.of("pread.cache.size", "0"));
  }

  @Test
  @Tag("slow")
  void answersByAllBackends(@TempDir Path home) throws Exception {
    live(home.resolve("jni"), 1000, Map.of("pread.backend", "jni", "pread.cache.size", "1mb"));
    live(home.resolve("channel"), 1000, Map.of("pread.backend", "channel"));
  }

  private static void live(Path home, int documents, Map<String, String> settings)
      throws Exception {
    Scenario scenario;
    try (TestNode node = new TestNode(home, settings)) {
      scenario = new Scenario(node.http(), documents);
      scenario.create(0);
      scenario.check();
      scenario.change();
      scenario.check();
      scenario.snapshotAndRestore(home.resolve("repo").toString());
      scenario.check();
      scenario.closeAndOpen();
      scenario.check();
      checkStats(scenario.stats(TestNode.NAME), settings);
      assertEquals(
          TestNode.NAME + " 2 2",
          node.http().text("GET", "/_cat/pread?h=name,pread,direct", null).strip());
    }
    try (TestNode node = new TestNode(home, settings)) {
      scenario = scenario.on(node.http());
      scenario.awaitHealth("green");
      scenario.check();
      checkStats(scenario.stats(TestNode.NAME), settings);
    }
  }

  private static void checkStats(JsonNode stats, Map<String, String> settings) {
    assertEquals(settings.getOrDefault("pread.backend", "ffm"), stats.at("/backend").asText());
    assertEquals(2, stats.at("/directories/pread/open").asInt(), stats::toString);
    assertEquals(2, stats.at("/directories/pread_direct/open").asInt(), stats::toString);
    assertEquals(
        2,
        stats.at("/directories/pread_direct/o_direct").asInt()
            + stats.at("/directories/pread_direct/fell_back").asInt(),
        stats::toString);
    JsonNode cache = stats.at("/cache");
    boolean used = !"0".equals(settings.get("pread.cache.size"));
    assertEquals(used, cache.at("/size_in_bytes").asLong() > 0, stats::toString);
    assertEquals(used, cache.at("/read_in_bytes").asLong() > 0, stats::toString);
    assertEquals(used, cache.at("/misses").asLong() > 0, stats::toString);
    assertTrue(
        cache.at("/used_in_bytes").asLong() <= cache.at("/size_in_bytes").asLong(),
        stats::toString);
    if (settings.equals(TINY_CACHE)) {
      assertEquals(256 << 10, cache.at("/size_in_bytes").asLong());
      assertEquals(4 << 10, cache.at("/block_size_in_bytes").asLong());
      assertTrue(cache.at("/evictions").asLong() > 0, stats::toString);
    }
  }
}
