/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Keeps a file out of the page cache while it is read, so that nearly every read waits for the
 * disk; provokes a safepoint every 10 ms and a collection every 50 ms, and reports how long they
 * take, in microseconds. The JVM writes a {@link SafepointLog} beside the file.
 */
public final class Disturbances implements InternalProfiler {
  private static final long DROP_MILLIS = 20;
  private static final long COLLECT_MILLIS = 50;

  private final Path file;
  private Histogram collections;
  private ScheduledExecutorService threads;
  private List<Future<?>> going;
  private ExecutorService ticker;
  private long start;

  /** Made by JMH, with the file that is read. */
  public Disturbances(String file) {
    this.file = Path.of(file);
  }

  /** The log that the JVM is to write. */
  static Path log(Path file) {
    return file.resolveSibling("safepoints.log");
  }

  @Override
  public String getDescription() {
    return "time to safepoints, and of collections, while reads wait for the disk";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    collections = new Histogram(3);
    threads = Executors.newScheduledThreadPool(2);
    going = List.of(every(DROP_MILLIS, this::drop), every(COLLECT_MILLIS, this::collect));
    ticker = SafepointLog.ticker();
    start = System.nanoTime();
  }

  private Future<?> every(long millis, Runnable action) {
    return threads.scheduleWithFixedDelay(action, millis, millis, TimeUnit.MILLISECONDS);
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

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    long end = System.nanoTime();
    ticker.close();
    threads.shutdown();
    try {
      threads.awaitTermination(1, TimeUnit.MINUTES);
      for (Future<?> one : going) {
        if (one.state() == Future.State.FAILED) {
          throw new IllegalStateException("ended early", one.exceptionNow());
        }
      }
      Thread.sleep(COLLECT_MILLIS); // The log is written by a thread of its own.
      SafepointLog.Summary reached = SafepointLog.read(log(file), start, end);
      List<ScalarResult> results = new ArrayList<>();
      add(results, "safepoint", reached.p50(), reached.p99(), reached.max());
      double p50 = collections.getValueAtPercentile(50);
      double p99 = collections.getValueAtPercentile(99);
      double max = collections.getMaxValueAsDouble();
      add(results, "System.gc", p50, p99, max);
      return results;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  private static void add(
      List<ScalarResult> results, String what, double p50, double p99, double max) {
    results.add(new ScalarResult(what + " p50", p50 / 1e3, "us", AggregationPolicy.MAX));
    results.add(new ScalarResult(what + " p99", p99 / 1e3, "us", AggregationPolicy.MAX));
    results.add(new ScalarResult(what + " max", max / 1e3, "us", AggregationPolicy.MAX));
  }
}
