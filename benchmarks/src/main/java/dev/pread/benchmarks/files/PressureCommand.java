/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.Version;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.SuiteOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Holds the parts of {@code pressure} together. */
@Command(
    name = "pressure",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "PART",
    subcommands = {
      ColdCommand.class,
      MergeCommand.class,
      NeighbourCommand.class,
      FootprintCommand.class
    })
public final class PressureCommand {
  /** Does what the parts do alike: they measure any directories. */
  abstract static class Part extends FileCommand {
    static final Metric PEAK_MEMORY = Metric.listedCost("peak memory", "bytes");

    @Mixin DirectoryOptions directories = new DirectoryOptions();

    @Override
    final ChildJvm jvm() {
      return directories.jvm(session, bed);
    }

    /**
     * Checks the options that all parts have.
     *
     * @param limit of the memory if none is named; 0 for none
     * @param heap of each process if none is named, or more
     */
    final void check(SuiteOptions options, long limit, long heap) {
      memory = options.memory(limit);
      directories.check(memory, heap);
    }
  }
}
