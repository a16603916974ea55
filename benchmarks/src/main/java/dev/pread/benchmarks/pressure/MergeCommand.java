/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.workload.QueryKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pressure merge}: what searches suffer from a merge. */
@Command(
    name = "merge",
    description =
        "Searches an index at a fixed rate while it is merged into one segment, within the memory"
            + " limit: latencies before and during the merge, from when each query was due, and how"
            + " long the merge takes.")
final class MergeCommand extends PressurePart {
  private static final double MAX_MERGE_SECONDS = 4 * 3600;

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description = "Copy an existing index and merge the copy; default: one of --corpus")
  private Path index;

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description = "Text to index: a folder, a zip or a tar; default: the src.zip of the JDK")
  private Path corpus;

  @Option(
      names = "--copies",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "How often the segments of the corpus are in the index: the same documents again;"
              + " default: ${DEFAULT-VALUE}")
  private int copies;

  @Option(
      names = "--queries",
      paramLabel = "KIND",
      split = ",",
      defaultValue = "TERM,AND,OR,KEY,STORED",
      description = "Kinds of queries, of ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
  private List<QueryKind> queries = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "4",
      description = "Threads that search at the same time; default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Queries per second, of all threads together; default: ${DEFAULT-VALUE}")
  private double rate;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "5",
      description = "Seconds of searching that are not measured; default: ${DEFAULT-VALUE}")
  private double warmup;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description = "Seconds of searching before the merge begins; default: ${DEFAULT-VALUE}")
  private double seconds;

  /** Made by picocli. */
  MergeCommand() {}

  @Override
  void check() throws UserError {
    options().defaults(List.of("mmap", "niofs", "pread"), 1024 * MEBI, 256 * MEBI);
    directories();
    Checks.positive("--copies", copies);
    Checks.positive("--threads", threads);
    Checks.positive("--rate", rate);
    Checks.notNegative("--warmup", warmup);
    Checks.positive("--seconds", seconds);
    if (index != null && corpus != null) {
      throw new UserError("--index takes an index that is there: leave out --corpus");
    }
    if (index != null && !Files.isDirectory(index)) {
      throw new UserError("index " + index + " does not exist: name the folder of a Lucene index");
    }
    if (corpus != null && !Files.exists(corpus)) {
      throw new UserError(
          "corpus " + corpus + " does not exist: name a folder, a zip or a tar archive of text");
    }
  }

  @Override
  PartReport newReport() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("source", index != null ? "index" : "corpus");
    settings.put("copies", index != null ? 1 : copies);
    settings.put("queries", queries);
    settings.put("threads", threads);
    settings.put("queriesPerSecond", rate);
    settings.put("warmupSeconds", warmup);
    settings.put("quietSeconds", seconds);
    return new MergeReport(settings);
  }

  @Override
  void measure(TestBed bed, PartReport report) throws IOException, UserError, HitMismatch {
    MergeIndex source = new MergeIndex(bed.folder().path(), progress(), bed.stop());
    prepare(bed, source);
    if (bed.stop().requested()) {
      return;
    }
    bed.note(
        String.format(
            Locale.ROOT,
            "index %s, %d segments%s, memory limit %s, %.0f queries/s by %d threads, medians of %d"
                + " rounds",
            ByteSize.format(source.bytes()),
            source.segments(),
            index == null ? ", " + copies + " copies of the same documents" : "",
            options().memory() == 0 ? "none" : ByteSize.format(options().memory()),
            rate,
            threads,
            options().rounds()));
    List<ReadKind> kinds = directories();
    progress().start("measuring");
    int done = 0;
    for (int round = 0; round < options().rounds(); round++) {
      for (ReadKind kind : rotated(kinds, round)) {
        MergeReport.Slot slot = slot(bed, source, round, kind);
        if (slot == null) {
          return;
        }
        ((MergeReport) report).add(slot);
        progress().update(++done / (double) (options().rounds() * kinds.size()), kind.name());
      }
    }
  }

  private void prepare(TestBed bed, MergeIndex source) throws IOException, UserError {
    if (source.isThere()) {
      bed.note("index kept by an earlier run: --index, --corpus and --copies are that run's");
      return;
    }
    if (index != null) {
      // Twice: a merge writes about as much again.
      bed.folder().require(2 * MergeIndex.bytes(index));
      source.copy(index);
      return;
    }
    Path text = corpus == null ? Corpora.jdkSource() : corpus;
    bed.folder().require(Files.isRegularFile(text) ? 3L * copies * Files.size(text) : 0);
    source.build(text, copies);
  }

  private MergeReport.Slot slot(TestBed bed, MergeIndex source, int round, ReadKind kind)
      throws IOException, UserError, HitMismatch {
    Path slot = source.fresh(round + "-" + kind.name());
    try {
      bed.drop(MergeIndex.files(slot));
      MergeTask task =
          new MergeTask(
              kind.name(),
              slot.toString(),
              queries,
              new MergeTask.SearchLoad(threads, rate, warmup, seconds),
              options().seed());
      ChildJvm.Result<MergeTask.Result> result =
          new ChildJvm(bed, options().heap(), options().javaOptions())
              .run(kind.name(), task, MAX_MERGE_SECONDS);
      return result == null
          ? null
          : new MergeReport.Slot(round, kind.name(), result.value(), result.usage().peakBytes());
    } finally {
      IOUtils.rm(slot);
    }
  }
}
