/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.Corpus;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.DirectoryOptions;
import dev.pread.benchmarks.suite.Figures;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteCommand;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pressure merge}: what searches suffer from a merge. */
@Command(
    name = "merge",
    description =
        "Searches an index at a fixed rate while it is merged into one segment, within the memory"
            + " limit: latencies before and during the merge, from when each query was due, and how"
            + " long the merge takes. Every answer is compared with the first one.")
final class MergeCommand extends SuiteCommand implements SuitePart {
  private static final double MAX_MERGE_SECONDS = 4 * 3600;
  private static final long MIN_HEAP = 256L << 20;

  @Mixin private DirectoryOptions directories = new DirectoryOptions();

  @Option(
      names = "--index",
      paramLabel = "DIR",
      description =
          "Merge links to an existing index, which stays as it is; default: one of --corpus")
  private Path index;

  @Option(
      names = "--corpus",
      paramLabel = "PATH",
      description = "Text to index: a folder, a zip or a tar; default: the src.zip of the JDK")
  private Path corpus;

  @Option(
      names = "--copies",
      paramLabel = "N",
      description =
          "How often the segments of the corpus are in the index: the same documents again;"
              + " default: 4")
  private int copies = 4;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that search at the same time; default: 4")
  private int threads = 4;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Queries per second, of all threads together; default: 200")
  private double rate = 200;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of searching before the merge begins, after half as long to warm up; default:"
              + " 10, with --quick 0.3")
  private Double seconds;

  /** Made by picocli. */
  MergeCommand() {}

  @Override
  public String name() {
    return "merge";
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    directories.check(options.memory(1024L << 20), MIN_HEAP);
    seconds = seconds != null ? seconds : Double.valueOf(options.quick() ? 0.3 : 10);
    Checks.positive("--copies", copies);
    Checks.positive("--threads", threads);
    Checks.positive("--rate", rate);
    Checks.positive("--seconds", seconds);
    if (index != null && corpus != null) {
      throw new UserError("--index takes an index that is there: leave out --corpus");
    }
    if (index != null && !Files.isDirectory(index)) {
      throw new UserError("index " + index + " does not exist: name the folder of a Lucene index");
    }
    corpus = corpus == null && index == null ? Corpora.jdkSource() : corpus;
    if (corpus != null) {
      Corpora.require(corpus);
    }
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(name(), session.options().memory(), bed -> measure(session, bed));
  }

  private void measure(Session session, TestBed bed) throws IOException, UserError, HitMismatch {
    Path work = bed.folder().path();
    Path source = work.resolve("index");
    String origin = index != null ? "index " + index.toAbsolutePath() : corpus + "|" + copies;
    if (Kept.take(work, source, origin, folder -> prepare(session, bed, folder, origin)) == null) {
      return;
    }
    session.note(
        String.format(
            Locale.ROOT,
            "merge: index of %s, %d segments%s",
            ByteSize.format(IndexFiles.bytes(source)),
            segments(source),
            index == null ? ", " + copies + " copies of the same documents" : ""));
    ChildJvm jvm = directories.jvm(bed);
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) -> {
          Path slot = work.resolve("slot");
          try {
            IndexFiles.link(source, slot);
            bed.drop(IndexFiles.of(slot));
            MergeTask task =
                new MergeTask(
                    kind.name(),
                    slot.toString(),
                    new MergeTask.Searches(threads, rate, seconds),
                    session.options().seed());
            ChildJvm.Result<MergeTask.Result> result =
                jvm.run(kind.name(), task, MAX_MERGE_SECONDS);
            if (result != null) {
              record(session, kind, result);
            }
          } finally {
            IOUtils.rm(slot);
          }
        });
  }

  private Kept prepare(Session session, TestBed bed, Path folder, String origin)
      throws IOException, UserError {
    if (index != null) {
      // A merge writes about as much again.
      bed.folder().require(2 * IndexFiles.bytes(index));
      IndexFiles.link(index, folder);
      return new Kept(origin, 0, 1);
    }
    bed.folder().require(Files.isRegularFile(corpus) ? 3L * copies * Files.size(corpus) : 0);
    Path once = folder.resolveSibling("once");
    try (Corpus text = Corpora.open(corpus);
        FSDirectory original = DirectoryKind.NEUTRAL.openForWriting(once);
        FSDirectory multiple = DirectoryKind.NEUTRAL.openForWriting(folder)) {
      long docs = new IndexBuilder(text, session.progress(), session.stop()).build(original).docs();
      IndexWriterConfig whole = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
      try (IndexWriter writer = new IndexWriter(multiple, whole)) {
        for (int i = 0; i < copies && !session.stop().requested(); i++) {
          writer.addIndexes(original);
        }
      }
      return session.stop().requested() ? null : new Kept(origin, copies * docs, copies);
    } finally {
      IOUtils.rm(once);
    }
  }

  private static int segments(Path folder) throws IOException, UserError {
    return IndexErrors.opening(
        folder,
        () -> {
          try (FSDirectory directory = DirectoryKind.NEUTRAL.openForReading(folder);
              DirectoryReader reader = DirectoryReader.open(directory)) {
            int segments = reader.leaves().size();
            if (segments < 2) {
              throw new UserError(
                  "the index has "
                      + segments
                      + " segment, and merging takes two: name another --index, or more --copies");
            }
            return segments;
          }
        });
  }

  private void record(Session session, DirectoryKind kind, ChildJvm.Result<MergeTask.Result> result)
      throws IOException {
    for (boolean merging : new boolean[] {false, true}) {
      Figures figures =
          new Figures(
              session.recorder(),
              name(),
              new TreeMap<>(
                  Map.of(
                      "searches",
                      merging ? "while merging" : "before",
                      "threads",
                      Integer.toString(threads))),
              kind.contender());
      OpenLoop.Detail searches = merging ? result.value().merging() : result.value().quiet();
      figures.addLatencies(searches.latencies(), "ms");
      figures.add(Metric.listedCost("unserved", ""), (double) searches.unserved());
      if (merging) {
        figures.add(Metric.cost("merge", "s"), result.value().mergeSeconds());
        figures.addKnown(Metric.listedCost("major faults", ""), result.value().majorFaults());
        figures.addKnown(Metric.listedCost("peak memory", "bytes"), result.usage().peakBytes());
      }
    }
  }
}
