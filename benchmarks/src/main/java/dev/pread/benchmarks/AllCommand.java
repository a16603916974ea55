/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.files.NativePart;
import dev.pread.benchmarks.files.OutputPart;
import dev.pread.benchmarks.files.SafepointsPart;
import dev.pread.benchmarks.files.CeilingPart;
import dev.pread.benchmarks.files.GridPart;
import dev.pread.benchmarks.scenario.WorkloadsPart;
import dev.pread.benchmarks.files.StreamsPart;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code all}: every part of the suite with its defaults, in one report. */
@Command(
    name = "all",
    description =
        "Runs ceiling, native, output, streams, workloads and grid, each with its defaults, into one"
            + " report. Takes many hours; with --quick a few minutes, which show that all works and"
            + " nothing else.")
final class AllCommand extends SuiteCommand {

  /** Made by picocli. */
  AllCommand() {}

  @Override
  protected List<SuitePart> parts() {
    // The ceilings first, since the others are compared with them; the longest part last.
    return List.of(
        new CeilingPart(),
        new NativePart(),
        new OutputPart(),
        new SafepointsPart(),
        new StreamsPart(),
        new WorkloadsPart(),
        new GridPart());
  }
}
