/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.harness.ServerProcess;
import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerLauncher;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two servers with a copy of each shard on both. */
@Tag("nightly")
class TwoServersIT {

  private static final int BOOKS = 20_000;
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  /**
   * @param seeds addresses of others
   */
  private static Map<String, String> settings(String name, String seeds) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("node.name", name);
    settings.put("node.processors", "2");
    settings.put("discovery.type", "zen");
    settings.put("discovery.seed_hosts", seeds);
    settings.put("cluster.initial_cluster_manager_nodes", "first");
    settings.put("pread.cache.size", "2mb");
    return settings;
  }

  /** One is killed, and comes back. */
  @ParameterizedTest
  @CsvSource({"NEWEST, pread", "NEWEST, pread_direct", "LUCENE9, pread", "LUCENE9, pread_direct"})
  void aKilledServerRecovers(ServerVersion version, String type) throws Exception {
    try (Servers servers = new Servers();
        ServerProcess first =
            ServerLauncher.start(servers.home(version, "first"), HEAP, settings("first", ""))) {
      ServerHome secondHome = servers.home(version, "second");
      // Any free port, which the first has by now: the second comes to it.
      String seed = "127.0.0.1:" + first.awaitTransportPort();
      Map<String, String> ofSecond = settings("second", seed);
      try (ServerProcess second = ServerLauncher.start(secondHome, HEAP, ofSecond);
          Rest rest = new Rest(first.awaitPort())) {
        Books books = new Books(rest, false);
        books.create("books", type, 1);
        books.add("books", 0, BOOKS);
        await(rest, "green");
        List<Object> before = answers(rest, books);

        second.kill();
        await(rest, "yellow");
        assertEquals(before, books.answers("books"));
        books.update("books", 0, BOOKS);
        books.add("books", BOOKS, BOOKS + 2_000);

        try (ServerProcess again = ServerLauncher.start(secondHome, HEAP, ofSecond)) {
          assertTrue(again.pid() != second.pid());
          await(rest, "green");
          answers(rest, books);
          Map<String, Object> stats = rest.json("GET", "/_pread/stats", null);
          assertEquals(2, Rest.number(stats, "_nodes", "successful"), stats::toString);
          assertEquals(
              List.of("1", "1"),
              rest.text("GET", "/_cat/pread?h=" + type, null).lines().map(String::trim).toList());
        }
      }
    }
  }

  /** What a server with Lucene 9 has written is copied to one with Lucene 10, as in an upgrade. */
  @Test
  void aServerOfTheNextMajorVersionTakesACopy() throws Exception {
    try (Servers servers = new Servers();
        ServerProcess older =
            ServerLauncher.start(
                servers.home(ServerVersion.LUCENE9, "first"), HEAP, settings("first", ""));
        Rest rest = new Rest(older.awaitPort())) {
      Books books = new Books(rest, false);
      books.create("books", "pread", 1);
      books.add("books", 0, BOOKS);
      Map<String, String> settings = settings("second", "127.0.0.1:" + older.awaitTransportPort());
      try (ServerProcess newer =
          ServerLauncher.start(servers.home(ServerVersion.NEWEST, "second"), HEAP, settings)) {
        assertTrue(newer.pid() != older.pid());
        await(rest, "green");
        books.update("books", 0, BOOKS);
        answers(rest, books);
        // Each asks the other for its statistics.
        for (int port : new int[] {older.awaitPort(), newer.awaitPort()}) {
          try (Rest one = new Rest(port)) {
            Map<String, Object> stats = one.json("GET", "/_pread/stats", null);
            assertEquals(2, Rest.number(stats, "_nodes", "successful"), stats::toString);
          }
        }
      }
    }
  }

  /** Returns what both copies answer, which has to be the same, once all is merged. */
  private static List<Object> answers(Rest rest, Books books) throws IOException {
    rest.json("POST", "/books/_forcemerge?max_num_segments=1", null);
    List<Object> primary = books.answers("books", "_primary");
    assertEquals(primary, books.answers("books", "_replica"));
    return primary;
  }

  private static void await(Rest rest, String status) throws IOException {
    String nodes = status.equals("green") ? "2" : "1";
    Map<String, Object> health =
        rest.json(
            "GET",
            "/_cluster/health?timeout=120s&wait_for_no_relocating_shards=true&wait_for_nodes="
                + nodes
                + "&wait_for_status="
                + status,
            null);
    assertEquals(status, health.get("status"), health::toString);
  }
}
