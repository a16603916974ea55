/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexErrors;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
final class MergeCommand extends PressurePart {
  private static final double MERGE_SECONDS = 3600;

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(
      names = "--copies",
      paramLabel = "N",
      description =
          "How often the segments of the corpus are in the index: the same documents again;"
              + " default: 4")
  private int copies = 4;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Queries per second, of all threads together; default: 200")
  private double rate = 200;

  private double seconds;

  @Override
  public void check(SuiteOptions options) {
    check(options, 1024 * MEBI, 256 * MEBI);
    seconds = options.quick() ? 0.3 : 10;
    Checks.positive("--copies", copies);
    Checks.positive("--rate", rate);
    sources.check();
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    Path work = bed.folder().path();
    Path source = work.resolve("index");
    String origin =
        sources.index() != null
            ? "index " + sources.index().toAbsolutePath()
            : sources.corpus() + "|" + copies;
    if (Kept.take(work, source, origin, folder -> prepare(session, bed, folder, origin)) == null) {
      return;
    }
    session.note(
        String.format(
            Locale.ROOT,
            "merge: index of %s, %d segments%s",
            ByteSize.format(IndexFiles.bytes(source)),
            segments(source),
            sources.index() == null ? ", " + copies + " copies of the same documents" : ""));
    ChildJvm jvm = directories().jvm(bed);
    long seed = session.options().seed();
    session.rounds(
        name(),
        directories().kinds(),
        (kind, round) -> {
          Path slot = work.resolve("slot");
          try {
            IndexFiles.link(source, slot);
            bed.drop(IndexFiles.of(slot));
            run(
                jvm,
                kind,
                new MergeTask(kind.name(), slot.toString(), rate, seconds, seed),
                MERGE_SECONDS,
                result -> {
                  MergeTask.Result merged = result.value();
                  Metric peak = Metric.listedCost("peak memory", "bytes");
                  merged.merging().addKnown(peak, result.usage().peakBytes());
                  session.recorder().add(name(), kind.contender(), merged.quiet());
                  session.recorder().add(name(), kind.contender(), merged.merging());
                });
          } finally {
            IOUtils.rm(slot);
          }
        });
  }

  private Kept prepare(Session session, TestBed bed, Path folder, String origin)
      throws IOException {
    if (sources.index() != null) {
      // A merge writes about as much again.
      bed.folder().require(2 * IndexFiles.bytes(sources.index()));
      IndexFiles.link(sources.index(), folder);
      return new Kept(origin, 0, 1);
    }
    bed.folder()
        .require(
            Files.isRegularFile(sources.corpus()) ? 3L * copies * Files.size(sources.corpus()) : 0);
    Path once = folder.resolveSibling("once");
    try (FSDirectory original = DirectoryKind.NEUTRAL.openForWriting(once);
        FSDirectory multiple = DirectoryKind.NEUTRAL.openForWriting(folder)) {
      long docs =
          IndexBuilder.build(original, sources.corpus(), session.progress(), session.stop());
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

  private static int segments(Path folder) throws IOException {
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
}
