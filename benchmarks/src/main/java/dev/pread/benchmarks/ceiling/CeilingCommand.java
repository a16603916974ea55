/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ceiling}: what no directory can beat. */
@Command(
    name = "ceiling",
    description =
        "Measures what no directory can beat: the device with O_DIRECT (fio, or a loop of pread(2)"
            + " through FFM where there is no fio), and copies in memory.")
public final class CeilingCommand extends SuiteCommand {
  @Mixin private CeilingPart part = new CeilingPart();

  /** Made by picocli. */
  public CeilingCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(part);
  }
}
