/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code safepoints}: who holds up the JVM while the disk is waited for. */
@Command(
    name = "safepoints",
    description =
        "Measures how long safepoints and collections are held up while 16 threads read a file that is"
            + " not in memory: through the backends, and in critical sections.")
public final class SafepointsCommand extends SuiteCommand {
  @Mixin private SafepointsPart part = new SafepointsPart();

  /** Made by picocli. */
  public SafepointsCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(part);
  }
}
