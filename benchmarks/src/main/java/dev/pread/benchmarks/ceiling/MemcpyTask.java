/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.Workers;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.posix.Backends;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

/**
 * Copies blocks at random out of memory in huge pages, each thread into an array of its own: what
 * no read can beat that leaves its bytes in the heap. The arrays are filled by calls into the
 * runtime that no compiler leaves out, and what is in them is checked: every copy in the warm-up,
 * one of {@value #CHECK_EVERY} while it is measured.
 *
 * @param regionBytes copied out of
 * @param bytes of a copy, one slot after the other
 * @param threads at the same time, for each length
 * @param warmupSeconds of each slot, not measured
 * @param seconds of each slot, measured
 */
record MemcpyTask(
    int regionBytes,
    List<Integer> bytes,
    List<Integer> threads,
    double warmupSeconds,
    double seconds)
    implements ChildTask<MemcpyTask.Result> {
  private static final int CHECK_EVERY = 1024;

  /** Copies between two looks at the clock. */
  private static final int BATCH = 128;

  private static final Path SMAPS = Path.of("/proc/self/smaps_rollup");
  private static final String HUGE_LINE = "AnonHugePages:";

  /**
   * All slots.
   *
   * @param hugeBytes of the process in huge pages; -1 if the kernel does not tell
   * @param slots in the order they were measured
   */
  record Result(long hugeBytes, List<Slot> slots) {}

  /** Copies/ms of a length by a number of threads. */
  record Slot(int bytes, int threads, double copiesPerMs) {}

  @Override
  public String taskName() {
    return "memcpy";
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    // The memory of the caches: 2 MiB pages where the system has any.
    ByteBuffer region = Backends.get(Backends.AUTO).posix().map(regionBytes);
    try {
      fill(region);
      List<Slot> slots = new ArrayList<>();
      for (int length : bytes) {
        for (int count : threads) {
          slots.add(measure(region, length, count));
        }
      }
      return new Result(hugeBytes(), slots);
    } finally {
      Reference.reachabilityFence(region);
    }
  }

  private static void fill(ByteBuffer region) {
    for (int i = 0; i < region.capacity(); i += Long.BYTES) {
      region.putLong(i, DataPattern.word(i));
    }
  }

  private Slot measure(ByteBuffer region, int length, int count)
      throws IOException, UserError, HitMismatch {
    long[] started = new long[1];
    CyclicBarrier barrier = new CyclicBarrier(count, () -> started[0] = System.nanoTime());
    List<Long> copies =
        Workers.run(count, i -> worker(new Copier(region, new byte[length], i), barrier));
    double elapsedMs = (System.nanoTime() - started[0]) / 1e6;
    return new Slot(length, count, copies.stream().mapToLong(Long::longValue).sum() / elapsedMs);
  }

  private Callable<Long> worker(Copier copier, CyclicBarrier barrier) {
    return () -> {
      copier.run(warmupSeconds, 1);
      Workers.await(barrier);
      return copier.run(seconds, CHECK_EVERY);
    };
  }

  /** One thread's copies. */
  static final class Copier {
    private final ByteBuffer region;
    private final byte[] array;
    private final int blocks;
    private long state;

    Copier(ByteBuffer region, byte[] array, long seed) {
      this.region = region;
      this.array = array;
      this.blocks = region.capacity() / array.length;
      this.state = DataPattern.word(seed);
    }

    /** Copies until the time is up; returns how often. */
    long run(double seconds, int checkEvery) throws IOException {
      long end = System.nanoTime() + (long) (seconds * 1e9);
      long copies = 0;
      do {
        for (int i = 0; i < BATCH; i++) {
          int offset = copyNext();
          if (copies++ % checkEvery == 0) {
            DataPattern.check(array, offset, array.length);
          }
        }
      } while (System.nanoTime() - end < 0);
      return copies;
    }

    /** Returns where the copy is from. */
    int copyNext() {
      // Marsaglia's xorshift: a generator with more to it would be seen beside a copy of 4 KiB.
      state ^= state << 13;
      state ^= state >>> 7;
      state ^= state << 17;
      long block = ((state >>> 33) * blocks) >>> 31;
      int offset = (int) block * array.length;
      region.get(offset, array);
      return offset;
    }
  }

  private static long hugeBytes() {
    try {
      for (String line : Files.readAllLines(SMAPS)) {
        if (line.startsWith(HUGE_LINE)) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    } catch (IOException | RuntimeException unknown) {
      // As unknown as a line that is not there.
    }
    return -1;
  }
}
