/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A large cache is made four times smaller while many threads read through it: every byte is
 * compared, the memory is given back, and it ends. How long that takes, and how long each read
 * takes meanwhile, is printed. A size for a machine that does nothing else is given in MiB by
 * {@code -Ddev.pread.test.shrink}.
 */
class ShrinkTest {

  private static final int THREADS = 16;
  private static final int BLOCK_BYTES = 16 << 10;
  private static final int LONGS = 64;
  private static final int READ_BYTES = LONGS * Long.BYTES;

  /** How many reads there are before and after. */
  private static final int SOME_READS = 100_000;

  /**
   * How often it is asked to become smaller; once is enough unless threads are held up for long.
   */
  private static final int MAX_CALLS = 100;

  /** Nine of ten reads are in the first of so many parts of the file. */
  private static final int PARTS = 8;

  @TempDir Path folder;

  private final long bytes =
      Long.getLong("dev.pread.test.shrink", Campaign.size(64, 512, 512)) << 20;

  /** How many reads have taken so many microseconds, or more for the last. */
  private final AtomicIntegerArray micros = new AtomicIntegerArray(1_000_000);

  @Test
  void readersGoOnWhileThreeQuartersAreGivenBack() throws Exception {
    try (BlockCache cache = new BlockCache(bytes, BLOCK_BYTES)) {
      PreadConfig.Builder config = PreadConfig.builder().cache(cache);
      try (Directory directory = KilledWriter.open(folder, config, true)) {
        write(directory);
        try (IndexInput input = directory.openInput("data", IOContext.DEFAULT)) {
          for (boolean isUrgent : new boolean[] {false, true}) {
            Fixtures.resize(cache, bytes, false);
            Fixtures.inThreads(THREADS, thread -> fill(input.clone(), thread));
            shrink(cache, input, isUrgent);
          }
        }
      }
      Fixtures.resize(cache, bytes, false);
      Fixtures.checkAllSlotsCanBeHad(cache);
    }
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  private void write(Directory directory) throws IOException {
    try (IndexOutput output = directory.createOutput("data", IOContext.DEFAULT)) {
      for (long at = 0; at < bytes; at += Long.BYTES) {
        output.writeLong(SoakFiles.longAt(Fixtures.SEED, at));
      }
    }
  }

  /** Brings in a part of the file. */
  private void fill(IndexInput input, int thread) throws IOException {
    long part = bytes / THREADS;
    for (long at = thread * part; at < (thread + 1) * part; at += BLOCK_BYTES) {
      readAndCheck(input, at, new long[LONGS]);
    }
  }

  private void shrink(BlockCache cache, IndexInput input, boolean isUrgent) throws Exception {
    AtomicLong reads = new AtomicLong();
    AtomicBoolean isShrinking = new AtomicBoolean();
    AtomicBoolean isDone = new AtomicBoolean();
    Fixtures.inThreads(
        THREADS + 1,
        thread -> {
          // Whoever fails ends the others.
          try {
            if (thread < THREADS) {
              read(input.clone(), new Random(thread), reads, isShrinking, isDone);
              return;
            }
            Fixtures.awaitCount(reads::get, SOME_READS);
            long begin = reads.get();
            long start = System.nanoTime();
            isShrinking.set(true);
            long before = cache.stats().memoryBytes();
            assertTrue(before > bytes / 2, "too little to give back: " + cache.stats());
            long givenBack = 0;
            int calls = 0;
            while (calls < MAX_CALLS && cache.stats().memoryBytes() > bytes / 4) {
              givenBack += Fixtures.resize(cache, bytes / 4, isUrgent);
              calls++;
            }
            isShrinking.set(false);
            long nanos = System.nanoTime() - start;
            assertTrue(
                cache.stats().memoryBytes() <= bytes / 4, "after " + calls + " calls: " + cache);
            assertTrue(givenBack >= before - bytes / 4, givenBack + " of " + before);
            print(isUrgent, nanos, calls, reads.get() - begin);
            Fixtures.awaitCount(() -> reads.get() - begin, SOME_READS);
          } finally {
            isDone.set(true);
          }
        });
  }

  private void read(
      IndexInput input,
      Random random,
      AtomicLong reads,
      AtomicBoolean isShrinking,
      AtomicBoolean isDone)
      throws IOException {
    long[] longs = new long[LONGS];
    while (!isDone.get() && !Thread.currentThread().isInterrupted()) {
      long within = random.nextInt(10) == 0 ? bytes : bytes / PARTS;
      long at = random.nextLong(within / READ_BYTES) * READ_BYTES;
      boolean counts = isShrinking.get();
      long nanos = readAndCheck(input, at, longs);
      reads.incrementAndGet();
      if (counts) {
        long taken = TimeUnit.NANOSECONDS.toMicros(nanos);
        micros.incrementAndGet((int) Math.min(taken, micros.length() - 1));
      }
    }
  }

  /** Returns how long the read has taken. */
  private static long readAndCheck(IndexInput input, long at, long[] longs) throws IOException {
    long start = System.nanoTime();
    input.seek(at);
    input.readLongs(longs, 0, LONGS);
    long nanos = System.nanoTime() - start;
    for (int i = 0; i < LONGS; i++) {
      long position = at + (long) i * Long.BYTES;
      if (longs[i] != SoakFiles.longAt(Fixtures.SEED, position)) {
        throw new AssertionError("wrong bytes at " + position + ": " + Long.toHexString(longs[i]));
      }
    }
    return nanos;
  }

  private void print(boolean isUrgent, long nanos, int calls, long reads) {
    System.out.printf(
        Locale.ROOT,
        "%d MiB to %d MiB%s: %.0f ms in %d calls; %d reads meanwhile, of which 50 %% took up to %d"
            + " us, 99 %% %d us, 99.9 %% %d us, all %d us%n",
        bytes >> 20,
        bytes >> 22,
        isUrgent ? ", urgently" : "",
        nanos / 1e6,
        calls,
        reads,
        percentile(0.5),
        percentile(0.99),
        percentile(0.999),
        percentile(1));
    for (int i = 0; i < micros.length(); i++) {
      micros.set(i, 0);
    }
  }

  private int percentile(double part) {
    long all = 0;
    for (int i = 0; i < micros.length(); i++) {
      all += micros.get(i);
    }
    long below = 0;
    int at = 0;
    while (at < micros.length() - 1 && below + micros.get(at) < all * part) {
      below += micros.get(at);
      at++;
    }
    return at;
  }
}
