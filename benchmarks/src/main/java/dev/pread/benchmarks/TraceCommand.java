/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what is done with traces. */
@Command(
    name = "trace",
    description =
        "Records which blocks of an index searches read, and replays that through the eviction"
            + " policies of caches.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {TraceRecordCommand.class, TraceSimulateCommand.class})
final class TraceCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Made by picocli. */
  TraceCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "trace needs a command: record or simulate");
  }
}
