/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pread.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs in {@code examples}, as they stand there, on the class path of these tests. */
class ExamplesTest {

  private static final Path EXAMPLES = Path.of("../examples");

  @TempDir Path logs;

  @Test
  void indexAndSearch(@TempDir Path folder) throws Exception {
    String printed = run("IndexAndSearch.java", folder);
    Fixtures.assertNames(printed, "2 books", "PreadDirectory", folder);
  }

  @Test
  void moveAnIndex(@TempDir Path folder) throws Exception {
    assertEquals(
        List.of(
            "1 documents in NIOFSDirectory",
            "2 documents in PreadDirectory",
            "3 documents in DirectPreadDirectory",
            "4 documents in NIOFSDirectory"),
        run("MoveAnIndex.java", folder).lines().toList());
  }

  @Test
  void thereAreNoOthers() throws IOException {
    try (Stream<Path> examples = Files.list(EXAMPLES)) {
      assertEquals(2, examples.count());
    }
  }

  private String run(String example, Path folder) throws Exception {
    Path errors = logs.resolve(example + ".log");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                EXAMPLES.resolve(example).toString(),
                folder.toString())
            .redirectError(errors.toFile())
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, child.waitFor(), printed + Files.readString(errors));
    return printed;
  }
}
