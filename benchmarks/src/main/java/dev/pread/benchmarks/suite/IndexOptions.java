/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.machine.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of parts that read an index: an existing one, or one that they build of a text. */
public final class IndexOptions {
  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description = "Text to index: a folder or a zip; default: the src.zip of this JDK")
  private Path corpus;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description = "An existing Lucene index instead of --corpus; it is not changed")
  private Path index;

  public void check() {
    if (index == null) {
      String remedy = corpus != null ? "name" : "install the JDK's source package, or name";
      Path source = Path.of(System.getProperty("java.home"), "lib", "src.zip");
      corpus = corpus != null ? corpus : source;
      if (!Files.exists(corpus)) {
        throw new UserError(
            "corpus "
                + corpus
                + " does not exist: "
                + remedy
                + " a folder or a zip file with text");
      }
      return;
    }
    if (corpus != null) {
      throw new UserError(
          "--index is an index that is there, --corpus a text: leave one of them out");
    }
    if (!Files.isDirectory(index)) {
      throw new UserError("index " + index + " does not exist: name the folder of a Lucene index");
    }
  }

  /** Returns the text to index, or null. */
  public Path corpus() {
    return corpus;
  }

  /** Returns the existing index, or null. */
  public Path index() {
    return index;
  }
}
