/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.harness.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What docs/elasticsearch.md tells users to type, and to write into their elasticsearch.yml. */
final class Page {

  private static final Path FILE = Path.of("../../docs/elasticsearch.md");

  private Page() {}

  /** Returns the blocks of commands, in order. */
  static List<String> commands() throws IOException {
    return blocks("sh");
  }

  /** Returns the first block of commands that has {@code text} in it. */
  static String commandsWith(String text) throws IOException {
    return commands().stream()
        .filter(block -> block.contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no commands with " + text));
  }

  /** Returns the settings of a node that the page has users write, and these. */
  static Map<String, String> settings(Map<String, String> more) throws IOException {
    Map<String, String> settings = new HashMap<>(more);
    for (String block : blocks("yaml")) {
      for (String line : block.lines().toList()) {
        String[] parts = line.split(": ", 2);
        assertEquals(2, parts.length, line);
        settings.put(parts[0], parts[1]);
      }
    }
    return settings;
  }

  private static List<String> blocks(String language) throws IOException {
    Matcher matcher =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(FILE));
    List<String> blocks = new ArrayList<>();
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  static void assumeCurl() {
    boolean found =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl")));
    assumeTrue(found, "needs curl");
  }

  /** Has a server asked what is written there, and returns what that prints. */
  static String ask(ServerProcess running, String commands) throws Exception {
    Process shell =
        new ProcessBuilder(
                "sh",
                "-e",
                "-c",
                commands.replace("localhost:9200", "127.0.0.1:" + running.awaitPort()))
            .redirectErrorStream(true)
            .start();
    String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, shell.waitFor(), () -> commands + printed);
    return printed;
  }
}
