/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.BenchQuery.Answer;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexBuilder;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.Kept;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.IndexOptions;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what searches suffer from a merge. */
@Command(name = "merge")
final class MergeCommand extends PressureCommand.Part {
  private static final double MERGE_SECONDS = 3600;

  @Mixin private IndexOptions sources = new IndexOptions();

  @Option(names = "--copies", paramLabel = "N")
  private int copies = 4;

  private double seconds;

  @Override
  public void check(SuiteOptions options) {
    check(options, 1024 * MEBI, 256 * MEBI);
    seconds = options.quick() ? 0.3 : 10;
    if (copies < 2) {
      throw new UserError("--copies is " + copies + ": merging takes two or more");
    }
    sources.check();
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path work = bed.folder().path();
    Path source = work.resolve("index");
    String origin = sources.corpus() + "|" + copies;
    Kept.take(work, source, origin, folder -> copies(folder, origin));
    long bytes = IndexFiles.bytes(IndexFiles.of(source));
    bed.folder().require(bytes); // A slot has hard links, and its merge writes as much again.
    String index = name() + ": index of " + ByteSize.format(bytes);
    session.note(index + ", " + copies + " copies of the same documents");
    measure(source, work.resolve("slot"));
  }

  private void measure(Path source, Path slot) throws IOException {
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) -> {
          try {
            IndexFiles.link(source, slot);
            bed.drop(IndexFiles.of(slot));
            run(
                kind.contender(),
                new MergeTask(kind.name(), slot.toString(), seconds),
                MERGE_SECONDS,
                result -> {
                  Figures merging = result.value().get(1);
                  merging.addKnown(PEAK_MEMORY, result.usage().peakBytes());
                  return result.value();
                });
          } finally {
            IOUtils.rm(slot);
          }
        });
  }

  private Kept copies(Path folder, String origin) throws IOException {
    Path once = folder.resolveSibling("once");
    IOUtils.rm(once); // A killed run leaves it.
    try (FSDirectory original = DirectoryKind.NEUTRAL.openForWriting(once);
        FSDirectory multiple = DirectoryKind.NEUTRAL.openForWriting(folder)) {
      long docs = IndexBuilder.build(original, sources.corpus(), session.progress());
      IndexWriterConfig whole = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
      try (IndexWriter writer = new IndexWriter(multiple, whole)) {
        for (int i = 0; i < copies; i++) {
          session.stop().check();
          writer.addIndexes(original);
        }
      }
      return new Kept(origin, copies * docs, copies);
    } finally {
      IOUtils.rm(once);
    }
  }

  /**
   * Searches an index at a fixed rate, first as it is and then while it is merged into one segment
   * through the same directory. The searches go on over the segments of before, and each of their
   * answers is compared with the first one.
   *
   * @param index is changed
   * @param quietSeconds before the merge begins, after half as long that is not measured
   */
  record MergeTask(String directory, String index, double quietSeconds)
      implements ChildJvm.Task<List<Figures>> {
    private static final int THREADS = 4;
    private static final double PER_SECOND = 200;

    private static final List<QueryKind> KINDS =
        List.of(QueryKind.TERM, QueryKind.AND, QueryKind.OR, QueryKind.KEY, QueryKind.STORED);

    /** Enough queries to differ, and few enough to be asked once each before the measurement. */
    private static final int QUERIES_PER_KIND = 100;

    private record Conditions(String searches, int threads) {}

    private record Question(BenchQuery query, Answer answer) {}

    @Override
    public List<Figures> run() throws IOException {
      try (FSDirectory opened = DirectoryKind.named(directory).openForWriting(Path.of(index));
          DirectoryReader reader = DirectoryReader.open(opened)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        List<Question> questions = ask(searcher);
        Load.Request request =
            number -> check(searcher, questions.get((int) (number % questions.size())));
        searches("warming up", Load.End.after(quietSeconds / 2), request);
        Figures quiet = searches("before", Load.End.after(quietSeconds), request);
        Load.End end = new Load.End();
        CompletableFuture<Double> merge = CompletableFuture.supplyAsync(() -> merge(opened, end));
        Figures merging = searches("while merging", end, request);
        merging.add(Metric.cost("merge", "s"), merge.join());
        return List.of(quiet, merging);
      } catch (CompletionException e) {
        throw new IOException("the merge failed", e.getCause());
      }
    }

    private static Figures searches(String when, Load.End end, Load.Request request)
        throws IOException {
      Figures figures = Figures.under(new Conditions(when, THREADS));
      figures.addLatencies(Load.open(THREADS, Load.even(PER_SECOND), end, request), "ms");
      return figures;
    }

    private static double merge(FSDirectory opened, Load.End end) {
      long start = System.nanoTime();
      try (IndexWriter writer = new IndexWriter(opened, new IndexWriterConfig())) {
        writer.forceMerge(1);
        writer.commit();
        return (System.nanoTime() - start) / 1e9;
      } catch (IOException e) {
        throw new CompletionException(e);
      } finally {
        end.now();
      }
    }

    /** Asks everything once; the kinds come in turn, so that every stretch of time has them all. */
    private List<Question> ask(IndexSearcher searcher) throws IOException {
      Map<QueryKind, List<BenchQuery>> queries = QueryDraw.draw(searcher, SEED);
      List<Question> questions = new ArrayList<>();
      for (int i = 0; i < QUERIES_PER_KIND; i++) {
        for (QueryKind kind : KINDS) {
          List<BenchQuery> drawn = queries.get(kind);
          if (drawn != null) {
            BenchQuery query = drawn.get(i % drawn.size());
            questions.add(new Question(query, query.run(searcher)));
          }
        }
      }
      return questions;
    }

    private static void check(IndexSearcher searcher, Question question) throws IOException {
      if (!question.query().same(question.answer(), question.query().run(searcher))) {
        throw new WrongResult("other hits than before the merge for the query " + question.query());
      }
    }
  }
}
