/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers in processes of their own, as nobody's, with the plugin as its zip installs it. */
class RealServerIT {

  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  private static List<String> versions() {
    return Servers.versions();
  }

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

  @ParameterizedTest
  @MethodSource("versions")
  void answersAsHybridfsDoes(String version) throws Exception {
    try (Servers servers = new Servers()) {
      ServerHome home = servers.home(version, "home");
      IndexLife life;
      try (ServerProcess server = ServerProcess.start(home, HEAP, settings("ffm"));
          Rest rest = new Rest(server.awaitPort())) {
        checkSecurity(version, server);
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
      try (ServerProcess server = ServerProcess.start(home, HEAP, settings("auto"));
          Rest rest = new Rest(server.awaitPort())) {
        IndexLife again = life.goOnWith(rest);
        again.checkAnswers();
        assertEquals("ffm", Rest.at(new StatsCheck(rest).figures(), "backend"));
        again.goBack();
        assertNothingDenied(server);
      }
    }
  }

  /** The agent's policy forbids what it does not name; the plugin has no policy of its own. */
  private static void checkSecurity(String version, ServerProcess server) throws IOException {
    assertFalse(Files.exists(server.home().plugin().resolve("plugin-security.policy")));
    boolean hasAgent = server.said().contains("-javaagent:");
    assertEquals(version.equals("3.8.0"), hasAgent, version);
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
    try (Servers servers = new Servers();
        ServerProcess server =
            ServerProcess.start(servers.home("3.8.0", "home"), HEAP, settings(backend));
        Rest rest = new Rest(server.awaitPort())) {
      checkSecurity("3.8.0", server);
      IndexLife life = new IndexLife(rest, false);
      life.create();
      life.fill(5_000);
      life.closeAndOpen();
      assertEquals(backend, Rest.at(new StatsCheck(rest).figures(), "backend"));
      assertNothingDenied(server);
    }
  }

  @Test
  void refusesWhatCanNotBe() throws Exception {
    try (Servers servers = new Servers();
        ServerProcess server =
            ServerProcess.launch(
                servers.home("3.9.0", "home"), HEAP, Map.of("pread.cache.size", "150%"))) {
      assertNotEquals(0, server.awaitEnd());
      assertTrue(
          server.said().contains("[150%] for setting [pread.cache.size]: use 0 for no cache"),
          server.said());
    }
  }
}
