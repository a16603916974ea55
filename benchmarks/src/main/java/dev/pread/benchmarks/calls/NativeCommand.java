/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.ceiling.CeilingPart;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code native}: single system calls. */
@Command(
    name = "native",
    description =
        "Measures what single system calls cost through each backend and through the JDK, and reads"
            + " a file in the page cache into arrays.")
public final class NativeCommand extends SuiteCommand {
  @Mixin private NativeCallsPart part = new NativeCallsPart();

  /** Made by picocli. */
  public NativeCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingPart(), part);
  }
}
