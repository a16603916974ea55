/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongPredicate;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.lucene.util.IOUtils;

/**
 * Lets threads serve requests. In a closed loop each sends its next request when the one before is
 * answered; throughput is measured so, since a thread that is stuck sends nothing that would feel
 * it. In an open loop requests are due at a rate, whether or not earlier ones are done, as users
 * send them. Latency counts from when a request was due: while all threads are stuck, those that
 * queue up behind them wait too.
 */
public final class Load {
  private static final double NANOS = 1e9;
  private static final long LONGEST_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private Load() {}

  /** Serves the request of a number, from 0; implementations must be thread-safe. */
  public interface Request {
    void serve(long number) throws IOException;
  }

  /** Says when a run is to end: at a time that may become known only while it runs. */
  public static final class End {
    private final CompletableFuture<Long> nanoTime = new CompletableFuture<>();

    public static End after(double seconds) {
      End end = new End();
      end.nanoTime.complete(System.nanoTime() + (long) (seconds * NANOS));
      return end;
    }

    public void now() {
      nanoTime.complete(System.nanoTime());
    }

    private boolean isBefore(long time) {
      return nanoTime.isDone() && time - nanoTime.join() > 0;
    }
  }

  /** Returns the nanoseconds between requests that are due at regular intervals. */
  public static DoubleSupplier even(double perSecond) {
    return () -> NANOS / perSecond;
  }

  /**
   * Draws the nanoseconds between requests of a Poisson process: independent and exponentially
   * distributed, as of many users who know nothing of each other. So requests come in bunches, and
   * queue up even where the average rate leaves room.
   */
  public static DoubleSupplier poisson(double perSecond, long seed) {
    UniformRandomProvider random = new SplittableRandom(seed)::nextLong;
    return ZigguratSampler.Exponential.of(random, NANOS / perSecond)::sample;
  }

  /**
   * Serves requests in a closed loop for a time, however late its threads begin at least some.
   *
   * @return the latencies in nanoseconds, here and below
   */
  public static Histogram closed(int threads, double seconds, Request request) throws IOException {
    long end = System.nanoTime() + (long) (seconds * NANOS);
    return closed(threads, number -> number < threads || System.nanoTime() - end < 0, request);
  }

  /** Serves requests in a closed loop, while there are more; the first failure ends all. */
  public static Histogram closed(int threads, LongPredicate more, Request request)
      throws IOException {
    AtomicLong numbers = new AtomicLong();
    return run(
        threads,
        own -> {
          long number = numbers.getAndIncrement();
          while (more.test(number)) {
            long before = System.nanoTime();
            request.serve(number);
            own.recordValue(System.nanoTime() - before);
            endIfInterrupted();
            number = numbers.getAndIncrement();
          }
        });
  }

  /**
   * Serves all that is due until the end, at intervals in nanoseconds, even if it takes longer than
   * that; the first failure ends all.
   */
  public static Histogram open(int threads, DoubleSupplier intervals, End end, Request request)
      throws IOException {
    Schedule schedule = new Schedule(intervals);
    return run(
        threads,
        own -> {
          Schedule.Slot slot = schedule.next();
          while (awaitDue(slot.due(), end)) {
            request.serve(slot.number());
            own.recordValue(Math.max(0, System.nanoTime() - slot.due()));
            slot = schedule.next();
          }
        });
  }

  private static final class Schedule {
    private final DoubleSupplier intervals;
    private final long start = System.nanoTime();
    private long number;
    private double next;

    Schedule(DoubleSupplier intervals) {
      this.intervals = intervals;
    }

    record Slot(long number, long due) {}

    synchronized Slot next() {
      Slot slot = new Slot(number++, start + (long) next);
      next += intervals.getAsDouble();
      return slot;
    }
  }

  /** Does what one thread has to do, and records the times of what is timed, if anything is. */
  public interface Loop {
    void run(Histogram own) throws IOException, InterruptedException;
  }

  /** Runs a loop in threads, and returns all times; the first failure interrupts the others. */
  public static Histogram run(int threads, Loop loop) throws IOException {
    Histogram all = new Histogram(3);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      ExecutorCompletionService<Histogram> completion = new ExecutorCompletionService<>(pool);
      for (int i = 0; i < threads; i++) {
        completion.submit(
            () -> {
              Histogram own = new Histogram(3);
              loop.run(own);
              return own;
            });
      }
      for (int i = 0; i < threads; i++) {
        all.add(completion.take().get());
      }
      return all;
    } catch (ExecutionException e) {
      throw IOUtils.rethrowAlways(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while threads were running", e);
    } finally {
      // They end before the files go that they work on.
      pool.shutdownNow();
      pool.close();
    }
  }

  /** Waits until a request is due; false if that is after the end, which may come meanwhile. */
  private static boolean awaitDue(long due, End end) throws InterruptedException {
    long left = due - System.nanoTime();
    while (left > 0 && !end.isBefore(due)) {
      TimeUnit.NANOSECONDS.sleep(Math.min(left, LONGEST_NAP_NANOS));
      left = due - System.nanoTime();
    }
    endIfInterrupted();
    return !end.isBefore(due);
  }

  private static void endIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("another thread failed");
    }
  }
}
