/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.store.CacheTrace;
import dev.pread.store.PreadIndexInput;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.Test;

/** What a cache says of itself in figures. */
class CacheStatsTest extends BlockCacheTestCase {

  private static void touch(IndexInput input, int... blocks) throws IOException {
    for (int block : blocks) {
      input.seek((long) block * BLOCK + 3);
      input.readByte();
    }
  }

  /** One that becomes smaller has more than it may have for a while. */
  @Test
  void noCacheIsMoreThanFull() {
    assertEquals(1, CacheStats.of(Map.of("blocks", 30L, "capacity", 10L)).occupancy());
    assertEquals(0.3, CacheStats.of(Map.of("blocks", 3L, "capacity", 10L)).occupancy());
  }

  @Test
  void figuresAfterAKnownSequence() throws IOException {
    write("f", 10 * BLOCK + 100);
    write("small", 50);
    try (BlockCache cache = Fixtures.tinyCache(4, 12);
        PreadDirectory directory =
            Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      assertEquals(Map.of(), figures(cache));
      assertEquals(4, cache.stats().capacity());
      assertEquals(4 * BLOCK, cache.stats().sizeBytes());
      assertEquals(0, cache.stats().memoryBytes());
      assertTrue(Double.isNaN(cache.stats().hitRatio()), "of no look-up");
      try (IndexInput small = directory.openInput("small", IOContext.DEFAULT)) {
        assertEquals(Map.of(), figures(cache));
        small.readByte();
        assertEquals(
            Map.of("misses", 1L, "loads", 1L, "blocks_read", 1L, "bytes_read", 50L, "blocks", 1L),
            figures(cache));
        assertEquals(0.25, cache.stats().occupancy());
        assertEquals(4 * BLOCK, cache.stats().memoryBytes(), "all of a page");
        try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
          // While there is room it reads around the block: 8, 9, and 10, which is a short one.
          touch(input, 10);
          long bytes = 50 + 2 * BLOCK + 100;
          assertEquals(
              Map.of(
                  "misses", 2L, "loads", 2L, "blocks_read", 4L, "bytes_read", bytes, "blocks", 4L),
              figures(cache));
          assertEquals(1, cache.stats().occupancy());
          touch(input, 9, 8, 10);
          assertEquals(1, cache.stats().hits(), "the three lie in one piece");
          assertEquals(2, cache.stats().misses());
          // Now each block that comes takes the place of one that goes.
          touch(input, 1, 2, 3, 4, 5);
          bytes += 5 * BLOCK;
          assertEquals(
              Map.of(
                  "hits", 1L,
                  "misses", 7L,
                  "loads", 7L,
                  "blocks_read", 9L,
                  "bytes_read", bytes,
                  "evictions", 5L,
                  "blocks", 4L),
              figures(cache));
          assertEquals(1 / 8.0, cache.stats().hitRatio());
          assertEquals(7, faults.count(Function.PREADV));
        }
      }
      assertEquals(0, cache.stats().blocks());
      assertEquals(5, cache.stats().evictions(), "what is closed leaves, which is no eviction");
    }
  }

  /** Each reader of a file that lies in one piece looks it up once. */
  @Test
  void readersThatNeverLiveLongAreCountedToo() throws IOException {
    write("f", 2 * BLOCK);
    try (BlockCache cache = new BlockCache(1 << 20, BLOCK);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      touch(input, 0);
      assertEquals(0, cache.stats().hits());
      for (int i = 1; i <= 200; i++) {
        touch(input.clone(), 0);
        assertEquals(i, cache.stats().hits());
      }
      assertEquals(1, cache.stats().misses());
    }
  }

  /** An array that is jumped to is worth no window, unless that is the whole file. */
  @Test
  void jumpsWithinOnePieceAreLookedUpOnce() throws IOException {
    write("f", 4 * BLOCK);
    byte[] array = new byte[BLOCK];
    try (BlockCache cache = new BlockCache(1 << 20, BLOCK);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      touch(input, 0, 1, 2, 3);
      IndexInput clone = input.clone();
      long before = cache.stats().hits();
      for (int block : new int[] {3, 0, 2, 0, 3, 1}) {
        clone.seek((long) block * BLOCK);
        clone.readBytes(array, 0, BLOCK);
      }
      assertEquals(before + 1, cache.stats().hits());
    }
  }

  /** An array is jumped to and copied, and what follows it is read as well: it pays once. */
  @Test
  void aReaderThatGoesOnAfterAnArrayGetsAWindow() throws IOException {
    write("f", 8 * BLOCK);
    byte[] array = new byte[128];
    try (BlockCache cache = new BlockCache(4 * BLOCK, BLOCK);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      touch(input, 0, 2, 4);
      IndexInput clone = input.clone();
      long before = cache.stats().hits();
      for (int block : new int[] {2, 0, 4, 2, 0}) {
        clone.seek((long) block * BLOCK + 3);
        clone.readBytes(array, 0, array.length);
        clone.readByte();
      }
      assertEquals(before + 6, cache.stats().hits(), "the first jump alone is looked up twice");
      IndexInput other = input.clone();
      for (int block : new int[] {2, 0, 4, 2, 0}) {
        other.seek((long) block * BLOCK + 3);
        other.readBytes(array, 0, array.length);
      }
      assertEquals(before + 11, cache.stats().hits());
    }
  }

  /**
   * Threads read at random by clones of one read each, which is one look-up, and write down before
   * each read whether the block was there.
   */
  @Test
  void figuresAgreeWithATrace() throws Exception {
    int blocks = 100;
    int threads = 8;
    int readsPerThread = 5000;
    write("f", blocks * BLOCK);
    LongAdder there = new LongAdder();
    try (BlockCache cache = Fixtures.tinyCache(40, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        PreadIndexInput input = (PreadIndexInput) directory.openInput("f", IOContext.DEFAULT)) {
      // This fills it, so that from now on no read brings a neighbour in.
      touch(input, IntStream.range(0, blocks).toArray());
      CacheStats before = cache.stats();
      Fixtures.inThreads(
          threads,
          thread -> {
            Random random = new Random(Fixtures.SEED + thread);
            for (int i = 0; i < readsPerThread; i++) {
              int block = random.nextInt(blocks) * random.nextInt(blocks) / blocks;
              if (CacheTrace.isCached(input, (long) block * BLOCK)) {
                there.increment();
              }
              touch(input.clone(), block);
            }
          });
      CacheStats after = cache.stats();
      long reads = (long) threads * readsPerThread;
      long hits = after.hits() - before.hits();
      long misses = after.misses() - before.misses();
      long answered =
          after.loads() - before.loads() + after.waits() - before.waits() + after.bypasses();
      String figures = hits + " hits, " + misses + " misses of " + reads + ", " + there + " there";
      long two = reads * 2 / 100;
      assertTrue(Math.abs(reads - hits - misses) <= two, figures);
      assertTrue(Math.abs(there.sum() - hits) <= two, figures);
      assertTrue(Math.abs(misses - answered) <= two, figures + ", answered " + answered);
      assertTrue(hits > reads / 4 && misses > reads / 4, figures);
    }
  }

  @Test
  void waitsAreOfThreadsThatFoundABlockBeingRead() throws Exception {
    write("f", BLOCK);
    try (BlockCache cache = Fixtures.tinyCache(4, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      CountDownLatch begun = new CountDownLatch(1);
      faults
          .on(Function.PREADV)
          .at(1)
          .first(
              () -> {
                begun.countDown();
                awaitWaits(cache, 2);
              });
      List<IndexInput> clones = List.of(input.clone(), input.clone(), input.clone());
      Fixtures.inThreads(
          3,
          thread -> {
            if (thread > 0) {
              Fixtures.await(begun);
            }
            touch(clones.get(thread), 0);
          });
      assertEquals(
          Map.of(
              "misses", 3L,
              "loads", 1L,
              "waits", 2L,
              "blocks_read", 1L,
              "bytes_read", (long) BLOCK,
              "blocks", 1L),
          figures(cache));
    }
  }

  private static void awaitWaits(BlockCache cache, int count) {
    Fixtures.awaitCount(() -> cache.stats().waits(), count);
  }

  /** The only slot is being filled when another block is asked for. */
  @Test
  void bypassesAreOfThoseWhoFoundNoRoom() throws Exception {
    write("f", 2 * BLOCK);
    try (BlockCache cache = Fixtures.tinyCache(1, 12);
        PreadDirectory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
      IndexInput other = input.clone();
      faults
          .on(Function.PREADV)
          .at(1)
          .first(
              () -> {
                try {
                  touch(other, 1);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      touch(input, 0);
      assertEquals(
          Map.of(
              "misses", 2L,
              "loads", 1L,
              "bypasses", 1L,
              "blocks_read", 1L,
              "bytes_read", (long) BLOCK,
              "blocks", 1L),
          figures(cache));
      assertEquals(1, faults.count(Function.PREAD));
    }
  }
}
