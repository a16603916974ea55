/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.harness.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * One run of the command line inside the test.
 *
 * @param code the exit code
 * @param out what went to standard output
 * @param err what went to standard error
 */
public record Cli(int code, String out, String err) {
  /** Runs it with the words of a line; {@code DIR} in them stands for a folder. */
  public static Cli run(String line, Path dir) {
    return run(Main.commandLine(), line, dir);
  }

  /** Runs another command in the same way, whose failures are told as those of ours are. */
  public static Cli run(CommandLine command, String line, Path dir) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    command.setExecutionExceptionHandler(Main.commandLine().getExecutionExceptionHandler());
    return new Cli(command.execute(words(line, dir)), out.toString(), err.toString());
  }

  /** Splits a line before it puts the folder in, whose name may have spaces. */
  private static String[] words(String line, Path dir) {
    String[] words = line.split(" +", -1);
    Arrays.setAll(words, i -> words[i].replace("DIR", dir.toString()));
    return words;
  }

  /** Starts it in a process that can be interrupted, which writes what it says into the folder. */
  public static ServerProcess start(String line, Path dir) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                // In the background of a shell it would inherit that the signal is ignored.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(words(line, dir)));
    return ServerProcess.launch(new ProcessBuilder(command), dir);
  }

  /** Waits until something is so, or the process has ended. */
  public static void await(ServerProcess process, Callable<Boolean> condition) throws Exception {
    while (ProcessHandle.of(process.pid()).isPresent() && !condition.call()) {
      Thread.sleep(20);
    }
  }

  /** Interrupts a process, as Ctrl-C does. */
  public static void interrupt(ServerProcess process) throws Exception {
    String pid = Long.toString(process.pid());
    assertEquals(0, new ProcessBuilder("kill", "-INT", pid).start().waitFor());
  }

  /** Expects this exit code, and returns the same run. */
  public Cli ended(int expected) {
    assertEquals(expected, code, err);
    return this;
  }

  /** Runs it, and expects that it works. */
  public static Cli fine(String line, Path dir) {
    return run(line, dir).ended(ExitCode.OK);
  }

  /** Expects that it named in a line what the user has to put right. */
  public void says(String fact) {
    ended(ExitCode.USAGE);
    assertEquals(1, err.lines().count(), err);
    assertNames(err, fact);
    // An option that is not known would be named, too.
    String unknown = "Unknown option";
    assertEquals(fact.startsWith(unknown), err.startsWith(unknown), err);
  }

  /** Checks that a message names all of these, however it is worded. */
  public static void assertNames(String message, Object... facts) {
    for (Object fact : facts) {
      String word = "(?<!\\w)" + Pattern.quote(fact.toString()) + "(?!\\w)";
      assertTrue(Pattern.compile(word).matcher(message).find(), fact + ": " + message);
    }
  }
}
