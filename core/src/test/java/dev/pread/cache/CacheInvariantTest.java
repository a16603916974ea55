/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What holds between files, slots, extents and the free ones, one at a time and without luck: each
 * of these was written against a change of the code that nothing else noticed.
 */
class CacheInvariantTest extends LargeBlocksTestCase {

  CacheInvariantTest() {
    super(16, 16);
  }

  // ---- the table ----

  @Test
  void anEntryIsMadeOnceAndTakenOutByWhoMadeIt() {
    CachedFile file = open(2);
    Slot first = new Slot(0);
    Slot second = new Slot(1);
    assertTrue(file.install(1, first));
    assertFalse(file.install(1, second));
    assertSame(first, file.find(1));
    file.remove(1, second);
    assertSame(first, file.find(1));
    file.remove(1, first);
    assertNull(file.find(1));
  }

  @Test
  void aSlotThatHoldsAnotherBlockIsNotIn() throws IOException {
    CachedFile file = open(2);
    CachedFile other = open(2);
    Slot slot = CacheFixtures.load(file, 0, source(1, 2));
    long version = slot.acquire();
    assertTrue(file.isIn(slot, version, 0));
    assertFalse(file.isIn(slot, version, 1));
    assertFalse(other.isIn(slot, version, 0));
  }

  @Test
  void whatIsBeingFilledCanNotBeCopied() throws IOException {
    CachedFile file = open(1);
    TestSource source = source(1, 1);
    int[] copied = {-1};
    source.before = () -> copied[0] = file.copy(0, new byte[10], 0, 10);
    CacheFixtures.load(file, 0, source);
    assertEquals(0, copied[0]);
    CacheFixtures.check(file, 1, 1);
  }

  @Test
  void aSlotThatChangesHandsKeepsNothingOfTheFileItHeld() throws IOException {
    CachedFile file = open(16);
    TestSource source = source(1, 16);
    CacheFixtures.complete(file, source);
    // The slot that ends the extent stays; the next one goes.
    Slot gone = file.find(1);
    long version = gone.acquire();
    TestSource other = source(2, 1);
    long[] meanwhile = new long[1];
    other.before = () -> meanwhile[0] = gone.acquire();
    CachedFile single = open(1);
    assertSame(gone, CacheFixtures.load(single, 0, other));
    assertNull(file.find(1));
    assertNull(gone.extent);
    assertTrue(meanwhile[0] > version + 1, "who waits for the block that left waits no longer");
    single.close();
    assertNull(single.find(0));
    assertNull(gone.owner);
  }

  @Test
  void nobodyFreesASlotOfAnotherFile() throws IOException {
    CachedFile file = open(1);
    Slot slot = CacheFixtures.load(file, 0, source(1, 1));
    long version = slot.acquire();
    CachedFile other = open(1);
    other.close();
    other.freeIfOurs(slot);
    assertTrue(slot.is(version));
    assertEquals(1, cache.counters().sum(Counter.BLOCKS));
  }

  // ---- the end of a file ----

