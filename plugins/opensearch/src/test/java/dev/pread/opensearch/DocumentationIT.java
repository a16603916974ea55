/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.opensearch.server.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The requests in docs/opensearch.md, run as they are written, in order, against a real server. */
class DocumentationIT {

  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

  @Test
  void runsAsWritten() throws Exception {
    Assumptions.assumeTrue(isOnPath("curl"), "needs curl");
    List<String> outputs = new ArrayList<>();
    try (Servers servers = new Servers();
        ServerProcess server =
            ServerProcess.start(
                servers.home("3.9.0", "home"),
                List.of("-Xms512m", "-Xmx512m"),
                Map.of("cluster.default_number_of_replicas", "0"));
        Rest rest = new Rest(server.awaitPort())) {
      int port = server.awaitPort();
      String text = Files.readString(Path.of(System.getProperty("test.docs"), "opensearch.md"));
      Matcher blocks = BLOCK.matcher(text);
      while (blocks.find()) {
        outputs.add(run(blocks.group(1).replace("localhost:9200", "127.0.0.1:" + port)));
        if (outputs.size() == 3) {
          assertEquals("2 1", directories(rest));
          outputs.add(rest.text("GET", "/_cat/pread?v", null));
        }
      }
      assertEquals("0 1", directories(rest));
    }
    for (String output : outputs) {
      assertFalse(output.contains("\"error\""), output);
    }
    assertTrue(outputs.size() > 7, () -> outputs.size() + " blocks");
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

  private static String run(String script) throws IOException, InterruptedException {
    // Fails with an answer that is no success; the rest is as in the text.
    String commands = script.replace("curl ", "curl -sS --fail-with-body ");
    Process process =
        new ProcessBuilder("bash", "-e", "-c", commands).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> script + output);
    return output;
  }
}
