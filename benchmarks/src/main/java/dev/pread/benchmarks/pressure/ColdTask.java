/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Positions;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
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
 * @param threads that read
 * @param load of each thread; the warm-up is that of the code
 */
record ColdTask(String directory, String file, String warmFile, int threads, RandomTask.Load load)
    implements ChildTask<ColdTask.Result> {
  static final String NAME = "cold";

  /** Length of an interval. */
  static final long INTERVAL_NANOS = ColdCurve.INTERVAL_NANOS;

  /**
   * What was measured.
   *
   * @param reads that ended in each interval, in order; only whole intervals
   * @param majorFaults of the process while the cold file was read
   */
  record Result(List<Long> reads, long majorFaults) {}

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
    int intervals = Math.max(1, (int) Math.round(load.seconds() * 1e9 / INTERVAL_NANOS));
    int warm = (int) Math.ceil(load.warmupSeconds() * 1e9 / INTERVAL_NANOS);
    if (warm > 0) {
      read(Path.of(warmFile), warm);
    }
    long before = ProcessFigures.majorFaults();
    long[] reads = read(Path.of(file), intervals);
    return new Result(
        Arrays.stream(reads).boxed().toList(),
        before < 0 ? before : ProcessFigures.majorFaults() - before);
  }

  private long[] read(Path path, int intervals) throws IOException, UserError, HitMismatch {
    long[] started = new long[1];
    CyclicBarrier barrier = new CyclicBarrier(threads, () -> started[0] = System.nanoTime());
    SplittableRandom seeds = new SplittableRandom(load.seed());
    SplittableRandom[] random = new SplittableRandom[threads];
    Arrays.setAll(random, i -> seeds.split());
    long[] sum = new long[intervals];
    try (Directory opened = ReadKind.named(directory).openForReading(path.getParent());
        IndexInput master = opened.openInput(path.getFileName().toString(), IOContext.DEFAULT)) {
      List<long[]> counts =
          Workers.run(
              threads,
              i -> {
                IndexInput in = master.clone();
                return () -> {
                  Workers.await(barrier);
                  return count(in, random[i], started[0], new long[intervals]);
                };
              });
      for (long[] count : counts) {
        Arrays.setAll(sum, i -> sum[i] + count[i]);
      }
    }
    return sum;
  }

  private long[] count(IndexInput in, SplittableRandom random, long start, long[] counts)
      throws IOException {
    Positions positions = new Positions(in.length(), load.bytes(), load.zipf(), random);
    byte[] buffer = new byte[load.bytes()];
    while (true) {
      long position = positions.next();
      in.seek(position);
      in.readBytes(buffer, 0, buffer.length);
      DataPattern.check(buffer, position, buffer.length);
      long interval = (System.nanoTime() - start) / INTERVAL_NANOS;
      if (interval >= counts.length) {
        return counts;
      }
      counts[(int) interval]++;
    }
  }
}
