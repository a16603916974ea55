/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.measure;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.workload.Answer;
import dev.pread.benchmarks.workload.BenchQuery;
import dev.pread.benchmarks.workload.QueryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Runs queries of one kind through one directory on a fixed number of threads that share its
 * searcher, takes the time of each, and checks each answer. One slot at a time.
 */
final class SlotRunner implements AutoCloseable {
  private static final int SIGNIFICANT_DIGITS = 3;

  private final int threads;
  private final ExecutorService pool;
  private final Expected expected;
  private final StopSignal stop;

  SlotRunner(int threads, Expected expected, StopSignal stop) {
    this.threads = threads;
    this.pool = Executors.newFixedThreadPool(threads);
    this.expected = expected;
    this.stop = stop;
  }

  /**
   * A stretch of the endless repetition of a list of queries.
   *
   * @param kind of the queries
   * @param queries the list
   * @param from the first one's position; past the end it starts over
   * @param count how many to run at the most
   * @param maxNanos no query is begun later than this
   */
  record Stretch(QueryKind kind, List<BenchQuery> queries, long from, long count, long maxNanos) {}

  /**
   * Runs the stretch.
   *
   * @return null if stopped on the way
   */
  Slot run(int round, Stretch stretch, Contender contender) throws HitMismatch {
    AtomicLong next = new AtomicLong();
    List<Future<Histogram>> workers = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < threads; i++) {
      workers.add(pool.submit(() -> work(stretch, contender, next, start)));
    }
    Histogram all = new Histogram(SIGNIFICANT_DIGITS);
    long elapsed = 0;
    for (Future<Histogram> worker : workers) {
      all.add(await(worker));
      elapsed = System.nanoTime() - start;
    }
    if (stop.requested()) {
      return null;
    }
    return new Slot(
        round,
        stretch.kind(),
        contender.name(),
        all.getTotalCount(),
        elapsed,
        all.getValueAtPercentile(50),
        all.getValueAtPercentile(99),
        all.getMaxValue());
  }

  private Histogram work(Stretch stretch, Contender contender, AtomicLong next, long start)
      throws HitMismatch {
    Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
    long before = System.nanoTime();
    long i;
    try {
      while ((i = next.getAndIncrement()) < stretch.count()
          && before - start < stretch.maxNanos()
          && !stop.requested()) {
        int position = (int) ((stretch.from() + i) % stretch.queries().size());
        Answer answer = expected.ask(stretch.kind(), stretch.queries().get(position), contender);
        histogram.recordValue(System.nanoTime() - before);
        expected.check(stretch.kind(), stretch.queries(), position, answer, contender);
        before = System.nanoTime();
      }
    } catch (HitMismatch e) {
      next.set(stretch.count());
      throw e;
    }
    return histogram;
  }

  private static Histogram await(Future<Histogram> worker) throws HitMismatch {
    try {
      return worker.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HitMismatch mismatch) {
        throw mismatch;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
