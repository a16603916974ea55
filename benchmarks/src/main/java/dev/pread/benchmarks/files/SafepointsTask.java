/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.child.SafepointTicker;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Workers;
import dev.pread.posix.Advice;
import dev.pread.posix.Backends;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.IOContext;

/**
 * Threads that read a file at random while one more keeps dropping it from the page cache, so that
 * nearly every read waits for the disk; safepoints are provoked every 10 ms, and a collection every
 * 50 ms.
 *
 * @param way to read
 * @param collector of the JVM, {@code G1} or {@code Serial}
 * @param file of {@link DataPattern}
 * @param seconds to measure, after a fifth as long to warm up
 * @param log to have safepoints written to
 */
record SafepointsTask(Way way, String collector, String file, double seconds, String log)
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
   * @param collections from asking for one to its end
   */
  record Result(long reads, SafepointLog.Summary safepoints, Histogram collections) {}

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
    try (Source source = way.open(Path.of(file), BYTES, IOContext.DEFAULT)) {
      measure(source, seconds / 5);
      return measure(source, seconds);
    }
  }

  private Result measure(Source source, double howLong) throws IOException, UserError, HitMismatch {
    AtomicBoolean stopped = new AtomicBoolean();
    LongAdder reads = new LongAdder();
    Histogram collections = new Histogram(3);
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
                  default -> () -> read(source.reader(), number, blocks, stopped, reads);
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
    return new Result(reads.sum(), SafepointLog.read(Path.of(log), start, until), collections);
  }

  private static Void read(
      Source.BlockReader reader, int thread, long blocks, AtomicBoolean stopped, LongAdder reads)
      throws IOException {
    byte[] array = new byte[BYTES];
    for (long i = 0; !stopped.get(); i++) {
      long block = Math.floorMod(DataPattern.word(thread * (1L << 40) + i), blocks);
      reader.read(block * BYTES, array);
      DataPattern.check(array, block * BYTES, BYTES);
      reads.increment();
    }
    return null;
  }

  private Void drop(AtomicBoolean stopped) throws IOException {
    try (PosixFile opened = Backends.get(Backends.AUTO).open(Path.of(file), OpenMode.READ)) {
      while (!stopped.get()) {
        opened.advise(0, 0, Advice.DONTNEED);
        sleep(DROP_MILLIS);
      }
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
