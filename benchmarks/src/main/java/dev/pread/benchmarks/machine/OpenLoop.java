/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Requests at a fixed rate, whether or not earlier ones are done, as users send them. A request's
 * latency counts from when it was due: while all threads are stuck, those that queue up behind them
 * wait too, which a loop that sends the next request after an answer would not notice.
 */
public final class OpenLoop {
  private static final long LONGEST_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** For requests that were due before the end and not served yet. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final int threads;
  private final Arrivals arrivals;
  private final Request request;

  /** Something to be served; by many threads at the same time. */
  public interface Request {
    /**
     * Serves it.
     *
     * @param number from 0
     */
    void serve(long number) throws IOException;
  }

  /** When a run is to end: a time that may become known only while it runs. Thread-safe. */
  public static final class End {
    private static final long OPEN = Long.MAX_VALUE;
    private final AtomicLong nanos = new AtomicLong(OPEN);
    private final long base = System.nanoTime();

    /** An end at a known time. */
    public static End after(double seconds) {
      End end = new End();
      end.nanos.set((long) (seconds * 1e9));
      return end;
    }

    /** Makes this moment the end. */
    public void now() {
      nanos.set(System.nanoTime() - base);
    }

    /** Whether a time is after the end by more than some nanoseconds. */
    private boolean isBefore(long time, long nanosMore) {
      long end = nanos.get();
      return end != OPEN && time - base > end + nanosMore;
    }
  }

  /**
   * What came of it.
   *
   * @param latencies of all requests that were due, nanoseconds; the caller's
   * @param unserved those of them that were still waiting long after the end; their latency is what
   *     they had waited by then
   */
  public record Detail(Histogram latencies, long unserved) {}

  /**
   * Requests that arrive as told; a second run goes on with the arrivals, from its own start.
   *
   * @param threads that serve
   * @param arrivals this loop's alone
   */
  public OpenLoop(int threads, Arrivals arrivals, Request request) {
    this.threads = threads;
    this.arrivals = arrivals;
    this.request = request;
  }

  /** Serves what is due until the end. */
  public Detail runInDetail(End end) throws IOException {
    long start = System.nanoTime() - arrivals.origin();
    AtomicLong numbers = new AtomicLong();
    AtomicLong unserved = new AtomicLong();
    List<Histogram> histograms =
        Workers.run(
            threads,
            i ->
                () -> {
                  Histogram histogram = new Histogram(3);
                  while (true) {
                    long number;
                    long due;
                    synchronized (arrivals) {
                      number = numbers.getAndIncrement();
                      due = start + arrivals.next();
                    }
                    if (!awaitDue(due, end)) {
                      return histogram;
                    }
                    if (end.isBefore(System.nanoTime(), GRACE_NANOS)) {
                      unserved.incrementAndGet();
                    } else {
                      request.serve(number);
                    }
                    histogram.recordValue(Math.max(0, System.nanoTime() - due));
                  }
                });
    Histogram all = new Histogram(3);
    histograms.forEach(all::add);
    return new Detail(all, unserved.get());
  }

  /** Waits until a request is due; false if that is after the end. */
  private static boolean awaitDue(long due, End end) throws InterruptedException {
    while (true) {
      if (end.isBefore(due, 0)) {
        return false;
      }
      long left = due - System.nanoTime();
      if (left <= 0) {
        return true;
      }
      LockSupport.parkNanos(Math.min(left, LONGEST_NAP_NANOS));
      if (Thread.interrupted()) {
        throw new InterruptedException("another thread failed");
      }
    }
  }
}
