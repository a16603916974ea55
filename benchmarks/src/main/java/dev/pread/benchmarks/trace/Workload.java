/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.workload.ZipfQueries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.ChecksumIndexInput;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/**
 * Runs a {@link Mix} over a directory, in rounds of so many queries. With one search thread the
 * same seed makes the same searches and scans in the same order; merges run when they run.
 */
public final class Workload {
  private static final int ROUNDS = 40;

  /** A scan after each so many rounds, but not at the end, where it would do no harm. */
  private static final int ROUNDS_PER_SCAN = 8;

  private static final int QUERIES_PER_UPDATE = 4;

  private static final int SCAN_BUFFER_BYTES = 1 << 14;

  private final ZipfQueries queries;
  private final Plan plan;
  private final Progress progress;
  private final StopSignal stop;
  private final AtomicLong done = new AtomicLong();
  private volatile long deadline;

  /**
   * How much to do.
   *
   * @param queries for all threads together
   * @param seconds after which no query is begun, however many are left
   * @param threads that search
   * @param seed of what is drawn
   */
  public record Plan(long queries, double seconds, int threads, long seed) {}

  /** Draws from the queries as the plan says. */
  public Workload(ZipfQueries queries, Plan plan, Progress progress, StopSignal stop) {
    this.queries = queries;
    this.plan = plan;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Runs the mix until the queries or the seconds are used up, or until stopped.
   *
   * @param directory holds an index; {@link Mix#UPDATE} writes to it, the others do not
   * @return how many queries were run
   */
  public long run(Mix mix, Directory directory) throws IOException {
    done.set(0);
    deadline = System.nanoTime() + (long) (plan.seconds() * TimeUnit.SECONDS.toNanos(1));
    progress.start("recording " + mix.label());
    ExecutorService pool = Executors.newFixedThreadPool(plan.threads() + 1);
    try {
      if (mix == Mix.UPDATE) {
        update(directory, pool);
      } else {
        search(directory, pool, mix == Mix.SCAN);
      }
    } finally {
      pool.close();
    }
    return done.get();
  }

  private void search(Directory directory, ExecutorService pool, boolean scans) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      for (int round = 0; round < ROUNDS && !isOver(); round++) {
        if (scans && round > 0 && round % ROUNDS_PER_SCAN == 0) {
          scan(directory, reader, round / ROUNDS_PER_SCAN % 2 == 1);
        }
        await(searches(pool, reader, round));
      }
    }
  }

  /**
   * Reads every file of the commit from end to end: announced as such, as Lucene does to verify
   * checksums, or like a tool that copies an index and announces nothing.
   */
  private void scan(Directory directory, DirectoryReader reader, boolean announced)
      throws IOException {
    byte[] buffer = new byte[SCAN_BUFFER_BYTES];
    for (String name : reader.getIndexCommit().getFileNames()) {
      if (announced) {
        try (ChecksumIndexInput in = directory.openChecksumInput(name)) {
          in.seek(in.length());
        }
        continue;
      }
      try (IndexInput in = directory.openInput(name, IOContext.DEFAULT)) {
        for (long left = in.length(); left > 0 && !isOver(); left -= buffer.length) {
          in.readBytes(buffer, 0, (int) Math.min(left, buffer.length));
        }
      }
    }
  }

  private void update(Directory directory, ExecutorService pool) throws IOException {
    try (Updates updates = new Updates(directory, plan.seed())) {
      for (int round = 0; round < ROUNDS && !isOver(); round++) {
        DirectoryReader reader = updates.reader();
        long documents = share(round) / QUERIES_PER_UPDATE;
        List<Future<?>> tasks = searches(pool, reader, round);
        tasks.add(pool.submit(work(() -> updates.round(documents, stop))));
        await(tasks);
      }
    }
  }

  private long share(int round) {
    return plan.queries() * (round + 1) / ROUNDS - plan.queries() * round / ROUNDS;
  }

  private List<Future<?>> searches(ExecutorService pool, IndexReader reader, int round) {
    IndexSearcher searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    SplittableRandom randoms = new SplittableRandom(plan.seed() * ROUNDS + round);
    AtomicLong left = new AtomicLong(share(round));
    List<Future<?>> tasks = new ArrayList<>();
    for (int i = 0; i < plan.threads(); i++) {
      SplittableRandom random = randoms.split();
      tasks.add(pool.submit(work(() -> search(searcher, random, left))));
    }
    return tasks;
  }

  private Void search(IndexSearcher searcher, SplittableRandom random, AtomicLong left)
      throws IOException {
    while (!isOver() && left.getAndDecrement() > 0) {
      queries.draw(random).run(searcher);
      progress.update((double) done.incrementAndGet() / plan.queries(), "");
    }
    return null;
  }

  /** A task that stops the others when it fails. */
  private Callable<Void> work(Callable<Void> task) {
    return () -> {
      try {
        return task.call();
      } catch (Exception | Error e) {
        deadline = System.nanoTime();
        throw e;
      }
    };
  }

  private boolean isOver() {
    return stop.requested() || System.nanoTime() - deadline >= 0;
  }

  private static void await(List<Future<?>> tasks) throws IOException {
    try {
      for (Future<?> task : tasks) {
        task.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("recording failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while recording", e);
    }
  }
}
