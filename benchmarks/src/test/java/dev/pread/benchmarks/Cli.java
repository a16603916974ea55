/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
  /** So begins what picocli says of them. */
  private static final String UNKNOWN_OPTION = "Unknown option";

  /** Runs it with these arguments, each as its text. */
  public static Cli run(Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    int code = command.execute(Arrays.stream(args).map(Object::toString).toArray(String[]::new));
    return new Cli(code, out.toString(), err.toString());
  }

  /** Returns a command that runs it with these arguments in a process that can be interrupted. */
  public static List<String> command(Object... args) {
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
    Arrays.stream(args).map(Object::toString).forEach(command::add);
    return command;
  }

  /** Runs it, and expects that it works. */
  public static Cli fine(Object... args) {
    Cli cli = run(args);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    return cli;
  }

  /** Runs it, and expects that it names in a line what the user has to put right. */
  public static void refused(String fact, Object... args) {
    run(args).says(fact);
  }

  /** Expects that it named in a line what the user has to put right. */
  public void says(String fact) {
    saysInALine(fact);
    // An option that is not known would be named, too.
    assertFalse(err.startsWith(UNKNOWN_OPTION), err);
  }

  /** Expects that it does not know this option. */
  public void doesNotKnow(String option) {
    saysInALine(option);
    assertTrue(err.startsWith(UNKNOWN_OPTION), err);
  }

  private void saysInALine(String fact) {
    assertEquals(ExitCode.USAGE, code, err);
    assertEquals(1, err.lines().count(), err);
    assertNames(err, fact);
  }

  /** Checks that a message names all of these, however it is worded. */
  public static void assertNames(String message, Object... facts) {
    for (Object fact : facts) {
      String word = "(?<!\\w)" + Pattern.quote(fact.toString()) + "(?!\\w)";
      assertTrue(Pattern.compile(word).matcher(message).find(), fact + ": " + message);
    }
  }
}
