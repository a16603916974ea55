/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** What docs/opensearch.md tells users to type, and to write into their opensearch.yml. */
final class Page {

  private static final Path DOCS = Path.of(System.getProperty("test.docs"));
  private static final String COMMANDS = "sh";

  private Page() {}

  /** Returns the folder that users have built the plugin in. */
  static Path project() throws IOException {
    return DOCS.toRealPath().getParent();
  }

  /** Returns all blocks of commands, in order. */
  static List<String> commands() throws IOException {
    return blocks(COMMANDS);
  }

  /** Returns the first block of commands that has {@code text} in it. */
  static String commandsWith(String text) throws IOException {
    return commands().stream()
        .filter(block -> block.contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no commands with " + text));
  }

  /** Returns the settings of a node that the page has users write. */
  static Map<String, String> settings() throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String block : blocks("yaml")) {
      for (String line : block.lines().toList()) {
        int colon = line.indexOf(": ");
        assertNotEquals(-1, colon, line);
        settings.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return settings;
  }

  private static List<String> blocks(String language) throws IOException {
    Matcher matcher =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(DOCS.resolve("opensearch.md")));
    List<String> blocks = new ArrayList<>();
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  static void assumeCurl() {
    String folders = System.getenv().getOrDefault("PATH", "");
    boolean found =
        Stream.of(folders.split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl")));
    Assumptions.assumeTrue(found, "needs curl");
  }

  /** Has a node asked what is written there, and returns the answers, which have to be good. */
  static String ask(int port, String commands) throws Exception {
    // This fails with an answer that is no success; the rest is as in the text.
    String output =
        run(
            Path.of("."),
            commands
                .replace("localhost:9200", "127.0.0.1:" + port)
                .replace("curl ", "curl -sS --fail-with-body "));
    assertEquals(-1, output.indexOf("\"error\""), output);
    return output;
  }

  /** Runs commands in a folder, and returns what they print. */
  static String run(Path folder, String commands) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", commands)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.redirectInput(new File("/dev/null"));
    builder.environment().put("OPENSEARCH_JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> commands + output);
    return output;
  }
}
