/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.files.CeilingCommand;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code workloads}: {@link WorkloadsPart} as a command. */
@Command(
    name = "workloads",
    description =
        "Measures Lucene directories by the workloads of key-value stores, on an index that exceeds"
            + " the memory it is given: loads, random reads, range scans, updates, and reads beside a"
            + " writer. Needs root on Linux.")
public final class WorkloadsCommand extends SuiteCommand {
  @Mixin private WorkloadsPart part = new WorkloadsPart();

  /** Made by picocli. */
  public WorkloadsCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingCommand(), part);
  }
}
