/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.machine.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of parts that read an index that they build of a text. */
public final class IndexOptions {
  @Option(names = "--corpus", paramLabel = "PATH")
  private Path corpus;

  /** Checks them, and fills in the default. */
  public void check() {
    String remedy = corpus != null ? "name" : "install the JDK's source package, or name";
    Path source = Path.of(System.getProperty("java.home"), "lib", "src.zip");
    corpus = corpus != null ? corpus : source;
    if (!Files.exists(corpus)) {
      throw new UserError(
          "corpus " + corpus + " does not exist: " + remedy + " a folder or a zip file with text");
    }
  }

  /** Returns the text to index; null if none was named, before it is checked. */
  public Path corpus() {
    return corpus;
  }
}
