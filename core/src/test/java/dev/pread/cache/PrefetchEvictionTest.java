/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which slots announced blocks get, and which blocks stay. */
class PrefetchEvictionTest extends QueuedPrefetchTestCase {

  /** A read that brings a block in, unless there is no slot for it. */
  private interface BlockRead {

    boolean bringsIn(CachedFile file, int block, PosixFile source) throws IOException;
  }

  /** All slots are the device's, so that who reads waits, and who announces does not. */
  private void waitsForASlot(BlockRead reads) throws IOException {
    AtomicInteger waits = new AtomicInteger();
    SystemCalls hasty = callsWithEvents(0);
    SystemCalls patient =
        ScriptedCalls.of(
            hasty,
            (name, arguments) -> {
              if (name.equals("ioGetEvents") && (int) arguments[1] > 0) {
                waits.incrementAndGet();
                waitLong(arguments);
              }
              return null;
            });
    SlotCache small = new SlotCache(16 * BLOCK, BITS, memory());
    try (PosixFile direct = new Backend(patient).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = small.files().open(null, "f", content.length);
      for (int i = 0; i < 20; i++) {
        blocks.prefetch((100L + 8L * i) << BITS, 1, direct);
      }
      assertEquals(0, waits.get());
      assertTrue(small.counters().sum(Counter.PREFETCHES_DROPPED) > 0);
      assertTrue(small.queues().isBusy());
      assertTrue(reads.bringsIn(blocks, 700, direct), "it gets a slot");
      assertTrue(waits.get() > 0);
      check(blocks, 700, direct);
      blocks.close();
    } finally {
      small.close();
    }
  }

  @Test
  void anAnnouncementForWhichThereIsNoSlotWaitsForNoReadAndAReaderDoes() throws IOException {
    waitsForASlot((of, block, from) -> of.load(block, 1, from) != null);
  }

  /** So a file that has just been flushed is not left out. */
  @Test
  void aThreadThatBringsInAFileWaitsForASlot() throws IOException {
    waitsForASlot((of, block, from) -> of.loadAhead(block, 1, from, Fill.Purpose.UNASKED));
  }

  /**
   * One of them ends the reads of the queue, and the other has nothing to end. It does not wait for
   * long, so on a busy machine it may be too late now and then.
   */
  @Test
  void ofTwoReadersForWhomThereIsNoSlotBothWait() throws Exception {
    int rounds = 50;
    int late = 0;
    while (late < rounds && bypassesOfTwoReaders() > 0) {
      late++;
    }
    assertTrue(late < rounds, "one of them has never waited");
  }

