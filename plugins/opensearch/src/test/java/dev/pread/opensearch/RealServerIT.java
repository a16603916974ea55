/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerLauncher;
import dev.pread.plugin.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers in processes of their own, as nobody's, with the plugin as its zip installs it. */
class RealServerIT {

  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  private static Map<String, String> settings(String backend) {
    return Map.of(
        "node.processors",
        "2",
        "pread.cache.size",
        "2mb",
        "pread.block.size",
        "4kb",
        "pread.backend",
        backend);
  }

  @Test
  void answersAsHybridfsDoes() throws Exception {
    answersAsHybridfsDoes(Servers.NEWEST);
  }

  @Test
  @Tag("nightly")
  void answersAsHybridfsDoesInTheOldestServer() throws Exception {
    answersAsHybridfsDoes(Servers.OLDEST);
  }

  private static void answersAsHybridfsDoes(String version) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      IndexLife life;
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings("ffm"));
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(home, server);
        // What an operator wants to know before anything goes wrong.
        assertTrue(
            server
                .said()
                .contains("pread: block cache of [2mb] in blocks of [4kb], backend [ffm]; of a"),
            server.said());
        assertTrue(server.said().contains("the heap [512mb] and the cache leave ["), server.said());
        assertTrue(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        life = new IndexLife(rest, false);
        life.create();
        life.fill(20_000);
        life.update(20_000);
        StatsCheck stats = new StatsCheck(rest);
        stats.countsOpenDirectories(1);
        stats.countsReads();
        stats.hasATable();
        life.snapshotAndRestore();
        life.closeAndOpen();
      }
      // With the defaults.
      try (ServerProcess server = ServerLauncher.start(home, HEAP, Map.of("node.processors", "2"));
          Rest rest = new Rest(server.awaitPort())) {
        assertTrue(
            server
                .said()
                .contains(
                    "] (auto: just now) in blocks of [16kb], backend [ffm]; of a memory limit of "));
        server.awaitSaid("the block cache may have");
        IndexLife again = life.goOnWith(rest);
        again.checkAnswers();
        StatsCheck stats = new StatsCheck(rest);
        stats.tellsOfAnElasticCache();
        assertEquals("ffm", Rest.at(stats.figures(), "backend"));
        again.goBack();
        assertNothingDenied(server);
      }
    }
  }

  /** The agent forbids what no policy names; the plugin has none of its own. */
  private static void checkSecurity(ServerHome home, ServerProcess server) throws IOException {
    assertFalse(Files.exists(home.plugin().resolve("plugin-security.policy")));
    assertTrue(server.said().contains("-javaagent:"), server.said());
  }

  /** That the agent is on: without its policy the module that opens sockets is not allowed to. */
  @ParameterizedTest
  @ValueSource(strings = {Servers.OLDEST, Servers.NEWEST})
  void theAgentForbidsWhatIsNotGranted(String version) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      Files.delete(home.path().resolve("modules/transport-netty4/plugin-security.policy"));
      Map<String, String> settings = new HashMap<>(settings("ffm"));
      settings.put("discovery.type", "zen");
      settings.put("discovery.seed_hosts", "127.0.0.1:9");
      settings.put("cluster.initial_cluster_manager_nodes", "server");
      settings.put("logger.org.opensearch.discovery", "TRACE");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings)) {
        server.awaitSaid("SecurityException: Denied access to: 127.0.0.1:9");
      }
    }
  }

  private static void assertNothingDenied(ServerProcess server) throws IOException {
    String said = server.said();
    assertFalse(said.contains("SecurityException"), said);
    assertFalse(said.contains("Denied"), said);
    // With the option that the documentation names, the JVM does not warn of native access.
    assertFalse(said.contains("restricted method"), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jni", "channel"})
  void otherBackendsWorkUnderTheAgentToo(String backend) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(Servers.OLDEST, "home");
      try (ServerProcess server = ServerLauncher.start(home, HEAP, settings(backend));
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(home, server);
        worksOn(backend, server, rest);
      }
    }
  }

  private static void worksOn(String backend, ServerProcess server, Rest rest) throws IOException {
    IndexLife life = new IndexLife(rest, false);
    life.create();
    life.fill(5_000);
    life.closeAndOpen();
    Map<String, Object> figures = new StatsCheck(rest).figures();
    assertEquals(backend, Rest.at(figures, "backend"));
    if (backend.equals("channel")) {
      // Which has no direct I/O: the statistics say it, and the log of the server does.
      assertEquals(1, Rest.number(figures, "direct_io", "fell_back"), figures::toString);
      assertEquals("no", Rest.at(figures, "direct_io", "in_use"));
      assertTrue(server.said().contains("through the page cache"), server.said());
    }
    assertNothingDenied(server);
  }

  @ParameterizedTest
  @ValueSource(strings = "100%")
  void refusesWhatCanNotBe(String size) throws Exception {
    try (Servers servers = new Servers();
        ServerProcess server =
            ServerLauncher.launch(
                servers.home(Servers.NEWEST, "home"), HEAP, Map.of("pread.cache.size", size))) {
      assertNotEquals(0, server.awaitEnd());
      assertTrue(
          server
              .said()
              .contains("[" + size + "] for setting [pread.cache.size]: use auto, 0 for no cache"),
          server.said());
    }
  }
}
