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
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.common.settings.Settings;

/** The commands in docs/opensearch.md, run as they are written, in order, against a real server. */
class DocumentationIT {

  private static final Page PAGE = new Page("opensearch.md");

  /** Commands of the server's own, in its folder; where there is one the server is restarted. */
  private static final String SERVER_COMMAND = "bin/";

  /** That many blocks are the ways to an index on pread. */
  private static final int BLOCKS_TO_AN_INDEX = 3;

  private static final int LEAST_BLOCKS = 12;

  @BeforeEach
  void needsCurl() {
    Page.assumeCurl();
  }

  @Test
  void runsAsWritten() throws Exception {
    Deque<String> blocks = new ArrayDeque<>(PAGE.commands());
    assertTrue(blocks.size() > LEAST_BLOCKS, blocks::toString);
    try (Servers servers = new Servers()) {
      ServerHome home = servers.bareHome(ServerVersion.NEWEST, "home");
      runIn(home, blocks.remove());
      try (ServerProcess server = start(home, PAGE.settings());
          Rest rest = new Rest(server.awaitPort())) {
        assertTrue(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        for (int i = 0; i < BLOCKS_TO_AN_INDEX; i++) {
          Page.ask(server.awaitPort(), blocks.remove());
        }
        assertEquals("2 1", directories(rest));
        assertFalse(rest.text("GET", "/_cat/pread?v", null).contains("\"error\""));
        while (!blocks.element().startsWith(SERVER_COMMAND)) {
          Page.ask(server.awaitPort(), blocks.remove());
        }
        assertEquals("0 2", directories(rest));
        rest.json("DELETE", "/logs-1,logs-2", null);
        // Java says this where the option is missing.
        assertFalse(server.said().contains("Use --enable-native-access"), server.said());
      }
      runIn(home, blocks.remove());
      // The attribute is not there, either: no shard may be left that asks for it.
      try (ServerProcess server = start(home, Map.of());
          Rest rest = new Rest(server.awaitPort())) {
        assertFalse(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        while (!blocks.isEmpty()) {
          Page.ask(server.awaitPort(), blocks.remove());
        }
        rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
      }
    }
  }

  /** The settings of the indexes are silent on a type that they have from their node. */
  @Test
  void theCheckBeforeRemovalShowsTheTypeOfANode(@TempDir Path home) throws Exception {
    Settings pread =
        Settings.builder().put("index.store.type", "pread").put("node.name", "wide").build();
    try (EmbeddedNode node = EmbeddedNode.start(home, pread);
        Rest rest = new Rest(node.httpPort())) {
      rest.json("PUT", "/silent", "{\"settings\": {\"number_of_replicas\": 0}}");
      assertEquals("1 0", directories(rest));
      String shown = Page.ask(node.httpPort(), PAGE.commandsWith("_settings/index.store.type"));
      assertTrue(shown.contains("\"name\" : \"wide\""), shown);
      assertTrue(shown.contains("\"type\" : \"pread\""), shown);
    }
  }

  private static ServerProcess start(ServerHome home, Map<String, String> more) throws IOException {
    Map<String, String> settings = new LinkedHashMap<>(more);
    settings.put("cluster.default_number_of_replicas", "0");
    return ServerLauncher.start(home, List.of("-Xms512m", "-Xmx512m"), settings);
  }

  private static String directories(Rest rest) throws IOException {
    rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
    return rest.text("GET", "/_cat/pread?h=pread,pread_direct", null).trim().replaceAll(" +", " ");
  }

  private static void runIn(ServerHome home, String script) throws Exception {
    assertTrue(script.startsWith(SERVER_COMMAND), script);
    Page.run(
        home.path(),
        Map.of("OPENSEARCH_JAVA_HOME", System.getProperty("java.home")),
        script.replace("/PATH", Page.project().toString()));
  }
}
