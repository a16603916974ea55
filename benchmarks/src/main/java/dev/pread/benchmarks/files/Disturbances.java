/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Keeps a file out of the page cache while it is read, so that nearly every read waits for the
 * disk; provokes a safepoint every 10 ms and a collection every 50 ms, and tells how long they
 * take, in microseconds. The JVM writes a {@link SafepointLog} beside the file.
 */
final class Disturbances {
  private static final long DROP_MILLIS = 20;
  private static final long COLLECT_MILLIS = 50;

  private final Path file;
  private final Histogram collections = new Histogram(3);
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final ExecutorService ticker = SafepointLog.ticker();
  private final long start = System.nanoTime();

  /** Begins. */
  Disturbances(Path file) {
    this.file = file;
    every(DROP_MILLIS, this::drop);
    every(COLLECT_MILLIS, this::collect);
  }

  /** The log that the JVM is to write. */
  static Path log(Path file) {
    return file.resolveSibling("safepoints.log");
  }

  @SuppressWarnings("FutureReturnValueIgnored") // What fails does so once more at the end.
  private void every(long millis, Runnable action) {
    threads.scheduleWithFixedDelay(action, millis, millis, TimeUnit.MILLISECONDS);
  }

  private void drop() {
    try {
      PageCache.dropClean(file);
    } catch (IOException | UnavailableException e) {
      throw new IllegalStateException(e);
    }
  }

  private void collect() {
    long asked = System.nanoTime();
    System.gc();
    collections.recordValue(System.nanoTime() - asked);
  }

  /** Ends them, and adds how long they took. */
  void end(Figures figures) throws IOException, InterruptedException {
    long end = System.nanoTime();
    ticker.close();
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.MINUTES);
    drop();
    Thread.sleep(COLLECT_MILLIS); // The log is written by a thread of its own.
    SafepointLog.Summary reached = SafepointLog.read(log(file), start, end);
    add(figures, "safepoint", reached.p50(), reached.p99(), reached.max());
    double p50 = collections.getValueAtPercentile(50);
    double p99 = collections.getValueAtPercentile(99);
    add(figures, "System.gc", p50, p99, collections.getMaxValueAsDouble());
  }

  private static void add(Figures figures, String what, double p50, double p99, double max) {
    figures.add(Metric.listedCost(what + " p50", "us"), p50 / 1e3);
    figures.add(Metric.cost(what + " p99", "us"), p99 / 1e3);
    figures.add(Metric.listedCost(what + " max", "us"), max / 1e3);
  }
}