  @Test
  void aFileThatIsClosedWhileItIsFilledLeavesNothing() throws IOException {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    source.before = file::close;
    file.load(0, 1, source);
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
    assertNull(file.find(0));
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void readersOfAnExtentNoticeACloseToo() throws IOException {
    CachedFile file = cache.files().open("key", "f", 4L << BITS);
    assertSame(file, cache.files().open("key", "f", 4L << BITS));
    Extent extent = CacheFixtures.complete(file, source(1, 4));
    long version = extent.acquire();
    file.close();
    assertFalse(extent.is(version), "readers look up again");
    assertTrue(Guard.isStable(extent.acquire()), "and find it again");
    CacheFixtures.check(file, 1, 4);
    file.close();
    assertFalse(Guard.isStable(extent.acquire()));
  }

  /** A close moves every version for a moment: who meets it then is woken. */
  @Test
  void whoMeetsACloseIsWoken() throws Exception {
    CachedFile file = cache.files().open("key", "f", BLOCK);
    TestSource source = source(1, 1);
    CacheFixtures.load(file, 0, source);
    Fixtures.inThreads(
        2,
        thread -> {
          for (int i = 0; i < 100_000; i++) {
            if (thread == 0) {
              assertSame(file, cache.files().open("key", "f", BLOCK));
              file.close();
            } else {
              assertNotNull(file.load(0, 1, source));
            }
          }
        });
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** This goes in rounds, so that no later fill can wake whoever waits for a slot that is free. */
  @Test
  void nobodyWaitsForASlotThatIsFree() throws Exception {
    SlotCache small = CacheFixtures.cache(8, 6);
    CachedFile file = small.files().open(null, "f", 64);
    TestSource source = new TestSource(1, 64);
    source.broken = 0;
    CyclicBarrier barrier = new CyclicBarrier(3);
    Fixtures.inThreads(
        3,
        thread -> {
          for (int round = 0; round < 10_000; round++) {
            barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            boolean failed = false;
            try {
              file.load(0, 1, source);
            } catch (IOException e) {
              failed = true;
            }
            assertTrue(failed, "round " + round);
          }
        });
    assertEquals(0, small.counters().sum(Counter.BLOCKS));
  }

  // ---- the end of the cache ----

  @Test
  void aClosedCacheKeepsNoSlotForAnybody() throws IOException {
    TestSource source = source(1, 4);
    source.broken = 0;
    CachedFile broken = open(4);
    assertThrows(IOException.class, () -> broken.load(0, 1, source));
    assertTrue(broken.extent(0).isPending(), "keeps slots, none of which holds anything");
    cache.close();
    assertTrue(broken.extent(0).isEnded());
    assertEquals(1, memory.discards.get(), "all of the memory");
  }

  @Test
  void aClosedCacheEndsWhatIsReadInOnePiece() throws IOException {
    CachedFile file = open(4);
    Extent extent = CacheFixtures.complete(file, source(1, 4));
    // The cache remembers those that are not complete: now it has only the other one in mind.
    CacheFixtures.load(open(2), 0, source(2, 2));
    long version = extent.acquire();
    cache.close();
    assertFalse(extent.is(version), "readers look up again");
    assertNull(file.find(0));
    assertEquals(1, memory.discards.get());
    assertNull(CacheFixtures.view(extent));
  }

  @Test
  void aClosedCacheSparesWhatIsLookedAt() throws IOException {
    CachedFile file = open(4);
    Extent extent = CacheFixtures.complete(file, source(1, 4));
    Runnable[] releases = new Runnable[1];
    assertNotNull(CacheFixtures.view(extent, releases));
    cache.close();
    assertEquals(0, memory.discards.get());
    assertEquals(CacheFixtures.byteOf(1, BLOCK), extent.chunk().bytes().get(extent.base() + BLOCK));
    assertEquals(4, cache.counters().sum(Counter.BLOCKS));
    releases[0].run();
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
  }

  // ---- what a miss reads ----

  @Test
  void whatIsWantedIsReadAtOnceAlsoWhereBlocksHaveToGo() throws IOException {
    take(16);
    CachedFile file = open(5);
    TestSource source = source(1, 5);
    CacheFixtures.load(file, 4, source);
    assertNotNull(file.load(0, 3, source));
    assertEquals(2, source.reads.get());
    CacheFixtures.check(file, 1, 3);
    assertEquals(4, cache.counters().sum(Counter.EVICTIONS));
    assertNotNull(file.load(3, 2, source));
    assertEquals(
        5, cache.counters().sum(Counter.EVICTIONS), "nothing goes for a block that is there");
  }

  @Test
  void aReadIsNoLongerThanItMayBeNorThanTheFile() throws IOException {
    SlotCache small = CacheFixtures.cache(256, 6);
    CachedFile file = small.files().open(null, "f", 200 * 64 - 7);
    List<Integer> lengths = new ArrayList<>();
    assertNotNull(
        file.load(
            63,
            Fill.MAX_BLOCKS,
            CacheFixtures.file((position, length, memory) -> lengths.add(length))));
    assertNotNull(
        file.load(
            199,
            1,
            CacheFixtures.file(
                (position, length, memory) -> {
                  lengths.add(length);
                  assertEquals(200 * 64 - 7, position + length);
                })));
    assertEquals(2, lengths.size());
    assertTrue(lengths.get(0) <= Fill.MAX_BLOCKS * 64, "" + lengths);
  }

  // ---- eviction ----

  @Test
  void aBlockStartsWithoutTheUsesOfTheOneBefore() {
    Slot slot = new Slot(0);
    slot.uses = Slot.MAX_USES;
    new EvictionShard(16).add(slot, 5, EvictionShard.Reason.READ);
    assertEquals(0, slot.uses);
  }

  @Test
  void slotsOfAClosedFileLeaveTheMainQueueToo() throws IOException {
    CachedFile hot = open(1);
    Slot slot = CacheFixtures.load(hot, 0, source(1, 1));
    slot.touch();
    slot.touch();
    take(16);
    assertTrue(CacheFixtures.has(hot, 0), "in the main queue");
    hot.close();
    singles.forEach(CachedFile::close);
    CacheCheck.allSlotsCanBeHad(cache);
  }
}
