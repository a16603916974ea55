/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Puts a server together for another program, which starts it by its {@code bin/opensearch}: {@code
 * AssembleMain JARS ZIP HOME}.
 */
public final class AssembleMain {

  private AssembleMain() {}

  /** Puts the server together as the class says. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 3) {
      throw new IllegalArgumentException("usage: AssembleMain JARS ZIP HOME");
    }
    ServerHome.assemble(
        Path.of(arguments[0]),
        Path.of(arguments[1]),
        Path.of(arguments[2]),
        Path.of(System.getProperty("java.home")));
  }
}
