/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.solr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Solr that is killed while it writes comes back with all that it had committed. */
@Tag("nightly")
class KilledNodeTest {

  private static final String COMMITTED = "committed ";
  private static final int BATCH = 200;
  private static final int BATCHES_BEFORE_THE_END = 12;

  @ParameterizedTest
  @ValueSource(strings = {"pread", "pread_direct"})
  void hasWhatWasCommitted(String type, @TempDir Path home) throws Exception {
    Node.addCore(
        home,
        "books",
        PreadDirectoryFactory.class.getName(),
        "<str name=\"type\">" + type + "</str>");
    int committed = runUntilKilled(home);
    try (Node node = Node.start(home)) {
      node.commit("books");
      int found = node.count("books", "*:*");
      // Solr writes each book to its log before the index has it.
      assertTrue(found >= committed, found + " of " + committed);
      assertEquals(committed, node.count("books", "number:[0 TO " + (committed - 1) + "]"));
      node.merge("books");
      assertEquals(found, node.count("books", "*:*"));
    }
  }

  /** Returns how many books were committed when it ended. */
  private static int runUntilKilled(Path home) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(List.of(Writer.class.getName(), home.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(new File(home.toFile(), "error.log")).start();
    int committed = 0;
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = said.readLine()) != null) {
        if (line.startsWith(COMMITTED)) {
          committed = Integer.parseInt(line.substring(COMMITTED.length()));
          if (committed >= BATCHES_BEFORE_THE_END * BATCH) {
            // It is killed by its handle, which leaves the pipe open for what it said before.
            process.toHandle().destroyForcibly();
          }
        }
      }
    } finally {
      process.destroyForcibly();
    }
    process.waitFor();
    assertTrue(committed >= BATCHES_BEFORE_THE_END * BATCH, "ended by itself: " + committed);
    return committed;
  }

  /** Adds and commits without end, and says how far it is. */
  static final class Writer {

    private Writer() {}

    public static void main(String[] args) throws Exception {
      Node node = Node.start(Path.of(args[0]));
      for (int from = 0; ; from += BATCH) {
        node.add("books", from, from + BATCH);
        node.commit("books");
        System.out.println(COMMITTED + (from + BATCH));
      }
    }
  }
}
