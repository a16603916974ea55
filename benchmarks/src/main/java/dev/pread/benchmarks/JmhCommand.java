/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.machine.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Hands all its arguments, options included, to JMH; {@code jmh --help} is JMH's own help. */
@Command(
    name = "jmh",
    description = "Runs the JMH benchmarks; takes JMH's arguments (--help lists them).")
final class JmhCommand implements Callable<Integer> {

  /** Everything after {@code jmh}, in order: this command has no options of its own. */
  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    arguments.replaceAll(word -> word.equals("--help") ? "-h" : word);
    org.openjdk.jmh.Main.main(arguments.toArray(new String[0]));
    return ExitCode.OK;
  }
}
