/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.Libc;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import org.HdrHistogram.Histogram;

/**
 * What stands in for fio where there is none: threads that call {@code pread(2)} through FFM on a
 * descriptor with O_DIRECT, into memory of their own, and check the ends of what comes.
 *
 * @param file of {@link DataPattern}, longer than a read
 * @param job whose engine and depth are left aside: there is one way, one read at a time
 */
record FfmLoopTask(String file, FioJob job) implements ChildTask<FfmLoopTask.Result> {
  private static final int ALIGNMENT = 4096;
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * What was measured.
   *
   * @param readsPerMs of all threads
   * @param latencies of all reads
   * @param unavailable why there is nothing else, or null
   */
  record Result(double readsPerMs, Latencies latencies, String unavailable) {}

  @Override
  public String taskName() {
    return "ceiling";
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    Path path = Path.of(file);
    int fd;
    try {
      fd = Libc.open(path, Libc.directReadFlags());
    } catch (UnavailableException | IOException e) {
      return new Result(0, null, e.getMessage() + ": use --work on a file system with O_DIRECT");
    }
    try {
      return measure(fd, Files.size(path) / job.reads().bytes());
    } finally {
      Libc.close(fd);
    }
  }

  private Result measure(int fd, long blocks) throws IOException, UserError, HitMismatch {
    long[] started = new long[1];
    CyclicBarrier barrier = new CyclicBarrier(job.jobs(), () -> started[0] = System.nanoTime());
    List<Histogram> histograms =
        Workers.run(job.jobs(), i -> worker(new Positions(blocks, i), fd, barrier));
    double elapsedMs = (System.nanoTime() - started[0]) / 1e6;
    Latencies latencies = Latencies.of(histograms);
    return new Result(latencies.count() / elapsedMs, latencies, null);
  }

  private Callable<Histogram> worker(Positions positions, int fd, CyclicBarrier barrier) {
    return () -> {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocate(job.reads().bytes(), ALIGNMENT);
        read(fd, memory, positions, job.warmupSeconds(), Latencies.histogram());
        Workers.await(barrier);
        Histogram histogram = Latencies.histogram();
        read(fd, memory, positions, job.seconds(), histogram);
        return histogram;
      }
    };
  }

  private static void read(
      int fd, MemorySegment memory, Positions positions, double seconds, Histogram histogram)
      throws IOException {
    long address = memory.address();
    long bytes = memory.byteSize();
    long end = System.nanoTime() + (long) (seconds * 1e9);
    long before;
    while ((before = System.nanoTime()) - end < 0) {
      long offset = positions.next() * bytes;
      Libc.pread(fd, address, bytes, offset);
      histogram.recordValue(System.nanoTime() - before);
      check(memory, offset);
    }
  }

  /** As {@link DataPattern#check}, of native memory. */
  private static void check(MemorySegment memory, long offset) throws WrongBytesException {
    long last = memory.byteSize() - Long.BYTES;
    if (memory.get(WORD, 0) != DataPattern.word(offset)
        || memory.get(WORD, last) != DataPattern.word(offset + last)) {
      throw new WrongBytesException(offset, (int) memory.byteSize());
    }
  }

  /** The blocks that a thread reads: any, or those of its part of the file in a row. */
  private final class Positions {
    private final SplittableRandom random;
    private final long blocks;
    private final long begin;
    private long next;

    Positions(long blocks, int thread) {
      this.random = new SplittableRandom(thread);
      this.blocks = job.reads().sequential() ? Math.max(1, blocks / job.jobs()) : blocks;
      this.begin = thread * this.blocks % blocks;
    }

    long next() {
      return job.reads().sequential() ? begin + next++ % blocks : random.nextLong(blocks);
    }
  }
}
