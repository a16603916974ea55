/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pressure}: holds its parts together. */
@Command(
    name = "pressure",
    description =
        "Measures directories on files and indexes that do not fit the memory they are given: each"
            + " slot is a JVM of its own in a memory cgroup. Needs root on Linux.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "PART",
    subcommands = {
      RandomCommand.class,
      ColdCommand.class,
      MergeCommand.class,
      FootprintCommand.class
    })
public final class PressureCommand implements Runnable {

  @Spec private CommandSpec spec;

  /** Made by picocli. */
  public PressureCommand() {}

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "name a part: random, cold, merge or footprint");
  }
}
