/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pressure}: holds its parts together. */
@Command(
    name = "pressure",
    description =
        "Measures what directories suffer that memory is short for: merges, cold starts, and what"
            + " they take themselves. Each slot is a JVM of its own. Needs root on Linux.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "PART",
    subcommands = {ColdCommand.class, MergeCommand.class, FootprintCommand.class})
public final class PressureCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a part: cold, merge or footprint");
  }
}
