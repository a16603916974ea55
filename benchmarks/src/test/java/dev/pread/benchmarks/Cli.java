/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;
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
    String[] strings = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      strings[i] = args[i].toString();
    }
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    int code = command.execute(strings);
    return new Cli(code, out.toString(), err.toString());
  }
}
