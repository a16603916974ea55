/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in docs/elasticsearch.md, run as they stand there, but for the port. */
@Tag("slow")
class DocsServerTest {

  private static final Pattern COMMANDS = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  @Test
  void runs(@TempDir Path home) throws Exception {
    assumeTrue(isInstalled("curl"), "needs curl");
    String page = Files.readString(Path.of("../../docs/elasticsearch.md"));
    ServerHome server = new ServerHome(home, ServerHome.zip());
    try (RealServer running =
        new RealServer(server, Map.of("pread.cache.size", "75%", "pread.backend", "auto"))) {
      StringBuilder printed = new StringBuilder();
      Matcher blocks = COMMANDS.matcher(page);
      int found = 0;
      while (blocks.find()) {
        found++;
        if (blocks.group(1).contains("\"index.store.type\": null")) {
          // Before it is undone.
          checkTypes(running.http());
        }
        printed.append(run(running, blocks.group(1)));
      }
      assertEquals(8, found);
      assertTrue(printed.toString().contains("direct_io"), printed::toString);
      assertTrue(printed.toString().contains("\"block_size\" : \"16kb\""), printed::toString);
      Http http = running.http();
      assertEquals("", type(http, "books"));
      assertEquals("", type(http, "papers"));
      new Scenario(http, 0).awaitHealth("yellow");
      assertEquals(0, new Scenario(http, 0).stats("real").at("/directories/pread").asInt(-1));
    }
  }

  private static boolean isInstalled(String command) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
  }

  private static void checkTypes(Http http) throws IOException {
    assertEquals("pread", type(http, "books"));
    assertEquals("pread", type(http, "papers"));
    http.put("/logs-app-1", null);
    assertEquals("pread_direct", type(http, "logs-app-1"));
    assertTrue(new Scenario(http, 0).stats("real").at("/directories/pread_direct").asInt() > 0);
  }

  private static String type(Http http, String index) throws IOException {
    return http.get("/" + index + "/_settings")
        .at("/" + index + "/settings/index/store/type")
        .asText();
  }

  private static String run(RealServer running, String commands) throws Exception {
    Process shell =
        new ProcessBuilder("sh", "-e", "-c", commands.replace("localhost:9200", running.address()))
            .redirectErrorStream(true)
            .start();
    String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, shell.waitFor(), () -> commands + printed);
    return printed;
  }
}
