/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuitePart;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code server}: searches over HTTP with little memory. */
@Command(
    name = "server",
    description =
        "Measures the same searches over HTTP against an OpenSearch with a memory limit of a quarter"
            + " of the index, for each way it can store one. Needs an OpenSearch with the plugin"
            + " installed, and without its security plugin.")
public final class ServerCommand extends SuiteCommand {
  @Mixin private ServerPart part = new ServerPart();

  /** Made by picocli. */
  public ServerCommand() {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(part);
  }
}
