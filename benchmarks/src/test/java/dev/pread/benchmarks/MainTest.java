/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {

  @Test
  void aFullDiskIsToldInALine() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no " + full);
    IOException cause = assertThrows(IOException.class, () -> Files.writeString(full, "x"));
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine().setErr(new PrintWriter(err));
    Exception failure = new UncheckedIOException("a merge\nfailed", cause);
    int code =
        command.getExecutionExceptionHandler().handleExecutionException(failure, command, null);
    new Cli(code, "", err.toString()).says("a merge failed");
  }
}
