/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is thrown while a block is brought in: no slot is lost, and nobody waits for ever. */
class LostFillTest {

  private static final int BITS = 6;
  private static final int SLOTS = 32;
  private static final long LENGTH = 40 << BITS;
  private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final TestSource source = new TestSource(1, LENGTH);

  /**
   * Reads at the end of a stack that is made a little shorter each time, so that it overflows at
   * each call that a miss makes, an eviction included.
   */
  @Test
  void aStackThatOverflowsAnywhereInAMissLosesNothing() throws Exception {
    SlotCache cache = withShortWait();
    CachedFile file = cache.files().open(null, "f", LENGTH);
    AtomicInteger overflows = new AtomicInteger();
    AtomicInteger loads = new AtomicInteger();
    Thread deep =
        new Thread(
            null,
            () -> {
              for (int i = 0; i < 400; i++) {
                try {
                  descend(i % 61, file, i, loads);
                } catch (StackOverflowError e) {
                  overflows.incrementAndGet();
                }
              }
            },
            "deep",
            256 << 10);
    deep.start();
    deep.join(TimeUnit.SECONDS.toMillis(Fixtures.TIMEOUT_SECONDS));
    assertTrue(!deep.isAlive(), "it waits for ever");
    assertEquals(400, overflows.get());
    assertTrue(loads.get() > 400, "some succeed before the stack ends: " + loads);
    assertEquals(0, cache.counters().sum(Counter.WAIT_TIMEOUTS), "no slot was left in motion");
    for (int block = 0; block < 40; block++) {
      CacheFixtures.load(file, block, source);
    }
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** Goes to the end of the stack by frames of a few sizes, missing a block in each of the last. */
  private long descend(int padding, CachedFile file, int block, AtomicInteger loads) {
    if (padding > 0) {
      return descend(padding - 1, file, block, loads) + 1;
    }
    return descendFurther(0, file, block, loads);
  }

  private long descendFurther(int depth, CachedFile file, int seed, AtomicInteger loads) {
    if (depth % 7 == seed % 7) {
      try {
        Slot ignored = file.load((depth * 11 + seed) % 40, 1 + seed % 3, 1 + seed % 8, source);
        loads.incrementAndGet();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return depth < 0 ? 0 : descendFurther(depth + 1, file, seed, loads) + depth;
  }

  /** The n-th time that memory is asked for, or read into. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void anErrorOfMemoryOrSourceLosesNothing(int nth) throws IOException {
    AtomicInteger calls = new AtomicInteger();
    TestMemory failing =
        new TestMemory(8 << BITS, Integer.MAX_VALUE) {
          @Override
          public ByteBuffer allocate(int bytes) {
            if (calls.incrementAndGet() == nth) {
              throw new InternalError("by script");
            }
            return super.allocate(bytes);
          }
        };
    SlotCache cache = new SlotCache((long) SLOTS << BITS, BITS, failing);
    source.before =
        () -> {
          if (calls.incrementAndGet() == nth) {
            throw new InternalError("by script");
          }
        };
    int failures = 0;
    CachedFile file = cache.files().open(null, "f", LENGTH);
    for (int block = 0; block < 40; block++) {
      try {
        CacheFixtures.load(file, block, source);
      } catch (InternalError e) {
        failures++;
        CacheFixtures.load(file, block, source);
      }
    }
    assertEquals(1, failures);
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** An error of one slot that is given back, of a page that is leaving, costs no other slot. */
  @Test
  void anErrorWhileSlotsAreGivenBackLosesNoOther() throws IOException {
    TestMemory memory =
        new TestMemory(8 << BITS, 2 << BITS, Integer.MAX_VALUE) {
          @Override
          public void discard(ByteBuffer discarded) {
            throw new InternalError("by script");
          }
        };
    SlotCache cache = new SlotCache((long) SLOTS << BITS, BITS, memory);
    CachedFile file = cache.files().open(null, "f", LENGTH);
    source.before =
        () -> {
          source.before = () -> {};
          // No slot is kept for a file that lies in one piece.
          cache.pendingExtents().endAll();
          for (int page = 0; page < cache.freeSlots().pages(); page++) {
            cache.leave(page);
          }
          throw new InternalError("by script");
        };
    assertThrows(InternalError.class, () -> file.load(3, 1, source));
    for (int block = 0; block < 40; block++) {
      assertNull(file.find(block), "no slot stays in motion");
    }
  }

  /** One who has a file open closes it while others have it open, too, and are not concerned. */
  @Test
  void aSourceThatIsClosedMeanwhileLosesNothingAndFailsNobody() throws IOException {
    SlotCache cache = CacheFixtures.cache(SLOTS, BITS);
    ReadableFile closed =
        CacheFixtures.file(
            (position, length, memory) -> {
              throw new FileClosedException(Path.of("f"));
            });
    CachedFile file = cache.files().open(null, "f", LENGTH);
    assertNull(file.load(3, 2, closed), "the reader finds out when it reads for itself");
    assertEquals(1, cache.counters().sum(Counter.BYPASSES));
    file.loadRange(0, 3 << BITS, closed);
    file.loadAll(closed);
    assertTrue(!file.extents().complete(0, closed));
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
    for (int block = 0; block < 40; block++) {
      CacheFixtures.load(file, block, source);
    }
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /**
   * Leaves a slot in motion and in the table, as after an Error that nothing could be done about.
   */
  private static Slot lose(SlotCache cache, CachedFile file, int block) {
    Slot lost = cache.obtain(file, block, true, false);
    assertTrue(file.install(block, lost));
    return lost;
  }

  @Test
  void whoWaitsForALostFillReadsForItselfAndSparesOthersTheWait() throws IOException {
    SlotCache cache = withShortWait();
    CachedFile file = cache.files().open(null, "f", LENGTH);
    Slot lost = lose(cache, file, 3);
    assertNull(file.load(3, 1, source), "to be read past the cache");
    assertEquals(1, cache.counters().sum(Counter.WAIT_TIMEOUTS));
    assertEquals(1, cache.counters().sum(Counter.BYPASSES));
    Slot slot = CacheFixtures.load(file, 3, source);
    assertTrue(slot != lost);
    assertEquals(1, cache.counters().sum(Counter.WAIT_TIMEOUTS), "nobody else waits");
    // It comes back after all.
    cache.publish(lost, file, 3, EvictionShard.Reason.READ);
    assertTrue(CacheFixtures.has(file, 3));
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  private static SlotCache withShortWait() {
    return new SlotCache(
        (long) SLOTS << BITS, BITS, new TestMemory(1 << 20, Integer.MAX_VALUE), MAX_WAIT_NANOS);
  }

  /** A slow device is no lost thread: what it brings in the end is right, and used. */
  @Test
  void aFillThatComesBackLateLeavesNoTraceOrTheBlock() throws Exception {
    SlotCache cache = withShortWait();
    CachedFile file = cache.files().open(null, "f", LENGTH);
    CountDownLatch waitedInVain = new CountDownLatch(1);
    source.before =
        () -> {
          source.before = () -> {};
          Fixtures.awaitQuietly(waitedInVain);
        };
    Fixtures.inThreads(
        2,
        thread -> {
          if (thread == 0) {
            Slot ignored = file.load(5, 1, source);
          } else {
            while (file.find(5) == null) {
              Thread.onSpinWait();
            }
            assertNull(file.load(5, 1, source));
            waitedInVain.countDown();
          }
        });
    assertNotNull(CacheFixtures.load(file, 5, source));
    byte[] block = new byte[1 << BITS];
    assertEquals(block.length, file.copy(5 << BITS, block, 0, block.length));
    assertArrayEquals(CacheFixtures.bytesOf(1, 5 << BITS, block.length), block);
    file.close();
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void closingWakesWhoWaits() throws Exception {
    for (boolean closeCache : new boolean[] {false, true}) {
      SlotCache cache = CacheFixtures.cache(SLOTS, BITS);
      CachedFile file = cache.files().open(null, "f", LENGTH);
      Slot lost = lose(cache, file, 3);
      Fixtures.inThreads(
          2,
          thread -> {
            if (thread == 0) {
              assertNull(file.load(3, 1, source));
            } else {
              Fixtures.awaitCount(() -> cache.counters().sum(Counter.WAITS), 1);
              if (closeCache) {
                cache.close();
              } else {
                file.close();
              }
            }
          });
      assertEquals(0, cache.counters().sum(Counter.WAIT_TIMEOUTS));
      assertTrue(!Guard.isStable(lost.acquire()));
    }
  }
}
