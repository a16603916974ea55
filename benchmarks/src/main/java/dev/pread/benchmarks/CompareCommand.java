/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.measure.Measurement;
import dev.pread.benchmarks.report.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of {@code compare}: says what they mean, and that they make sense. */
@Command(
    name = "compare",
    description =
        "Searches one index through several directories in turn, checks that all return the same"
            + " hits, and prints throughput, latency and the ratio to mmap for nine kinds of"
            + " queries. Without options it indexes the JDK's own source.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:measured, and all directories return the same hits",
      "1:a directory returns other hits, or fails on a query",
      "2:something to put right: one line on standard error says what",
      "3:a defect of this tool",
      "130:stopped by Ctrl-C; the table shows what was measured"
    })
final class CompareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description =
          "Text to index: a folder, a zip, or a tar (also gz, xz, bz2); default: the src.zip of"
              + " the JDK that runs this")
  private Path corpus;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description = "Search an existing Lucene index instead of building one; it is only ever read")
  private Path index;

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
  private int threads;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "60",
      description =
          "Measuring time, all rounds together; checking and warming up come on top; default:"
              + " ${DEFAULT-VALUE}")
  private double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds to take medians over; default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Draws other queries; default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write everything there too: machine, JVM, the figures of every round")
  private Path json;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "An empty or new folder to build the index in; default: a temporary one, deleted at the"
              + " end")
  private Path work;

  @Option(
      names = "--keep-index",
      description = "Do not delete the index that was built, and say where it is")
  private boolean keepIndex;

  /** Made by picocli. */
  CompareCommand() {}

  @Override
  public Integer call() throws Exception {
    check();
    List<DirectoryKind> kinds = new ArrayList<>();
    for (String name : new LinkedHashSet<>(directories)) {
      kinds.add(DirectoryKind.named(name.strip()));
    }
    DirectoryKind writer = index == null ? DirectoryKind.named(buildWith) : null;
    Comparison.Options options =
        new Comparison.Options(
            kinds,
            new Comparison.Source(corpus, index, work, keepIndex, writer),
            new Measurement.Plan(threads, seconds, rounds),
            seed,
            json);
    Progress progress = new Progress(spec.commandLine().getErr(), Progress.onTerminal());
    try (StopSignal stop = StopSignal.ofShutdown()) {
      try {
        return new Comparison(options, spec.commandLine().getOut(), progress, stop).run();
      } finally {
        progress.wipe();
      }
    }
  }

  private void check() throws UserError {
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
  }
}
