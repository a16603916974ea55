/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.benchmarks.ceiling.CeilingPart;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code streams}: whole files in a row. */
@Command(
    name = "streams",
    description =
        "Writes and reads whole files through streams, channels, mappings and Lucene's outputs and"
            + " inputs.")
public final class StreamsCommand extends SuiteCommand {
  @Mixin private StreamsPart part = new StreamsPart();

  /** Made by picocli. */
  public StreamsCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(new CeilingPart(), part);
  }
}
