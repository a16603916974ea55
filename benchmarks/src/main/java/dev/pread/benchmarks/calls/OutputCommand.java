/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.ceiling.CeilingPart;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code output}: what asking a writer for its position costs. */
@Command(
    name = "output",
    description =
        "Measures writers that are asked for their position after every write beside some that are"
            + " not: time, and system calls.")
public final class OutputCommand extends SuiteCommand {
  @Mixin private OutputPart part = new OutputPart();

  /** Made by picocli. */
  public OutputCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingPart(), part);
  }
}
