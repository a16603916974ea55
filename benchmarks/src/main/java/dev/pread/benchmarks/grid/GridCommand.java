/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.ceiling.CeilingPart;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code grid}: every way to read a file, where it fits into memory and where it does not. */
@Command(
    name = "grid",
    description =
        "Reads blocks of a file in every way there is, at random and in a row, with 1 to 16 threads,"
            + " where the file fits into memory, just does not, exceeds it, or is cold. JMH measures,"
            + " within a memory cgroup; every way's bytes are checked.")
public final class GridCommand extends SuiteCommand {
  @Mixin private GridOptions grid = new GridOptions();

  /** Made by picocli. */
  public GridCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingPart(), new GridPart(grid));
  }
}
