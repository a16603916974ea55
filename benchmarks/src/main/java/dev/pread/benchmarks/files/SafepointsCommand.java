/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads beside {@link Disturbances}, in each way and with each collector, in a JVM of its own. */
@Command(name = "safepoints")
public final class SafepointsCommand extends FileCommand {
  private static final int THREADS = 16;
  private static final int BYTES = 8192;
  private static final List<Way> WAYS = List.of(Way.JNI, Way.FFM, Way.NAIVE_JNI, Way.NAIVE_FFM);

  @Option(names = "--cold-file-size", paramLabel = "SIZE")
  private Long fileSize;

  private double seconds;

  private record Conditions(String collector, int threads) {}

  @Override
  public void check(SuiteOptions options) {
    fileSize = fileLength("--cold-file-size", fileSize, (options.quick() ? 64 : 1024) * MEBI);
    seconds = options.quick() ? 0.5 : 10;
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path file = data("data", fileSize, 0);
    List<Way> available = available(WAYS, file);
    if (available.isEmpty()) {
      return;
    }
    // Dirty pages could not be dropped while it is read.
    PageCache.drop(file);
    session.rounds(
        name(),
        available,
        (way, round) -> {
          measure(way, file, "G1");
          measure(way, file, "Serial");
        });
  }

  private void measure(Way way, Path file, String collector) throws IOException {
    List<String> options = new ArrayList<>(SafepointLog.options(Disturbances.log(file)));
    options.addAll(List.of("-Xmx64m", "-Xms64m", "-XX:+Use" + collector + "GC"));
    // One thread for a collection: how long it takes shall not depend on who else runs.
    options.add("-XX:ParallelGCThreads=1");
    Map<String, Object> params =
        Map.of(
            "way", way,
            "bytes", BYTES,
            "file", file,
            "checkSeconds", seconds / 10,
            "watch", ReadBenchmark.Watch.DISTURBED);
    JmhTask.Times times = new JmhTask.Times(1, 1, seconds);
    Conditions conditions = new Conditions(collector, THREADS);
    run(
        way.contender(),
        JmhTask.of(ReadBenchmark.class, params, THREADS, times, options),
        2 * seconds,
        result -> result.value().figures(conditions, READS, Kernel.READS));
  }

  /**
   * Keeps a file out of the page cache while it is read, so that nearly every read waits for the
   * disk; provokes a safepoint every 10 ms and a collection every 50 ms, and tells how long they
   * take, in microseconds. The JVM writes a {@link SafepointLog} beside the file.
   */
  static final class Disturbances {
    private static final long DROP_MILLIS = 20;
    private static final long COLLECT_MILLIS = 50;

    private final Path file;
    private final Histogram collections = new Histogram(3);
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final List<Future<?>> going;
    private final ExecutorService ticker = SafepointLog.ticker();
    private final long start = System.nanoTime();

    Disturbances(Path file) {
      this.file = file;
      going = List.of(every(DROP_MILLIS, this::drop), every(COLLECT_MILLIS, this::collect));
    }

    static Path log(Path file) {
      return file.resolveSibling("safepoints.log");
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

    /** Ends them, and adds how long they took. */
    void end(Figures figures) throws IOException, InterruptedException {
      long end = System.nanoTime();
      ticker.close();
      threads.close();
      for (Future<?> one : going) {
        if (one.state() == Future.State.FAILED) {
          throw new IllegalStateException("a disturbance ended early", one.exceptionNow());
        }
      }
      Thread.sleep(COLLECT_MILLIS); // The log is written by a thread of its own.
      figures.addPauses("safepoint", SafepointLog.read(log(file), start, end).reaching());
      figures.addPauses("System.gc", collections);
    }
  }
}
