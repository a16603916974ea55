/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.files.CeilingCommand;
import dev.pread.benchmarks.files.GridCommand;
import dev.pread.benchmarks.files.NativeCommand;
import dev.pread.benchmarks.files.OutputCommand;
import dev.pread.benchmarks.files.SafepointsCommand;
import dev.pread.benchmarks.files.StreamsCommand;
import dev.pread.benchmarks.search.WorkloadsCommand;
import dev.pread.benchmarks.suite.SuiteCommand;
import java.util.List;
import picocli.CommandLine.Command;

/** Runs every part of the suite with its defaults, into one report. */
@Command(name = "all")
final class AllCommand extends SuiteCommand {
  @Override
  protected List<SuiteCommand> parts() {
    // What others are held against comes first, and the longest part last.
    return List.of(
        new CeilingCommand(),
        new NativeCommand(),
        new OutputCommand(),
        new SafepointsCommand(),
        new StreamsCommand(),
        new WorkloadsCommand(),
        new GridCommand());
  }
}
