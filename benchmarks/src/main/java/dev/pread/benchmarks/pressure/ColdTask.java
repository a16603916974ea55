/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.machine.ProcessFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;

/**
 * Random reads of a file that is not in memory yet, counted by the tenth of a second, by code that
 * is compiled already: it has read another file before, through another instance of the directory.
 *
 * @param directory by name
 * @param file of {@link DataPattern}, cold
 * @param warmFile another one, to compile the code by
 * @param load of the reads
 */
record ColdTask(String directory, String file, String warmFile, Load load)
    implements ChildTask<ColdTask.Result> {
  /** The last part of the time, which is taken for warm. */
  private static final double TAIL = 0.2;

  /** A prime number above the number of blocks: ranks times it are blocks all over the file. */
  private static final long SCATTER = 2_147_483_647;

  /**
   * What is read.
   *
   * @param threads that read
   * @param bytes of a read
   * @param zipf exponent, or 0 for all blocks alike
   * @param warmupSeconds on the other file
   * @param seconds on the cold one
   * @param seed of the positions; each thread has its own sequence
   */
  record Load(
      int threads, int bytes, double zipf, double warmupSeconds, double seconds, long seed) {}

  /**
   * What was measured.
   *
   * @param reads that ended in each interval, in order; only whole intervals
   * @param warmLatencies of the last intervals, nanoseconds
   * @param majorFaults of the process while the cold file was read
   */
  record Result(List<Long> reads, Histogram warmLatencies, long majorFaults) {}

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    int warm = (int) Math.ceil(load.warmupSeconds() * 1e9 / ColdCurve.INTERVAL_NANOS);
    if (warm > 0) {
      read(Path.of(warmFile), warm);
    }
    long before = ProcessFigures.majorFaults();
    List<Reader> readers =
        read(
            Path.of(file),
            Math.max(1, (int) Math.round(load.seconds() * 1e9 / ColdCurve.INTERVAL_NANOS)));
    List<Long> reads = new ArrayList<>();
    for (int i = 0; i < readers.get(0).counts.length; i++) {
      int interval = i;
      reads.add(readers.stream().mapToLong(reader -> reader.counts[interval]).sum());
    }
    Histogram latencies = new Histogram(3);
    readers.forEach(reader -> latencies.add(reader.latencies));
    return new Result(
        reads, latencies, before < 0 ? before : ProcessFigures.majorFaults() - before);
  }

  private List<Reader> read(Path path, int intervals) throws IOException, UserError, HitMismatch {
    long[] started = new long[1];
    CyclicBarrier barrier = new CyclicBarrier(load.threads(), () -> started[0] = System.nanoTime());
    SplittableRandom seeds = new SplittableRandom(load.seed());
    try (Directory opened = DirectoryKind.named(directory).openForReading(path.getParent());
        IndexInput master = opened.openInput(path.getFileName().toString(), IOContext.DEFAULT)) {
      return Workers.run(
          load.threads(),
          i -> {
            Reader reader = new Reader(master.clone(), seeds.split(), load, intervals);
            return () -> {
              Workers.await(barrier);
              reader.read(started[0]);
              return reader;
            };
          });
    }
  }

  /** One thread's reads. */
  private static final class Reader {
    private final IndexInput in;
    private final byte[] buffer;
    private final LongSupplier positions;
    private final long[] counts;
    private final Histogram latencies = new Histogram(3);

    Reader(IndexInput in, SplittableRandom random, Load load, int intervals) {
      this.in = in;
      this.buffer = new byte[load.bytes()];
      this.positions = positions(in.length() / load.bytes(), random, load);
      this.counts = new long[intervals];
    }

    private static LongSupplier positions(long blocks, SplittableRandom random, Load load) {
      if (load.zipf() == 0) {
        return () -> random.nextLong(blocks) * load.bytes();
      }
      DiscreteSampler ranks =
          RejectionInversionZipfSampler.of(random::nextLong, Math.toIntExact(blocks), load.zipf());
      return () -> ranks.sample() * SCATTER % blocks * load.bytes();
    }

    /** Reads until all intervals are over, and checks what comes. */
    void read(long start) throws IOException {
      long tail = (long) (counts.length * (1 - TAIL));
      long before = System.nanoTime();
      while (true) {
        long position = positions.getAsLong();
        in.seek(position);
        in.readBytes(buffer, 0, buffer.length);
        DataPattern.check(buffer, position, buffer.length);
        long now = System.nanoTime();
        long interval = (now - start) / ColdCurve.INTERVAL_NANOS;
        if (interval >= counts.length) {
          return;
        }
        counts[(int) interval]++;
        if (interval >= tail) {
          latencies.recordValue(now - before);
        }
        before = now;
      }
    }
  }
}
