/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.child.SafepointTicker;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.Libc;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Threads that read a file at random while one more keeps dropping it from the page cache, so that
 * nearly every read waits for the disk; safepoints are provoked every 10 ms, and a collection every
 * 50 ms.
 *
 * @param way to read, of {@link ColdReader#NAMES}
 * @param collector of the JVM, {@code G1} or {@code Serial}
 * @param file of {@link DataPattern}
 * @param seconds to measure, after a fifth as long to warm up
 * @param log to have safepoints written to
 */
record SafepointsTask(String way, String collector, String file, double seconds, String log)
    implements ChildTask<SafepointsTask.Result> {
  static final int THREADS = 16;
  static final int BYTES = 8192;
  private static final long DROP_MILLIS = 20;
  private static final long COLLECT_MILLIS = 50;

  /**
   * What was measured, times in nanoseconds.
   *
   * @param reads of {@link #BYTES} bytes
   * @param safepoints and the time to reach them
   * @param collections that were asked for
   * @param collectP50 the median of the time from asking for one to its end
   * @param collectP99 the 99th percentile
   * @param collectMax the longest
   */
  record Result(
      long reads,
      SafepointLog.Summary safepoints,
      long collections,
      double collectP50,
      double collectP99,
      double collectMax) {}

  @Override
  public String taskName() {
    return "safepoints";
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public List<String> jvmOptions() {
    List<String> options = new ArrayList<>(SafepointLog.options(Path.of(log)));
    options.add("-XX:+Use" + collector + "GC");
    // One thread for a collection: how long it takes shall not depend on who else runs.
    options.add("-XX:ParallelGCThreads=1");
    return options;
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    try (NativeWay.Reader reader = ColdReader.open(way, Path.of(file))) {
      measure(reader, seconds / 5);
      return measure(reader, seconds);
    }
  }

  private Result measure(NativeWay.Reader reader, double howLong)
      throws IOException, UserError, HitMismatch {
    AtomicBoolean stopped = new AtomicBoolean();
    LongAdder reads = new LongAdder();
    Histogram collections = Latencies.histogram();
    long blocks = Files.size(Path.of(file)) / BYTES;
    long start = System.nanoTime();
    long end = start + (long) (howLong * 1e9);
    SafepointTicker ticker = SafepointTicker.start();
    try {
      Workers.run(
          THREADS + 2,
          number -> {
            Callable<Void> work =
                switch (number) {
                  case 0 -> () -> drop(stopped);
                  case 1 -> () -> collect(end, stopped, collections);
                  default -> () -> read(reader, number, blocks, stopped, reads);
                };
            return () -> {
              try {
                return work.call();
              } finally {
                // Whoever ends, by the clock or by an error, ends all.
                stopped.set(true);
              }
            };
          });
    } finally {
      ticker.close();
    }
    long until = System.nanoTime();
    sleep(COLLECT_MILLIS); // The log is written by a thread of its own.
    return new Result(
        reads.sum(),
        SafepointLog.read(Path.of(log), start, until),
        collections.getTotalCount(),
        collections.getValueAtPercentile(50),
        collections.getValueAtPercentile(99),
        collections.getMaxValue());
  }

  private static Void read(
      NativeWay.Reader reader, int thread, long blocks, AtomicBoolean stopped, LongAdder reads)
      throws IOException, WrongBytesException {
    byte[] array = new byte[BYTES];
    for (long i = 0; !stopped.get(); i++) {
      long block = Math.floorMod(DataPattern.word(thread * (1L << 40) + i), blocks);
      reader.read(array, block * BYTES);
      DataPattern.check(array, block * BYTES, BYTES);
      reads.increment();
    }
    return null;
  }

  private Void drop(AtomicBoolean stopped) throws IOException {
    int fd = Libc.open(Path.of(file), Libc.O_RDONLY_CLOEXEC);
    try {
      while (!stopped.get()) {
        Libc.fadvise(fd, 0, 0, Libc.FADV_DONTNEED);
        sleep(DROP_MILLIS);
      }
    } finally {
      Libc.close(fd);
    }
    return null;
  }

  /** Asks for collections until the end, which is the end of all. */
  private static Void collect(long end, AtomicBoolean stopped, Histogram collections)
      throws IOException {
    while (!stopped.get() && System.nanoTime() - end < 0) {
      sleep(COLLECT_MILLIS);
      long asked = System.nanoTime();
      System.gc();
      collections.recordValue(System.nanoTime() - asked);
    }
    return null;
  }

  private static void sleep(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    }
  }
}
