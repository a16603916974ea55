/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.machine.ChildCommand;
import dev.pread.benchmarks.machine.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;

class MainTest {

  @Test
  void aFullDiskIsToldInALine() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no " + full);
    IOException cause = assertThrows(IOException.class, () -> Files.writeString(full, "x"));
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine().setErr(new PrintWriter(err));
    Exception failure = new UncheckedIOException("a merge\nfailed", cause);
    IExecutionExceptionHandler handler = command.getExecutionExceptionHandler();
    int code = handler.handleExecutionException(failure, command, null);
    new Cli(code, "", err.toString()).says("a merge failed");
    CommandLine child = command.getSubcommands().get(ChildCommand.NAME);
    assertEquals(ExitCode.DEFECT, handler.handleExecutionException(failure, child, null));
  }

  @Test
  void helpSaysHowEachCommandMeasures() {
    Map<String, CommandLine> commands = new HashMap<>(Main.commandLine().getSubcommands());
    commands.putAll(commands.get("pressure").getSubcommands());
    commands.keySet().removeAll(List.of("all", "child", "jmh", "report"));
    commands.forEach(
        (name, command) -> {
          String help = command.getUsageMessage();
          String last = command.getHelpSectionMap().get("footer").render(command.getHelp());
          assertTrue(last.strip().length() > 100 && help.endsWith(last), name + ": " + help);
          assertTrue(last.lines().allMatch(line -> line.length() <= 110), name);
        });
    assertEquals(14, commands.size());
  }
}
