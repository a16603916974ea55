/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.load.Positions;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/**
 * Random reads through one directory, each thread with a clone of its own: first to warm up, then
 * to measure.
 *
 * @param directory by name
 * @param file of {@link DataPattern}
 * @param threads that read
 * @param load of each thread
 */
record RandomTask(String directory, String file, int threads, Load load)
    implements ChildTask<RandomTask.Result> {
  static final String NAME = "random";

  /**
   * What a thread does.
   *
   * @param bytes of a read
   * @param zipf exponent, or 0 for all blocks alike
   * @param seed of the positions; each thread has its own sequence
   * @param warmupSeconds not measured
   * @param seconds measured
   */
  record Load(int bytes, double zipf, long seed, double warmupSeconds, double seconds) {}

  /**
   * What was measured.
   *
   * @param elapsedNanos from the first thread's start to the last one's end
   * @param latencies of all reads
   * @param majorFaults of the process while it was measured
   */
  record Result(long elapsedNanos, Latencies latencies, long majorFaults) {}

  @Override
  public String taskName() {
    return NAME;
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    Path path = Path.of(file);
    long[] started = new long[2];
    CyclicBarrier barrier =
        new CyclicBarrier(
            threads,
            () -> {
              started[1] = ProcessFigures.majorFaults();
              started[0] = System.nanoTime();
            });
    try (Directory opened = ReadKind.named(directory).openForReading(path.getParent());
        IndexInput master = opened.openInput(path.getFileName().toString(), IOContext.DEFAULT)) {
      SplittableRandom seeds = new SplittableRandom(load.seed());
      SplittableRandom[] random = new SplittableRandom[threads];
      for (int i = 0; i < threads; i++) {
        random[i] = seeds.split();
      }
      List<Histogram> histograms =
          Workers.run(
              threads,
              i -> {
                Reader reader = new Reader(master.clone(), load, random[i]);
                return () -> {
                  reader.read(load.warmupSeconds(), null);
                  Workers.await(barrier);
                  Histogram histogram = Latencies.histogram();
                  reader.read(load.seconds(), histogram);
                  return histogram;
                };
              });
      long elapsed = System.nanoTime() - started[0];
      long faults = ProcessFigures.majorFaults();
      return new Result(
          elapsed, Latencies.of(histograms), faults < 0 ? faults : faults - started[1]);
    }
  }

  /** One thread's reads. */
  private static final class Reader {
    private final IndexInput in;
    private final int bytes;
    private final Positions positions;
    private final byte[] buffer;

    Reader(IndexInput in, Load load, SplittableRandom random) {
      this.in = in;
      this.bytes = load.bytes();
      this.positions = new Positions(in.length(), bytes, load.zipf(), random);
      this.buffer = new byte[bytes];
    }

    /** Reads until the time is up, and checks what comes. */
    void read(double seconds, Histogram histogram) throws IOException {
      long end = System.nanoTime() + (long) (seconds * 1e9);
      long before;
      while ((before = System.nanoTime()) - end < 0) {
        long position = positions.next();
        in.seek(position);
        in.readBytes(buffer, 0, bytes);
        if (histogram != null) {
          histogram.recordValue(System.nanoTime() - before);
        }
        DataPattern.check(buffer, position, bytes);
      }
    }
  }
}