  private long bypassesOfTwoReaders() throws Exception {
    CountDownLatch isReaping = new CountDownLatch(1);
    CountDownLatch isReading = new CountDownLatch(1);
    Thread[] second = new Thread[1];
    SystemCalls patient =
        ScriptedCalls.of(
            callsWithEvents(0),
            (name, arguments) -> {
              if (name.equals("ioGetEvents") && (int) arguments[1] > 0) {
                isReaping.countDown();
                while (isReading.getCount() > 0
                    || (second[0].isAlive()
                        && second[0].getState() != Thread.State.TIMED_WAITING)) {
                  Thread.onSpinWait();
                }
                waitLong(arguments);
              }
              return null;
            });
    SlotCache small = new SlotCache(16 * BLOCK, BITS, memory());
    try (PosixFile direct = new Backend(patient).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = small.files().open(null, "f", content.length);
      for (int i = 0; i < 20; i++) {
        blocks.prefetch((100L + 8L * i) << BITS, 1, direct);
      }
      AtomicReference<Throwable> failure = new AtomicReference<>();
      second[0] =
          new Thread(
              () -> {
                try {
                  Fixtures.await(isReaping);
                  isReading.countDown();
                  check(blocks, 800, direct);
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      second[0].start();
      check(blocks, 700, direct);
      second[0].join();
      assertNull(failure.get());
      blocks.close();
      return small.counters().sum(Counter.BYPASSES);
    } finally {
      small.close();
    }
  }

  /** When the device reads what is announced. */
  enum Device {
    /** Once somebody waits for it, so that what is announced beyond a tenth is dropped. */
    SLOW,
    /** Before the next announcement, so that nothing is dropped. */
    FAST
  }

  /** The larger cache has several shards where there are several processors. */
  @ParameterizedTest
  @CsvSource({
    "SLOW, 256, 1, true",
    "SLOW, 256, 1, false",
    "SLOW, 256, 8, false",
    "SLOW, 512, 1, true",
    "SLOW, 512, 8, false",
    "FAST, 256, 1, false",
    "FAST, 256, 8, false",
    "FAST, 512, 1, false",
    "FAST, 512, 8, false"
  })
  void whatIsUsedStaysWhateverIsAnnounced(
      Device device, int slots, int blocksAtOnce, boolean isRead) throws IOException {
    double hitRatio = hitRatioBeside(slots, blocksAtOnce, isRead, device);
    assertTrue(hitRatio >= 0.95, "" + hitRatio);
  }

  /** What is read again and again is used, too, so that it takes the place of what is used less. */
  @ParameterizedTest
  @CsvSource({"256, 1", "256, 8", "512, 1", "512, 8"})
  void readsThatHaveBeenAnnouncedPushOutNoMoreThanOthers(int slots, int blocksAtOnce)
      throws IOException {
    double others = hitRatioBeside(slots, 0, true, Device.FAST);
    assertTrue(others >= 0.8, "" + others);
    double hitRatio = hitRatioBeside(slots, blocksAtOnce, true, Device.FAST);
    assertTrue(hitRatio >= 0.95 * others, hitRatio + ", and " + others + " without announcements");
  }

  /**
   * Returns how much of what is used all the time is found in a cache while others are announced.
   *
   * @param blocksAtOnce how many blocks each announcement is of; 0 for no announcement
   * @param isRead whether one block of each announcement is read then
   */
  private double hitRatioBeside(int slots, int blocksAtOnce, boolean isRead, Device device)
      throws IOException {
    SlotCache other = new SlotCache((long) slots * BLOCK, BITS, memory());
    Backend slow = new Backend(callsWithEvents(0));
    int used = slots * 3 / 4;
    int rounds = 20;
    int hits = 0;
    try (PosixFile slowFile = slow.open(path, OpenMode.READ_DIRECT)) {
      PosixFile from = device == Device.SLOW ? slowFile : source;
      CachedFile hot = useMost(other, used);
      CachedFile announced = useOnce(other);
      Random random = new Random(Fixtures.SEED);
      for (int round = 0; round < rounds; round++) {
        for (int batch = 0; batch < 4; batch++) {
          int[] blocks = random.ints(32, 0, BLOCKS - 8).toArray();
          for (int i = 0; blocksAtOnce > 0 && i < blocks.length; i++) {
            announced.prefetch((long) blocks[i] << BITS, (long) blocksAtOnce << BITS, from);
            if (device == Device.FAST) {
              CacheCheck.settle(other);
            }
          }
          for (int i = 0; isRead && i < blocks.length; i++) {
            boolean ignored = use(announced, blocks[i]);
          }
        }
        hits += useAll(hot, used);
      }
      assertEquals(blocksAtOnce > 0, other.counters().sum(Counter.PREFETCHES_ISSUED) > 0);
      hot.close();
      announced.close();
    }
    CacheCheck.allSlotsCanBeHad(other);
    other.close();
    return hits / (double) (rounds * used);
  }

  /** Opens a file whose first blocks are used so much that they stay when others pass through. */
  private CachedFile useMost(SlotCache of, int blocks) throws IOException {
    CachedFile hot = of.files().open(null, "hot", content.length);
    useAll(hot, blocks);
    useAll(hot, blocks);
    return hot;
  }

  /** Opens a file that passes through a cache, while what is used leaves the small queue. */
  private CachedFile useOnce(SlotCache of) throws IOException {
    CachedFile once = of.files().open(null, "once", content.length);
    useAll(once, BLOCKS);
    return once;
  }

  /** Uses the first blocks of a file, and returns how many were there. */
  private int useAll(CachedFile of, int blocks) throws IOException {
    int hits = 0;
    for (int block = 0; block < blocks; block++) {
      hits += use(of, block) ? 1 : 0;
    }
    return hits;
  }

  /**
   * Uses a block as an input does, which waits for a block that is on its way, and returns whether
   * it was there.
   */
  private boolean use(CachedFile of, int block) throws IOException {
    Slot slot = of.find(block);
    boolean isThere = slot != null && of.isIn(slot, slot.acquire(), block);
    Slot read = isThere ? slot : of.load(block, 1, source);
    if (read != null) {
      read.touch();
    }
    return isThere;
  }

  @Test
  void announcementsTakeATenthOfTheirShardAndNothingOfOthers() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(2L * SLOTS * BLOCK, BITS, memory());
    int shards = EvictionShard.shards(2 * SLOTS).length;
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT)) {
      CachedFile hot = useMost(other, 2 * SLOTS * 9 / 10);
      CachedFile announced = useOnce(other);
      long before = other.counters().sum(Counter.EVICTIONS);
      for (int block = 0; block < BLOCKS; block++) {
        if (EvictionShard.number(announced.hash(block), shards) == 0) {
          announced.prefetch((long) block << BITS, 1, direct);
        }
      }
      long evictions = other.counters().sum(Counter.EVICTIONS) - before;
      // What each shard holds differs a little, and so does what was left of its small queue.
      int tenth = 2 * SLOTS / shards / 10;
      assertTrue(evictions > tenth / 2 && evictions < tenth * 3 / 2, evictions + " of " + tenth);
      assertEquals(evictions, other.counters().sum(Counter.PREFETCHES_ISSUED));
      assertTrue(other.counters().sum(Counter.PREFETCHES_DROPPED) > BLOCKS / shards / 4);
      hot.close();
      announced.close();
    } finally {
      other.close();
    }
  }

