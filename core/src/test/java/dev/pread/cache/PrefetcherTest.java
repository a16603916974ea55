/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Advice that is followed in the background: at the same time, bounded, and to nobody's harm. */
@Timeout(60)
class PrefetcherTest {
  private static final int BITS = 6;
  private static final int BLOCKS = 400;
  private static final long LENGTH = (BLOCKS << BITS) - 10;

  /** How many blocks threads read at a time, as docs/tuning.md says. */
  private static final int MAX_AT_A_TIME = 16;

  /** How many more blocks wait for them, as docs/tuning.md says. */
  private static final int MAX_WAITING = 128;

  /** Small, so that no read brings its neighbours in. */
  private final SlotCache cache = CacheFixtures.cache(64, BITS);

  private final TestSource source = new TestSource(3, LENGTH);
  private final CachedFile file = cache.files().open(null, "f", LENGTH);

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, what);
      Thread.sleep(1);
    }
  }

  /** Leaves no slot free, so that a miss reads what it is asked for and nothing around it. */
  private void fill() throws IOException {
    for (int block = BLOCKS - 1; block >= BLOCKS - 200; block--) {
      CacheFixtures.load(file, block, source);
    }
  }

  private void checkBlock(int block) {
    byte[] bytes = new byte[file.bytesIn(block)];
    long position = (long) block << BITS;
    assertEquals(bytes.length, file.copy(position, bytes, 0, bytes.length));
    for (int i = 0; i < bytes.length; i++) {
      assertEquals(CacheFixtures.byteOf(3, position + i), bytes[i]);
    }
  }

  private void prefetch(int block) {
    file.prefetch((long) block << BITS, 1, source);
  }

  @Test
  void manyBlocksAreReadAtTheSameTimeWhileTheCallerGoesOn() throws Exception {
    fill();
    CountDownLatch together = new CountDownLatch(8);
    source.before =
        () -> {
          together.countDown();
          Fixtures.awaitQuietly(together);
        };
    for (int i = 0; i < 8; i++) {
      prefetch(10 * i); // One after the other, without waiting, or the latch never opens.
    }
    for (int i = 0; i < 8; i++) {
      int block = 10 * i;
      await("block " + block, () -> CacheFixtures.has(file, block));
      checkBlock(block);
    }
  }

  @Test
  void whatIsThereIsNotReadAgainAndTakesNoThread() throws Exception {
    fill();
    CacheFixtures.load(file, 7, source);
    int before = source.reads.get();
    prefetch(7);
    file.prefetch((7L << BITS) + 3, 20, source);
    assertEquals(0, cache.prefetcher().threads());
    assertEquals(before, source.reads.get());
  }

  @Test
  void aRangeIsReadInOnePieceAroundWhatIsThere() throws Exception {
    fill();
    CacheFixtures.load(file, 12, source);
    int before = source.reads.get();
    file.prefetch(10 << BITS, 6 << BITS, source);
    for (int block = 10; block < 16; block++) {
      int wanted = block;
      await("block " + wanted, () -> CacheFixtures.has(file, wanted));
    }
    assertEquals(before + 2, source.reads.get());
    assertNull(file.find(9));
    assertNull(file.find(16));
  }

  @Test
  void aRangeToTheEndOfTheFileEndsThere() throws Exception {
    file.prefetch(LENGTH - 70, 70, source);
    await("the last block", () -> CacheFixtures.has(file, BLOCKS - 1));
    checkBlock(BLOCKS - 1);
  }

  @Test
  void ofAVeryLongRangeTheBeginningIsRead() throws Exception {
    SlotCache large = CacheFixtures.cache(1024, BITS);
    CachedFile whole = large.files().open(null, "f", LENGTH);
    whole.prefetch(0, LENGTH, source);
    await("the first block", () -> CacheFixtures.has(whole, 0));
    await("its end", () -> CacheFixtures.has(whole, Fill.MAX_BLOCKS - 1));
    assertNull(whole.find(BLOCKS - 1));
  }

  @Test
  void whatIsAskedForWhileAllAreBusyWaitsItsTurnAndTheRestIsForgotten() throws Exception {
    fill();
    Semaphore hold = new Semaphore(0);
    AtomicInteger reading = new AtomicInteger();
    source.before =
        () -> {
          reading.incrementAndGet();
          hold.acquireUninterruptibly();
        };
    int asked = 0;
    while (cache.counters().sum(Counter.PREFETCHES_DROPPED) == 0) {
      prefetch(asked++);
      assertTrue(asked <= MAX_AT_A_TIME + MAX_WAITING + 1, "advice without end");
    }
    int dropped = asked - 1;
    assertEquals(MAX_AT_A_TIME, cache.prefetcher().threads());
    await("all threads read", () -> reading.get() == MAX_AT_A_TIME);
    assertEquals(MAX_AT_A_TIME + MAX_WAITING, dropped, "all before it read, or wait");
    hold.release(1000);
    await("all that waited is read", () -> reading.get() == dropped);
    assertNull(file.find(dropped));
    // Later advice is followed again.
    await(
        "a free thread",
        () -> {
          prefetch(190);
          return CacheFixtures.has(file, 190);
        });
  }

  /** A reader that goes through a file in order is faster than a thread that has to begin. */
  @Test
  void whatAReaderHasReadMeanwhileIsNoReasonToLeaveOutTheRest() throws Exception {
    fill();
    Semaphore hold = new Semaphore(0);
    source.before = hold::acquireUninterruptibly;
    for (int i = 0; i < MAX_AT_A_TIME; i++) {
      prefetch(2 * i);
    }
    file.prefetch(100 << BITS, 6 << BITS, source);
    TestSource own = new TestSource(3, LENGTH);
    CacheFixtures.load(file, 100, own);
    CacheFixtures.load(file, 101, own);
    hold.release(1000);
    for (int block = 102; block < 106; block++) {
      int wanted = block;
      await("block " + wanted, () -> CacheFixtures.has(file, wanted));
      checkBlock(wanted);
    }
  }

  @Test
  void aFailureIsNotReportedAndTheReaderMeetsItItself() throws Exception {
    fill();
    int before = source.reads.get();
    source.broken = (20 << BITS) + 5;
    prefetch(20);
    await("the attempt", () -> source.reads.get() > before);
    await("its end", () -> cache.counters().sum(Counter.PREFETCHES_DROPPED) == 1);
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES));
    assertThrows(IOException.class, () -> file.load(20, 1, source));
    source.broken = -1;
    CacheFixtures.load(file, 20, source);
    checkBlock(20);
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void whatAThreadHasNoSlotForIsDropped() throws Exception {
    List<Slot> taken = new ArrayList<>();
    Slot slot = cache.obtain(file, 0, true, false);
    while (slot != null) {
      taken.add(slot);
      slot = cache.obtain(file, 0, true, false);
    }
    prefetch(20);
    await("the attempt", () -> cache.counters().sum(Counter.PREFETCHES_DROPPED) == 1);
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES_BY_THREADS));
    taken.forEach(cache::release);
    prefetch(20);
    // The read is counted a moment before its block is there.
    await("the block", () -> CacheFixtures.has(file, 20));
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES));
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES_DROPPED));
  }

  /** A script that reads may start no thread where there is a security manager. */
  @Test
  void aThreadThatCanNotBeHadFailsNoRead() throws IOException {
    failsNoRead(
        work -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    failsNoRead(
        work -> {
          throw new SecurityException("no threads of your own");
        });
  }

  private void failsNoRead(ThreadFactory none) throws IOException {
    CacheCounters counters = new CacheCounters();
    Prefetcher denied = new Prefetcher(counters, new FillQueues(new FillSignal[0], 0, none), none);
    denied.prefetchBlocks(file, 20, 1, source);
    assertEquals(1, counters.sum(Counter.PREFETCHES_DROPPED));
    denied.complete(new Extents(file, BLOCKS), 20, source);
    assertEquals(0, denied.threads());
    CacheFixtures.load(file, 20, source);
    checkBlock(20);
    denied.close();
  }

  /** Some servers end themselves when an error leaves a thread. */
  @Test
  void noErrorForWantOfMemoryLeavesAThread() throws Exception {
    List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    ThreadFactory factory =
        work -> {
          Thread thread = new Thread(work);
          thread.setUncaughtExceptionHandler((of, error) -> errors.add(error));
          threads.add(thread);
          return thread;
        };
    FillQueues none = new FillQueues(new FillSignal[0], 0, factory);
    Prefetcher watched = new Prefetcher(cache.counters(), none, factory);
    CachedFile small = cache.files().open(null, "small", 20 << BITS);
    AtomicInteger attempts = new AtomicInteger();
    source.before =
        () -> {
          attempts.incrementAndGet();
          throw new OutOfMemoryError("by script");
        };
    watched.prefetchBlocks(small, 10, 1, source);
    await("a read", () -> attempts.get() == 1);
    await(
        "another read",
        () -> {
          // Until the first one has given back all that it had, there is nothing to complete.
          watched.complete(small.extents(), 0, source);
          return attempts.get() > 1;
        });
    watched.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), errors);
  }

  @Test
  void aReaderThatIsFasterThanItsPrefetchWaitsForItsRead() throws Exception {
    fill();
    CountDownLatch started = new CountDownLatch(1);
    Semaphore hold = new Semaphore(0);
    source.before =
        () -> {
          started.countDown();
          hold.acquireUninterruptibly();
        };
    prefetch(30);
    started.await();
    int reads = source.reads.get();
    Thread release =
        new Thread(
            () -> {
              while (cache.counters().sum(Counter.WAITS) == 0) {
                Thread.onSpinWait();
              }
              hold.release(1000);
            });
    release.start();
    CacheFixtures.load(file, 30, source);
    release.join();
    assertEquals(reads, source.reads.get(), "one miss, one read");
  }

  @Test
  void afterTheFileIsClosedNothingIsLeftOfIt() throws Exception {
    fill();
    Semaphore hold = new Semaphore(0);
    CountDownLatch started = new CountDownLatch(1);
    source.before =
        () -> {
          started.countDown();
          hold.acquireUninterruptibly();
        };
    prefetch(40);
    started.await();
    file.close();
    hold.release(1000);
    await("the slot is free again", () -> file.find(40) == null);
    prefetch(41);
    CacheCheck.allSlotsCanBeHad(cache);
    assertNull(file.find(41));
  }

  @Test
  void threadsGoWhenThereIsNothingToDoAndWithTheCache() throws Exception {
    prefetch(50);
    await("the block", () -> CacheFixtures.has(file, 50));
    assertTrue(cache.prefetcher().threads() > 0);
    await("idle threads go", () -> cache.prefetcher().threads() == 0);
    cache.close();
    prefetch(60);
    assertEquals(0, cache.prefetcher().threads());
    assertFalse(CacheFixtures.has(file, 60));
  }
}
