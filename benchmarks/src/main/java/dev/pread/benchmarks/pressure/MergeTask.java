/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.workload.Answer;
import dev.pread.benchmarks.workload.BenchQuery;
import dev.pread.benchmarks.workload.QueryDraw;
import dev.pread.benchmarks.workload.QueryKind;
import dev.pread.benchmarks.workload.QuerySet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
 * @param kinds of queries to ask
 * @param load of the searches
 * @param seed of the queries
 */
record MergeTask(String directory, String index, List<QueryKind> kinds, SearchLoad load, long seed)
    implements ChildTask<MergeTask.Result> {
  static final String NAME = "merge";

  /** Enough to differ, few enough to be asked once each before the measurement. */
  private static final int QUERIES_PER_KIND = 100;

  /**
   * How it is searched.
   *
   * @param threads that search
   * @param perSecond queries that are due
   * @param warmupSeconds not measured
   * @param quietSeconds measured before the merge begins
   */
  record SearchLoad(int threads, double perSecond, double warmupSeconds, double quietSeconds) {}

  /**
   * What was measured.
   *
   * @param mergeSeconds of the merge and the commit
   * @param segments before it
   * @param quiet searches without a merge
   * @param merging searches during the merge
   * @param majorFaults of the process during the merge
   */
  record Result(
      double mergeSeconds,
      int segments,
      OpenLoop.Outcome quiet,
      OpenLoop.Outcome merging,
      long majorFaults) {}

  @Override
  public String taskName() {
    return NAME;
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    try (FSDirectory opened = ReadKind.named(directory).openForWriting(Path.of(index));
        DirectoryReader reader = DirectoryReader.open(opened)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      Questions questions = Questions.ask(searcher, kinds, seed);
      OpenLoop loop =
          new OpenLoop(
              load.threads(), load.perSecond(), number -> questions.check(searcher, number));
      loop.run(OpenLoop.End.after(load.warmupSeconds()));
      OpenLoop.Outcome quiet = loop.run(OpenLoop.End.after(load.quietSeconds()));
      long faults = ProcessFigures.majorFaults();
      OpenLoop.End end = new OpenLoop.End();
      CompletableFuture<Double> merge = merge(opened, end);
      OpenLoop.Outcome merging = loop.run(end);
      return new Result(
          seconds(merge),
          reader.leaves().size(),
          quiet,
          merging,
          faults < 0 ? faults : ProcessFigures.majorFaults() - faults);
    }
  }

  private static CompletableFuture<Double> merge(FSDirectory opened, OpenLoop.End end) {
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
        task -> {
          Thread thread = new Thread(task, "force-merge");
          thread.setDaemon(true);
          thread.start();
        });
  }

  private static double seconds(CompletableFuture<Double> merge) throws IOException {
    try {
      return merge.join();
    } catch (CompletionException e) {
      throw new IOException("the merge failed", e.getCause());
    }
  }

  /** Queries with the answers they had first. Thread-safe. */
  private static final class Questions {
    private final List<BenchQuery> queries = new ArrayList<>();
    private final List<Answer> answers = new ArrayList<>();

    static Questions ask(IndexSearcher searcher, List<QueryKind> kinds, long seed)
        throws IOException, UserError {
      QuerySet set = QueryDraw.draw(searcher, seed);
      Questions questions = new Questions();
      // In turn, so that every stretch of time has all kinds in it.
      for (int i = 0; i < QUERIES_PER_KIND; i++) {
        for (QueryKind kind : kinds) {
          List<BenchQuery> drawn = set.queries().get(kind);
          if (drawn != null) {
            BenchQuery query = drawn.get(i % drawn.size());
            questions.queries.add(query);
            questions.answers.add(query.run(searcher));
          }
        }
      }
      if (questions.queries.isEmpty()) {
        throw new UserError("the index has no field for queries of " + kinds + ": name others");
      }
      return questions;
    }

    void check(IndexSearcher searcher, long number) throws IOException, HitMismatch {
      int which = (int) (number % queries.size());
      Answer answer = queries.get(which).run(searcher);
      if (!queries.get(which).same(answers.get(which), answer)) {
        throw new HitMismatch(
            "other hits than before the merge for the query " + queries.get(which), null);
      }
    }
  }
}
