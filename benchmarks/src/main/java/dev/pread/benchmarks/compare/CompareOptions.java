/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.compare;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.measure.Measurement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code compare}. */
final class CompareOptions {
  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description =
          "Text to index: a folder, a zip, or a tar (also gz, xz, bz2); default: the src.zip of"
              + " the JDK that runs this")
  Path corpus;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description = "Search an existing Lucene index instead of building one; it is only ever read")
  Path index;

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "mmap,niofs,pread",
      description =
          "What to search through: mmap, niofs, pread, direct, or class names; default: ${DEFAULT-VALUE}")
  private List<String> directories = new ArrayList<>();

  @Option(
      names = "--build-with",
      paramLabel = "NAME",
      defaultValue = "pread",
      description = "The directory that writes the index; default: ${DEFAULT-VALUE}")
  private String buildWith;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that search at the same time; default: ${DEFAULT-VALUE}")
  int threads;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "60",
      description =
          "Measuring time, all rounds together; checking and warming up come on top; default:"
              + " ${DEFAULT-VALUE}")
  double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds to take medians over; default: ${DEFAULT-VALUE}")
  int rounds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Draws other queries; default: ${DEFAULT-VALUE}")
  long seed;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write everything there too: machine, JVM, the figures of every round")
  Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with tables and plots there, which needs no other file")
  Path html;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "An empty, new or kept folder to build the index in; default: a temporary one, deleted at"
              + " the end")
  Path work;

  @Option(
      names = "--keep-index",
      description = "Do not delete the index that was built, and say where it is")
  boolean keepIndex;

  /** The directories; the first is the reference for hits. */
  final List<DirectoryKind> kinds = new ArrayList<>();

  /** The directory that the index is built through; null if it is given. */
  DirectoryKind writer;

  /** How much to measure. */
  Measurement.Plan plan() {
    return new Measurement.Plan(threads, seconds, rounds);
  }

  /** Checks that they make sense. */
  void check() throws UserError {
    if (index != null && (corpus != null || work != null || keepIndex)) {
      throw new UserError(
          "--index searches an index that is there: leave out --corpus, --work and --keep-index");
    }
    Checks.positive("--threads", threads);
    Checks.positive("--rounds", rounds);
    Checks.positive("--seconds", seconds);
    if (directories.isEmpty()) {
      throw new UserError("--directories names none: name at least one");
    }
    if (json != null) {
      Checks.writable("--json", json);
    }
    if (html != null) {
      Checks.writable("--html", html);
    }
    for (String name : new LinkedHashSet<>(directories)) {
      kinds.add(DirectoryKind.named(name.strip()));
    }
    writer = index == null ? DirectoryKind.named(buildWith) : null;
  }
}
