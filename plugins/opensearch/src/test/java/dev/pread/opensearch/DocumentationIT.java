/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.opensearch.server.ServerHome;
import dev.pread.opensearch.server.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The commands in docs/opensearch.md, run as they are written, in order, against a real server. */
class DocumentationIT {

  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  /** Commands of the server's own, in its folder; where there is one the server is restarted. */
  private static final String OWN = "bin/";

  /** That many blocks are the ways to an index on pread. */
  private static final int WAYS = 3;

  private static final Path DOCS = Path.of(System.getProperty("test.docs"));

  private final List<String> outputs = new ArrayList<>();

  @Test
  void runsAsWritten() throws Exception {
    Assumptions.assumeTrue(isOnPath("curl"), "needs curl");
    Deque<String> blocks = new ArrayDeque<>();
    Matcher matcher = BLOCK.matcher(Files.readString(DOCS.resolve("opensearch.md")));
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    try (Servers servers = new Servers()) {
      ServerHome home = servers.bareHome("3.9.0", "home");
      runIn(home, blocks.remove());
      try (ServerProcess server = start(home);
          Rest rest = new Rest(server.awaitPort())) {
        assertTrue(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        for (int i = 0; i < WAYS; i++) {
          request(server, blocks.remove());
        }
        assertEquals("2 1", directories(rest));
        outputs.add(rest.text("GET", "/_cat/pread?v", null));
        while (!blocks.element().startsWith(OWN)) {
          request(server, blocks.remove());
        }
        assertEquals("0 1", directories(rest));
        rest.json("DELETE", "/logs-1", null);
        // What Java says where the option is missing.
        assertFalse(server.said().contains("Use --enable-native-access"), server.said());
      }
      runIn(home, blocks.remove());
      try (ServerProcess server = start(home);
          Rest rest = new Rest(server.awaitPort())) {
        assertFalse(rest.text("GET", "/_cat/plugins", null).contains("pread"));
        while (!blocks.isEmpty()) {
          request(server, blocks.remove());
        }
        rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
      }
    }
    for (String output : outputs) {
      assertFalse(output.contains("\"error\""), output);
    }
    assertTrue(outputs.size() > 9, () -> outputs.size() + " blocks");
  }

  private static ServerProcess start(ServerHome home) throws IOException {
    return ServerProcess.start(
        home, List.of("-Xms512m", "-Xmx512m"), Map.of("cluster.default_number_of_replicas", "0"));
  }

  private static boolean isOnPath(String program) {
    String folders = System.getenv().getOrDefault("PATH", "");
    return Stream.of(folders.split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static String directories(Rest rest) throws IOException {
    rest.json("GET", "/_cluster/health?wait_for_status=green&timeout=60s", null);
    return rest.text("GET", "/_cat/pread?h=pread,pread_direct", null).trim().replaceAll(" +", " ");
  }

  private void request(ServerProcess server, String script) throws Exception {
    // Fails with an answer that is no success; the rest is as in the text.
    String commands =
        script
            .replace("localhost:9200", "127.0.0.1:" + server.awaitPort())
            .replace("curl ", "curl -sS --fail-with-body ");
    outputs.add(run(server.home(), commands));
  }

  private void runIn(ServerHome home, String script) throws Exception {
    assertTrue(script.startsWith(OWN), script);
    Path project = DOCS.toRealPath().getParent();
    outputs.add(run(home, script.replace("/PATH", project.toString())));
  }

  private static String run(ServerHome home, String commands) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", commands)
            .directory(home.path().toFile())
            .redirectErrorStream(true);
    builder.redirectInput(new File("/dev/null"));
    builder.environment().put("OPENSEARCH_JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> commands + output);
    return output;
  }
}
