/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

/**
 * What a page tells users to type, and to write into the settings of a node.
 *
 * @param name of its file in docs
 */
public record Page(String name) {

  /** Tests run in the folder of their plugin. */
  private static final Path DOCS = Path.of("../../docs");

  /** Returns the folder that users have built the plugin in. */
  public static Path project() throws IOException {
    return DOCS.toRealPath().getParent();
  }

  /** Returns all blocks of commands, in order. */
  public List<String> commands() throws IOException {
    return blocks("sh");
  }

  /** Returns the first block of commands that has {@code text} in it. */
  public String commandsWith(String text) throws IOException {
    return commands().stream()
        .filter(block -> block.contains(text))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no commands with " + text));
  }

  /** Returns the settings of a node that the page has users write, for the caller to add to. */
  public Map<String, String> settings() throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String block : blocks("yaml")) {
      for (String line : block.lines().toList()) {
        String[] parts = line.split(": ", 2);
        assertEquals(2, parts.length, line);
        settings.put(parts[0], parts[1]);
      }
    }
    return settings;
  }

  private List<String> blocks(String language) throws IOException {
    Matcher matcher =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(DOCS.resolve(name)));
    List<String> blocks = new ArrayList<>();
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  public static void assumeCurl() {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "curl")));
    Assumptions.assumeTrue(found, "needs curl");
  }

  /** Has a node asked what is written there, and returns the answers, which have to be good. */
  public static String ask(int port, String commands) throws Exception {
    // This fails with an answer that is no success, and shows it; the rest is as in the text.
    String output =
        run(
            Path.of("."),
            Map.of(),
            commands
                .replace("localhost:9200", "127.0.0.1:" + port)
                .replace("curl ", "curl -sS --fail-with-body "));
    assertEquals(-1, output.indexOf("\"error\""), output);
    return output;
  }

  /** Runs commands in a folder, and returns what they print. */
  public static String run(Path folder, Map<String, String> environment, String commands)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-e", "-c", commands)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> commands + output);
    return output;
  }
}
