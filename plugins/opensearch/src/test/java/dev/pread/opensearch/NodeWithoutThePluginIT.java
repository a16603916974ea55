/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.harness.ServerProcess;
import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerLauncher;
import dev.pread.plugin.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What docs/opensearch.md says of a node that lacks the plugin or has lost it, and what helps. */
class NodeWithoutThePluginIT {

  private static final Page PAGE = new Page("opensearch.md");
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");
  private static final String REASON = "Unknown store type [pread]";

  /** What the server logs once for each shard that it was given. */
  private static final String FAILURE = "shard failed due to [failed to create index]";

  /**
   * Twice the number that a limit of five for each of the shards, if there were one, would allow.
   */
  private static final int FAILURES_WITHOUT_LIMIT = 40;

  private static final int REROUTES = 10;

  @Test
  @Tag("nightly")
  void isTriedWithoutEndUntilTheFilterKeepsShardsOff() throws Exception {
    Page.assumeCurl();
    try (Servers servers = new Servers();
        ServerProcess with =
            ServerLauncher.start(
                servers.home(ServerVersion.NEWEST, "with"), HEAP, ofManager(PAGE.settings()));
        Rest rest = new Rest(with.awaitPort())) {
      rest.json("PUT", "/books", shards("\"index.store.type\": \"pread\""));
      String seed = "127.0.0.1:" + with.awaitTransportPort();
      try (ServerProcess without =
          ServerLauncher.start(
              servers.bareHome(ServerVersion.NEWEST, "without"), HEAP, ofOther(seed))) {
        awaitFailures(without, FAILURES_WITHOUT_LIMIT);
        assertTrue(without.said().contains(REASON), without.said());
        // Nobody who watches the health is told.
        assertEquals("green", health(rest, "wait_for_nodes=2").get("status"));

        Page.ask(
            with.awaitPort(), PAGE.commandsWith("{\"index.routing.allocation.require.pread\""));
        health(rest, "wait_for_no_relocating_shards=true&wait_for_events=languid");
        int tries = failures(without);
        Page.ask(with.awaitPort(), PAGE.commandsWith("logs-2"));
        rest.json("PUT", "/others", shards("\"index.store.type\": \"hybridfs\""));
        for (int i = 0; i < REROUTES; i++) {
          rest.json("POST", "/_cluster/reroute", null);
        }
        health(rest, "wait_for_no_relocating_shards=true&wait_for_events=languid");
        assertEquals(tries, failures(without));
        assertEquals("with", nodes(rest, "books,logs-2"));
        // So it is there and takes what it can have.
        assertTrue(nodes(rest, "others").contains("without"));
      }
    }
  }

  /** An index whose type nobody knows any more is red and whole. */
  @Test
  void anIndexOutlivesThePlugin() throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(ServerVersion.NEWEST, "home");
      List<Object> answers;
      try (ServerProcess server = ServerLauncher.start(home, HEAP, Map.of());
          Rest rest = new Rest(server.awaitPort())) {
        Books books = new Books(rest, false);
        books.create("books", "pread", 0);
        books.add("books", 0, 5_000);
        answers = books.answers("books");
      }
      home.remove();
      assertFalse(Files.exists(home.plugin()));
      try (ServerProcess server = ServerLauncher.start(home, HEAP, Map.of());
          Rest rest = new Rest(server.awaitPort())) {
        awaitReason(rest, REASON);
      }
      home.install(ServerVersion.NEWEST.zip());
      try (ServerProcess server = ServerLauncher.start(home, HEAP, Map.of());
          Rest rest = new Rest(server.awaitPort())) {
        rest.json("POST", "/_cluster/reroute?retry_failed=true", null);
        rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
        assertEquals(answers, new Books(rest, false).answers("books"));
      }
    }
  }

  /** It is there as soon as the node has tried to open the shard. */
  private static void awaitReason(Rest rest, String reason) throws Exception {
    String why = "";
    for (int i = 0; i < 60 && !why.contains(reason); i++) {
      Thread.sleep(500);
      why = rest.send("GET", "/_cluster/allocation/explain", null).body();
    }
    assertTrue(why.contains(reason), why);
  }

  private static Map<String, String> ofManager(Map<String, String> documented) {
    Map<String, String> settings = new LinkedHashMap<>(documented);
    settings.put("node.name", "with");
    settings.put("discovery.type", "zen");
    settings.put("discovery.seed_hosts", "");
    settings.put("cluster.initial_cluster_manager_nodes", "with");
    settings.put("cluster.default_number_of_replicas", "0");
    return settings;
  }

  private static Map<String, String> ofOther(String seed) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("node.name", "without");
    settings.put("node.roles", "data");
    settings.put("discovery.type", "zen");
    settings.put("discovery.seed_hosts", seed);
    return settings;
  }

  /** Returns an index with enough shards for the balance to want half of them elsewhere. */
  private static String shards(String setting) {
    return "{\"settings\": {\"number_of_shards\": 4, \"number_of_replicas\": 0, " + setting + "}}";
  }

  private static Map<String, Object> health(Rest rest, String condition) throws IOException {
    return rest.json(
        "GET", "/_cluster/health?timeout=60s&wait_for_status=green&" + condition, null);
  }

  /** Returns the nodes that have shards of some indexes, each once. */
  private static String nodes(Rest rest, String indexes) throws IOException {
    List<String> nodes =
        rest.text("GET", "/_cat/shards/" + indexes + "?h=node", null)
            .lines()
            .map(String::trim)
            .distinct()
            .toList();
    return String.join(" ", nodes);
  }

  private static int failures(ServerProcess server) throws IOException {
    return server.said().split(Pattern.quote(FAILURE), -1).length - 1;
  }

  private static void awaitFailures(ServerProcess server, int count) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (failures(server) < count) {
      assertTrue(System.nanoTime() - end < 0, server.said());
      Thread.sleep(100);
    }
  }
}
