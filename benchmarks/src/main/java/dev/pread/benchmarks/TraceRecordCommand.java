/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.trace.Mix;
import dev.pread.benchmarks.trace.Workload;
import dev.pread.benchmarks.workload.QueryKind;
import dev.pread.benchmarks.workload.ZipfQueries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of {@code trace record}: says what they mean, and that they make sense. */
@Command(
    name = "record",
    description =
        "Runs the queries of compare, some of them far more often than others, and records in"
            + " order which blocks of which files they read. Without options it indexes the JDK's"
            + " own source.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false)
final class TraceRecordCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description =
          "The trace to write; with several mixes one each, with the mix at the end of its name")
  private Path out;

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description = "Text to index, as for compare; default: the JDK's src.zip")
  private Path corpus;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description =
          "Search an existing Lucene index instead of building one; it is only ever read (update"
              + " works on a copy)")
  private Path index;

  @Option(
      names = "--mix",
      paramLabel = "NAME",
      split = ",",
      description =
          "What goes on meanwhile: search, scan (reads all files from end to end now and then),"
              + " update (documents are updated, segments merged); default: all that the index"
              + " allows")
  private List<Mix> mixes = new ArrayList<>();

  @Option(
      names = "--kinds",
      paramLabel = "NAME",
      split = ",",
      description =
          "Kinds of queries, of term, and, or, phrase, sort, key, stored, range, knn; default: all"
              + " that the index has fields for")
  private List<QueryKind> kinds = new ArrayList<>();

  @Option(
      names = "--queries",
      paramLabel = "N",
      defaultValue = "40000",
      description = "Queries per mix; default: ${DEFAULT-VALUE}")
  private long queries;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "120",
      description = "A mix ends after this, whatever is left; default: ${DEFAULT-VALUE}")
  private double seconds;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Threads that search; with one, the same seed gives the same searches in the same order;"
              + " default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--skew",
      paramLabel = "S",
      defaultValue = "0.9",
      description =
          "How much more often a kind's first queries are asked than its last: the exponent of"
              + " Zipf's law, 0 for not at all; default: ${DEFAULT-VALUE}")
  private double skew;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Draws other queries; default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description = "An empty or new folder to build the index in; default: a temporary one")
  private Path work;

  /** Made by picocli. */
  TraceRecordCommand() {}

  @Override
  public Integer call() throws Exception {
    check();
    Recording.Options options =
        new Recording.Options(
            new Recording.Source(corpus, index, work),
            out,
            mixes,
            new ZipfQueries.Choice(kinds, skew),
            new Workload.Plan(queries, seconds, threads, seed));
    Progress progress = new Progress(spec.commandLine().getErr(), Progress.onTerminal());
    try (StopSignal stop = StopSignal.ofShutdown()) {
      try {
        return new Recording(options, spec.commandLine().getOut(), progress, stop).run();
      } finally {
        progress.wipe();
      }
    }
  }

  private void check() throws UserError {
    if (index != null && (corpus != null || work != null)) {
      throw new UserError("--index searches an index that is there: leave out --corpus and --work");
    }
    Checks.positive("--queries", (double) queries);
    Checks.positive("--seconds", seconds);
    Checks.positive("--threads", threads);
    if (!(skew >= 0) || skew > 10) {
      throw new UserError("--skew is " + skew + ": it must be between 0 and 10");
    }
    Checks.writable("--out", out);
  }
}
