/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.WrongResult;
import dev.pread.benchmarks.index.BenchQuery;
import dev.pread.benchmarks.index.BenchQuery.Answer;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.QueryDraw;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
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
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;

/**
 * Searches an index at a fixed rate, first as it is and then while it is merged into one segment
 * through the same directory. The searches go on over the segments of before, and each of their
 * answers is compared with the first one.
 *
 * @param directory by name
 * @param index folder of it; it is changed
 * @param perSecond searches that are due
 * @param quietSeconds before the merge begins, after half as long that is not measured
 * @param seed of the queries
 */
record MergeTask(String directory, String index, double perSecond, double quietSeconds, long seed)
    implements ChildTask<MergeTask.Result> {
  /** That search. */
  private static final int THREADS = 4;

  private static final List<QueryKind> KINDS =
      List.of(QueryKind.TERM, QueryKind.AND, QueryKind.OR, QueryKind.KEY, QueryKind.STORED);

  /** Enough to differ, few enough to be asked once each before the measurement. */
  private static final int QUERIES_PER_KIND = 100;

  /**
   * What was measured.
   *
   * @param quiet searches without a merge
   * @param merging the merge, and searches during it
   */
  record Result(Figures quiet, Figures merging) {}

  private record Conditions(String searches, int threads) {}

  /** A query with the answer it had first. */
  private record Question(BenchQuery query, Answer answer) {}

  @Override
  public Result run() throws IOException {
    try (FSDirectory opened = DirectoryKind.named(directory).openForWriting(Path.of(index));
        DirectoryReader reader = DirectoryReader.open(opened)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      List<Question> questions = ask(searcher);
      Load.Request request =
          number -> check(searcher, questions.get((int) (number % questions.size())));
      searches("warming up", Load.End.after(quietSeconds / 2), request);
      Figures quiet = searches("before", Load.End.after(quietSeconds), request);
      long faults = ProcessFigures.majorFaults();
      Load.End end = new Load.End();
      CompletableFuture<Double> merge = merge(opened, end);
      Figures merging = searches("while merging", end, request);
      merging.add(Metric.cost("merge", "s"), merge.join());
      merging.addKnown(
          Metric.listedCost("major faults", ""),
          faults < 0 ? faults : ProcessFigures.majorFaults() - faults);
      return new Result(quiet, merging);
    } catch (CompletionException e) {
      throw new IOException("the merge failed", e.getCause());
    }
  }

  private Figures searches(String when, Load.End end, Load.Request request) throws IOException {
    Load.Outcome outcome = Load.open(THREADS, Load.even(perSecond), end, request);
    Figures figures = Figures.under(new Conditions(when, THREADS));
    figures.addLatencies(outcome.latencies(), "ms");
    figures.add(Metric.listedCost("unserved", ""), (double) outcome.unserved());
    return figures;
  }

  private static CompletableFuture<Double> merge(FSDirectory opened, Load.End end) {
    return CompletableFuture.supplyAsync(
        () -> {
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
        },
        task -> Thread.ofPlatform().name("force-merge").daemon().start(task));
  }

  /** Asks everything once; the kinds come in turn, so that every stretch of time has them all. */
  private List<Question> ask(IndexSearcher searcher) throws IOException {
    Map<QueryKind, List<BenchQuery>> queries = QueryDraw.draw(searcher, seed);
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
    if (questions.isEmpty()) {
      throw new UserError("the index has no field for queries of " + KINDS + ": name another");
    }
    return questions;
  }

  private static void check(IndexSearcher searcher, Question question) throws IOException {
    if (!question.query().same(question.answer(), question.query().run(searcher))) {
      throw new WrongResult("other hits than before the merge for the query " + question.query());
    }
  }
}
