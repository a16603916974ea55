/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pread.harness.ServerProcess;
import dev.pread.plugin.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/elasticsearch.md says of a node that lacks the plugin or has lost it, and what helps.
 */
@Tag("slow")
class NodeWithoutThePluginServerTest {

  private static final Page PAGE = new Page("elasticsearch.md");
  private static final String FAILURE = "Unknown store type [pread]";
  private static final int REROUTES = 10;

  @Test
  @Tag("nightly")
  void isTriedAFewTimesUntilTheFilterKeepsShardsOff(@TempDir Path home) throws Exception {
    Page.assumeCurl();
    ServerHome first = new ServerHome(home.resolve("with"), ServerHome.zip());
    ServerHome second = new ServerHome(home.resolve("without"), ServerHome.zip());
    second.removePlugin();
    Map<String, String> settings = PAGE.settings();
    settings.put("node.name", "with");
    settings.put("path.repo", home.resolve("repo").toString());
    settings.put("discovery.seed_hosts", "");
    settings.put("cluster.initial_master_nodes", "with");
    try (ServerProcess with = ServerLauncher.start(first, settings)) {
      Http http = new Http(with.awaitPort());
      http.put("/books", shards("pread"));
      Map<String, String> other =
          Map.of(
              "node.name",
              "without",
              "node.roles",
              "data",
              "path.repo",
              home.resolve("repo").toString(),
              "discovery.seed_hosts",
              "127.0.0.1:" + with.awaitTransportPort());
      try (ServerProcess without = ServerLauncher.start(second, other)) {
        awaitGivenUp(http, without);
        JsonNode health = http.get("/_cluster/health");
        assertEquals("green", health.at("/status").asText(), health::toString);

        Page.ask(
            with.awaitPort(), PAGE.commandsWith("{\"index.routing.allocation.require.pread\""));
        settle(http);
        int tries = failures(without);
        http.put("/others", shards("hybridfs"));
        for (int i = 0; i < REROUTES; i++) {
          // This also tries those that it has given up.
          http.post("/_cluster/reroute?metric=none&retry_failed=true", null);
        }
        settle(http);
        assertEquals(tries, failures(without));
        assertEquals(List.of("with"), nodes(http, "books"));
        // So it is there and takes what it can have.
        assertTrue(nodes(http, "others").contains("without"));
      }
    }
  }

  /** It is forgotten until the plugin is there again. */
  @Test
  void anIndexThatIsForgottenIsWhole(@TempDir Path home) throws Exception {
    ServerHome server = new ServerHome(home, ServerHome.zip());
    String unknown = "Unknown store type [pread]";
    try (ServerProcess running = ServerLauncher.start(server, Map.of())) {
      new Http(running.awaitPort())
          .put("/left", "{\"settings\":{\"index.store.type\":\"pread\",\"number_of_replicas\":0}}");
      new Http(running.awaitPort()).put("/left/_doc/1", "{\"text\":\"one\"}");
    }
    server.removePlugin();
    try (ServerProcess running = ServerLauncher.start(server, Map.of())) {
      Http http = new Http(running.awaitPort());
      awaitExplanation(http, unknown);
      String change = "{\"index.store.type\":null}";
      String refused = http.send("PUT", "/left/_settings?reopen=true", change).body();
      assertTrue(refused.contains(unknown), refused);
      refused = http.send("PUT", "/new", "{\"settings\":{\"index.store.type\":\"pread\"}}").body();
      assertTrue(refused.contains(unknown), refused);
    }
    server.installPlugin(ServerHome.zip());
    try (ServerProcess running = ServerLauncher.start(server, Map.of())) {
      new Http(running.awaitPort()).post("/_cluster/reroute?retry_failed=true&metric=none", null);
      new Scenario(new Http(running.awaitPort()), 0).awaitHealth("green");
      assertEquals(1, new Http(running.awaitPort()).get("/left/_count").at("/count").asInt());
    }
  }

  /** Red it is before it has been tried, too. */
  private static void awaitExplanation(Http http, String wanted) throws Exception {
    String path = "/_cluster/allocation/explain?index=left&shard=0&primary=true";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String why = "";
    while (!why.contains(wanted)) {
      assertTrue(System.nanoTime() - end < 0, why);
      Thread.sleep(200);
      why = http.send("GET", path, null).body();
    }
  }

  /** Returns an index with enough shards for the balance to want half of them elsewhere. */
  private static String shards(String type) {
    return "{\"settings\":{\"number_of_shards\":4,\"number_of_replicas\":0,\"index.store.type\":\""
        + type
        + "\"}}";
  }

  private static void settle(Http http) throws IOException {
    new Scenario(http, 0)
        .awaitHealth("green&wait_for_no_relocating_shards=true&wait_for_events=languid");
  }

  private static List<String> nodes(Http http, String index) throws IOException {
    return http.text("GET", "/_cat/shards/" + index + "?h=node", null)
        .lines()
        .map(String::strip)
        .distinct()
        .toList();
  }

  private static int failures(ServerProcess server) throws IOException {
    return server.said().split(Pattern.quote(FAILURE), -1).length - 1;
  }

  /** Waits until a shard has been refused five times, which is the server's own limit. */
  private static void awaitGivenUp(Http http, ServerProcess without) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    String why = "";
    while (!why.contains("exceeded the maximum number of retries [5] on failed relocation")) {
      assertTrue(System.nanoTime() - end < 0, why + without.said());
      Thread.sleep(200);
      StringBuilder all = new StringBuilder();
      for (int shard = 0; shard < 4; shard++) {
        all.append(
            http.send(
                    "POST",
                    "/_cluster/allocation/explain",
                    "{\"index\":\"books\",\"primary\":true,\"shard\":" + shard + "}")
                .body());
      }
      why = all.toString();
    }
    assertTrue(failures(without) > 0, without.said());
  }
}
