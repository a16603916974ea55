/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import picocli.CommandLine;

/**
 * One run of the command line inside the test.
 *
 * @param code the exit code
 * @param out what went to standard output
 * @param err what went to standard error
 */
public record Cli(int code, String out, String err) {

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

  /** Runs it, and expects that it works. */
  public static Cli fine(Object... args) {
    Cli cli = run(args);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    return cli;
  }

  /** Runs it, and expects that it says in a line what the user has to put right. */
  public static void refused(String words, Object... args) {
    run(args).says(words);
  }

  /** Expects that it said in a line what the user has to put right. */
  public void says(String words) {
    assertEquals(ExitCode.USAGE, code, err);
    assertEquals(1, err.lines().count(), err);
    // An option that is not known would be named, too.
    assertFalse(err.startsWith("Unknown option"), err);
    assertTrue(err.contains(words), err);
  }
}
