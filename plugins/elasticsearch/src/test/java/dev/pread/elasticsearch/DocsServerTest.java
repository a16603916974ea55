/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.harness.ServerProcess;
import dev.pread.plugin.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in docs/elasticsearch.md, run as they stand there, but for the port. */
@Tag("slow")
class DocsServerTest {

  private static final Page PAGE = new Page("elasticsearch.md");

  private static final int LEAST_BLOCKS = 12;

  @Test
  void runs(@TempDir Path home) throws Exception {
    Page.assumeCurl();
    List<String> blocks = PAGE.commands();
    assertTrue(blocks.size() >= LEAST_BLOCKS, blocks::toString);
    ServerHome server = new ServerHome(home, ServerHome.zip());
    try (ServerProcess running = ServerLauncher.start(server, PAGE.settings())) {
      StringBuilder printed = new StringBuilder();
      for (String block : blocks) {
        if (block.contains("\"index.store.type\": null")) {
          // This is checked before it is undone.
          checkTypes(new Http(running.awaitPort()));
        }
        printed.append(Page.ask(running.awaitPort(), block));
      }
      assertTrue(printed.toString().contains("direct_io"), printed::toString);
      assertTrue(printed.toString().contains("\"block_size\" : \"16kb\""), printed::toString);
      Http http = new Http(running.awaitPort());
      for (String index : List.of("books", "papers")) {
        assertEquals("", setting(http, index, "store/type"));
        assertEquals("", setting(http, index, "routing/allocation/require/pread"));
      }
      new Scenario(http, 0).awaitHealth("yellow");
      assertEquals(0, new Scenario(http, 0).stats("real").at("/directories/pread").asInt());
    }
  }

  /** The settings of the indexes are silent on a type that they have from their node. */
  @Test
  void theCheckBeforeRemovalShowsTheTypeOfANode(@TempDir Path home) throws Exception {
    Page.assumeCurl();
    ServerHome server = new ServerHome(home, ServerHome.zip());
    try (ServerProcess running =
        ServerLauncher.start(server, Map.of("index.store.type", "pread"))) {
      new Http(running.awaitPort()).put("/silent", "{\"settings\":{\"number_of_replicas\":0}}");
      assertEquals(
          1,
          new Scenario(new Http(running.awaitPort()), 0)
              .stats("real")
              .at("/directories/pread")
              .asInt());
      String shown = Page.ask(running.awaitPort(), PAGE.commandsWith("_settings/index.store.type"));
      assertTrue(shown.contains("\"name\" : \"real\""), shown);
      assertTrue(shown.contains("\"type\" : \"pread\""), shown);
    }
  }

  private static void checkTypes(Http http) throws IOException {
    assertEquals("pread", setting(http, "books", "store/type"));
    assertEquals("pread", setting(http, "papers", "store/type"));
    assertEquals("true", setting(http, "books", "routing/allocation/require/pread"));
    http.put("/logs-app-1", null);
    assertEquals("pread_direct", setting(http, "logs-app-1", "store/type"));
    assertEquals("true", setting(http, "logs-app-1", "routing/allocation/require/pread"));
    assertTrue(new Scenario(http, 0).stats("real").at("/directories/pread_direct").asInt() > 0);
  }

  private static String setting(Http http, String index, String path) throws IOException {
    return http.get("/" + index + "/_settings")
        .at("/" + index + "/settings/index/" + path)
        .asText();
  }
}