  @Test
  void aShardWithoutRoomEndsNoAnnouncementOfBlocksInOthers() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(2L * SLOTS * BLOCK, BITS, memory());
    Assumptions.assumeTrue(EvictionShard.shards(2 * SLOTS).length == 2);
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT)) {
      CachedFile hot = useMost(other, 2 * SLOTS * 9 / 10);
      CachedFile once = useOnce(other);
      CachedFile others = other.files().open(null, "others", content.length);
      for (int block = 0; block < BLOCKS; block++) {
        if (EvictionShard.number(others.hash(block), 2) == 0) {
          others.prefetch((long) block << BITS, 1, direct);
        }
      }
      CachedFile run = other.files().open(null, "run", content.length);
      long dropped = other.counters().sum(Counter.PREFETCHES_DROPPED);
      run.prefetch(0, 16L << BITS, direct);
      int there = 0;
      int ofTheOther = 0;
      for (int block = 0; block < 16; block++) {
        there += run.find(block) == null ? 0 : 1;
        ofTheOther += EvictionShard.number(run.hash(block), 2);
      }
      assertEquals(ofTheOther, there, "blocks of the shard that has room");
      assertEquals(16 - there, other.counters().sum(Counter.PREFETCHES_DROPPED) - dropped);
      hot.close();
      once.close();
    } finally {
      other.close();
    }
  }

  /** Many threads each announce a quarter of the cache before they read it. */
  @Test
  void whereFarMoreIsAnnouncedThanThereIsRoomForReadersGoOn() throws Exception {
    int used = SLOTS / 2;
    CachedFile hot = useMost(cache, used);
    useAll(file, BLOCKS);
    AtomicInteger hits = new AtomicInteger();
    int threads = 16;
    int rounds = 20;
    int batch = 64;
    Fixtures.inThreads(
        threads,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          for (int round = 0; round < rounds; round++) {
            int[] blocks = random.ints(batch, 0, BLOCKS - 1).toArray();
            for (int block : blocks) {
              prefetch(block, 1);
            }
            for (int block : blocks) {
              check(file, block, source);
            }
            for (int i = 0; i < batch; i++) {
              hits.addAndGet(use(hot, random.nextInt(used)) ? 1 : 0);
            }
          }
        });
    CacheCheck.awaitIdleThreads(cache);
    int reads = threads * rounds * batch;
    assertTrue(hits.get() >= 0.95 * reads, hits + " of " + reads);
    assertTrue(
        cache.counters().sum(Counter.PREFETCHES) > 100,
        "" + cache.counters().sum(Counter.PREFETCHES));
    assertTrue(cache.counters().sum(Counter.PREFETCHES_DROPPED) > 100);
    assertTrue(
        cache.counters().sum(Counter.BYPASSES) < reads / 100,
        "" + cache.counters().sum(Counter.BYPASSES));
    hot.close();
  }
}
