/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What holds between files and their extents, whose memory can be handed out: one at a time and
 * without luck, as in {@link CacheInvariantTest}.
 */
class ExtentTest extends LargeBlocksTestCase {

  ExtentTest() {
    super(16, 16);
  }

  // ---- room ----

  @Test
  void whatThereIsNoMemoryForIsNotFree() throws IOException {
    SlotCache poor = new SlotCache(16 << BITS, BITS, new TestMemory(4 << BITS, 2));
    for (int i = 0; i < 9; i++) {
      CacheFixtures.load(poor.files().open(null, "f", BLOCK), 0, source(1, 1));
    }
    assertEquals(8, poor.counters().sum(Counter.BLOCKS));
    assertFalse(poor.hasRoomToMove(0));
  }

  @Test
  void oneBlockNeedsNoExtent() throws IOException {
    CachedFile file = open(1);
    CacheFixtures.load(file, 0, source(1, 1));
    assertNull(file.extent(0));
  }

  /** The table of a large file takes much of the heap. */
  @Test
  void aLargeFileThatHasBeenClosedIsForgotten() throws IOException {
    SlotCache large = CacheFixtures.cache(8192, 6);
    WeakReference<CachedFile> closed = new WeakReference<>(pendingAndClosed(large));
    Fixtures.await(
        "a file that nothing leads to",
        () -> {
          System.gc();
          return closed.refersTo(null);
        });
    large.close();
  }

  private static CachedFile pendingAndClosed(SlotCache large) throws IOException {
    CachedFile file = large.files().open(null, "f", 5000L << 6);
    CacheFixtures.load(file, 0, new TestSource(1, 5000L << 6));
    assertTrue(file.extent(0).isPending());
    file.close();
    return file;
  }

  @Test
  void slotsThatAreKeptAreUsedBeforeABlockIsEvicted() throws IOException {
    CachedFile file = open(10);
    CacheFixtures.load(file, 3, source(1, 10));
    take(15);
    assertTrue(file.extent(0).isEnded());
    assertEquals(16, cache.counters().sum(Counter.BLOCKS));
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
    assertTrue(CacheFixtures.has(file, 3));
  }

  @Test
  void anExtentThatIsCompleteIsNotEndedForTheSlotsOfOneThatIsNot() throws IOException {
    CachedFile file = open(8);
    CachedFile pending = open(6);
    CacheFixtures.load(file, 0, source(1, 8));
    CacheFixtures.load(pending, 0, source(2, 6));
    Extent extent = CacheFixtures.complete(file, source(1, 8));
    take(2 + 5);
    assertTrue(pending.extent(0).isEnded());
    assertTrue(Guard.isStable(extent.acquire()), "it keeps no slot that could be had");
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
  }

  /** A search that has a hit does not wait for reads of blocks that it has not asked for. */
  @Test
  void aFileIsCompletedByAnotherThreadThanTheOneThatReads() throws Exception {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    CacheFixtures.load(file, 0, source);
    BlockingQueue<Thread> readers = new LinkedBlockingQueue<>();
    source.before = () -> readers.add(Thread.currentThread());
    file.extents().completeLater(0, source);
    Thread reader = readers.poll(30, TimeUnit.SECONDS);
    assertNotNull(reader, "nobody has read more of it");
    assertNotSame(Thread.currentThread(), reader);
  }

  @Test
  void aFileMovesTogetherAgainWhereThereIsRoom() throws IOException {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    CacheFixtures.load(file, 0, source);
    CacheFixtures.load(file, 2, source);
    Extent first = file.extent(0);
    Slot before = file.find(2);
    long version = before.acquire();
    // This is as if the room had been wanted for a moment.
    first.end();
    for (int i = 0; i < 10 && file.extents().complete(0, source); i++) {
      assertTrue(cache.counters().sum(Counter.BLOCKS) <= 4, "none twice");
    }
    Extent second = file.extent(0);
    assertNotSame(first, second);
    assertTrue(Guard.isStable(second.acquire()), "complete");
    CacheFixtures.check(file, 1, 4);
    for (int block = 0; block < 4; block++) {
      assertEquals(
          CacheFixtures.byteOf(1, (long) block << BITS),
          second.chunk().bytes().get(second.base() + (block << BITS)));
    }
    assertFalse(before.is(version), "who reads where it was looks up again");
    assertEquals(4, cache.counters().sum(Counter.BLOCKS));
    assertEquals(4, source.reads.get(), "what is in the cache is not read again");
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void aFileStaysApartWhereThereIsHardlyRoom() throws IOException {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    CacheFixtures.load(file, 0, source);
    Extent extent = file.extent(0);
    extent.end();
    take(11);
    assertFalse(cache.hasRoomToMove(4), "four are free, and one is to be left");
    assertFalse(file.extents().complete(0, source));
    assertSame(extent, file.extent(0));
  }

  // ---- memory that is handed out ----

  @Test
  void atMostThreeQuartersAreHandedOut() throws IOException {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      extents.add(CacheFixtures.complete(open(i < 2 ? 5 : 3), source(i, 5)));
    }
    Runnable[] releases = new Runnable[1];
    List<Object> looking = new ArrayList<>();
    looking.add(CacheFixtures.view(extents.get(0)));
    looking.add(CacheFixtures.view(extents.get(1), releases));
    assertFalse(looking.contains(null));
    assertNull(CacheFixtures.view(extents.get(2)), "13 of 16");
    assertNull(CacheFixtures.view(extents.get(3)), "13 of 16");
    releases[0].run();
    assertFalse(extents.get(1).isPinned());
    assertNotNull(CacheFixtures.view(extents.get(2)), "8 of 16");
    assertNotNull(CacheFixtures.view(extents.get(3)), "11 of 16");
    assertEquals(2, looking.size());
  }

  @Test
  void nothingOfAViewChangesWhenTheRoomIsWantedUntilNobodyLooks() throws IOException {
    CachedFile file = open(12);
    Extent extent = CacheFixtures.complete(file, source(1, 12));
    long version = extent.acquire();
    Runnable[] releases = new Runnable[1];
    Object looking = CacheFixtures.view(extent, releases);
    assertNotNull(looking);
    take(20);
    assertTrue(extent.is(version), "nothing of it has changed");
    releases[0].run();
    for (int i = 0; i < 16; i++) {
      // The others are used again, so that they press into the main queue, too.
      Slot slot = CacheFixtures.load(open(1), 0, source(100, 1));
      slot.touch();
      slot.touch();
    }
    assertFalse(extent.is(version), "its slots can be had now");
    assertNull(CacheFixtures.view(extent, releases), "it has ended");
  }

  /** Each collection makes the next view another one, so that none outlives those who use it. */
  @Test
  void aViewIsHandedOutUntilTheNextCollection() throws Exception {
    Extent extent = CacheFixtures.complete(open(4), source(1, 4));
    Runnable[] ofFirst = new Runnable[1];
    Runnable[] ofSecond = new Runnable[1];
    Object first = CacheFixtures.view(extent, ofFirst);
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    awaitCleared(garbage);
    Object second = CacheFixtures.view(extent, ofSecond);
    assertNotNull(second);
    assertNotSame(first, second, "though the first is still in use");
    ofFirst[0].run();
    assertTrue(extent.isPinned(), "by the second");
    ofFirst[0].run();
    assertTrue(extent.isPinned(), "each is counted once");
    assertEquals(4, cache.pins().count());
    ofSecond[0].run();
    assertFalse(extent.isPinned());
    assertEquals(0, cache.pins().count());
  }

  /**
   * Otherwise a file that is always in use would keep its room for ever, one view after the other.
   */
  @Test
  void noViewIsMadeOfWantedRoomBeforeAllHaveGone() throws Exception {
    Extent extent = CacheFixtures.complete(open(12), source(1, 12));
    Runnable[] releases = new Runnable[1];
    Object looking = CacheFixtures.view(extent, releases);
    take(20);
    awaitCleared(new WeakReference<>(new Object()));
    assertNotNull(looking);
    assertNull(CacheFixtures.view(extent), "the room is wanted");
    releases[0].run();
    assertNotNull(CacheFixtures.view(extent), "nobody has taken it");
  }

  /** It is not asked for again, so it is no reason to hand out less of what is in use. */
  @Test
  void whatIsHandedOutOfAClosedFileDoesNotCountAgainstOthers() throws IOException {
    CachedFile closed = open(12);
    CachedFile other = open(4);
    Runnable[] releases = new Runnable[1];
    Object looking = CacheFixtures.view(CacheFixtures.complete(closed, source(1, 12)), releases);
    Extent extent = CacheFixtures.complete(other, source(2, 4));
    assertNull(CacheFixtures.view(extent), "three quarters are handed out");
    assertEquals(12, cache.pins().count());
    assertEquals(0, cache.pins().ofClosedFiles());
    closed.close();
    assertNotNull(CacheFixtures.view(extent));
    assertEquals(16, cache.pins().count());
    assertEquals(12, cache.pins().ofClosedFiles());
    releases[0].run();
    assertEquals(4, cache.pins().count());
    assertEquals(0, cache.pins().ofClosedFiles());
    assertNotNull(looking);
  }

  /**
   * A block of a file that is being closed is freed, then its memory is handed out with the rest,
   * then the file's extent ends: what is being looked at must not be free.
   */
  @Test
  void whatIsBeingLookedAtIsNotFreeThoughOneBlockOfItHadGone() throws IOException {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    Extent extent = CacheFixtures.complete(file, source);
    Runnable[] releases = new Runnable[1];
    Slot slot = file.find(2);
    // CachedFile.freeIfOurs does this, after it has looked at the pin.
    assertTrue(slot.tryTake(slot.acquire()));
    file.remove(2, slot);
    cache.leave(slot);
    Object looking = CacheFixtures.view(extent, releases);
    cache.release(slot);
    file.close();
    take(16);
    assertNotNull(looking);
    for (int block = 0; block < 4; block++) {
      assertEquals(
          CacheFixtures.byteOf(1, (long) block << BITS),
          extent.chunk().bytes().get(extent.base() + (block << BITS)),
          "block " + block);
    }
    releases[0].run();
    singles.forEach(CachedFile::close);
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** One that was complete twice over with a hole in it would be read as if it had none. */
  @Test
  void anExtentThatHasLostABlockIsNotCompleteAgainByAnother() throws IOException {
    CachedFile file = open(4);
    TestSource source = source(1, 4);
    CacheFixtures.load(file, 0, source);
    CacheFixtures.load(file, 1, source);
    Extent extent = file.extent(0);
    file.freeIfOurs(file.find(1));
    CacheFixtures.load(file, 1, source);
    CacheFixtures.load(file, 2, source);
    assertFalse(Guard.isStable(extent.acquire()), "block 3 is missing");
    CacheFixtures.load(file, 3, source);
    assertTrue(Guard.isStable(extent.acquire()));
  }

  /** This happens when a block is published after those who waited for it have given it up. */
  @Test
  void aCompleteExtentEndsWithTheFirstBlockThatIsFreed() throws IOException {
    CachedFile file = open(4);
    Extent extent = CacheFixtures.complete(file, source(1, 4));
    long version = extent.acquire();
    file.freeIfOurs(file.find(1));
    assertFalse(extent.is(version), "its slot may have another block");
    assertTrue(extent.isEnded());
    assertNull(CacheFixtures.view(extent));
  }

  @Test
  void anExtentIsHandedOutOnlyWhileItIsComplete() throws IOException {
    CachedFile file = open(4);
    CacheFixtures.load(file, 0, source(1, 4));
    Extent extent = file.extent(0);
    assertNull(CacheFixtures.view(extent), "one of four");
    CacheFixtures.complete(file, source(1, 4));
    extent.end();
    assertNull(CacheFixtures.view(extent), "no longer");
    assertFalse(extent.isPinned());
  }

  /** Only what keeps a view reachable but its users is dropped: then the collector takes it. */
  @Test
  void anExtentHoldsOnToNoViewThatIsGivenUp() throws Exception {
    CachedFile wanted = open(5);
    CachedFile closed = open(5);
    Runnable[] releases = new Runnable[1];
    Runnable[] ofSecond = new Runnable[1];
    Extent first = CacheFixtures.complete(wanted, source(1, 5));
    Extent second = CacheFixtures.complete(closed, source(2, 5));
    WeakReference<Object> ofWanted = new WeakReference<>(CacheFixtures.view(first, releases));
    WeakReference<Object> ofClosed = new WeakReference<>(CacheFixtures.view(second, ofSecond));
    closed.close();
    awaitCleared(ofClosed);
    take(10);
    awaitCleared(ofWanted);
    ofSecond[0].run();
    assertNull(CacheFixtures.view(first), "nobody has said yet that nobody looks");
    releases[0].run();
    assertNotNull(CacheFixtures.view(first));
  }

  private static void awaitCleared(WeakReference<Object> reference) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (!reference.refersTo(null)) {
      assertTrue(System.nanoTime() < deadline, "something still holds it");
      System.gc();
      Thread.sleep(1);
    }
  }

  /** Small queue, oldest first: those that were read in one piece, then those that were not. */
  @Test
  void blocksThatWereReadInOnePieceOutliveOthers() throws IOException {
    CachedFile read = open(4);
    CachedFile unread = open(4);
    CacheFixtures.complete(read, source(1, 4));
    CacheFixtures.complete(unread, source(2, 4));
    for (int block = 0; block < 4; block++) {
      // Whoever missed them touches them.
      read.find(block).touch();
      unread.find(block).touch();
    }
    read.extent(0).touch();
    take(8 + 3);
    assertEquals(3, cache.counters().sum(Counter.EVICTIONS));
    for (int block = 0; block < 4; block++) {
      assertTrue(CacheFixtures.has(read, block), "block " + block);
    }
  }

  // ---- extents ----

  @Test
  void anExtentGivesBackWhatHasNotBeenClaimed() throws IOException {
    SlotCache small = CacheFixtures.cache(16, 16);
    long length = 10 << 16;
    TestSource source = new TestSource(1, length);
    CachedFile file = small.files().open(null, "f", length);
    CacheFixtures.load(file, 3, source);
    Extent extent = file.extent(0);
    assertNotNull(extent);
    assertEquals(length, extent.size());
    assertTrue(extent.isPending());
    int there = 0;
    for (int block = 0; block < 10; block++) {
      if (CacheFixtures.has(file, block)) {
        there++;
        assertNull(extent.claim(block));
      }
    }
    int unclaimed = extent.nextUnclaimed(3);
    Slot claimed = extent.claim(unclaimed);
    assertNull(extent.claim(unclaimed));
    assertTrue(extent.unclaim(claimed));
    assertSame(claimed, extent.claim(unclaimed));
    extent.end();
    extent.end();
    assertFalse(extent.unclaim(claimed), "it is the caller's to free");
    small.freeRun(claimed.index, 1);
    assertEquals(-1, extent.nextUnclaimed(0));
    assertFalse(Guard.isStable(extent.acquire()));
    assertEquals(there, small.counters().sum(Counter.BLOCKS));
    file.close();
    CacheCheck.allSlotsCanBeHad(small);
  }

  @Test
  void aCompleteExtentIsOnePieceUntilTheRoomIsWanted() throws IOException {
    SlotCache small = CacheFixtures.cache(16, 6);
    CachedFile file = small.files().open(null, "f", 64 * 16);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 16));
    long version = extent.acquire();
    for (int i = 0; i < 64 * 16; i++) {
      assertEquals(
          CacheFixtures.byteOf(1, i), extent.chunk().bytes().get(extent.base() + i), "" + i);
    }
    CachedFile other = small.files().open(null, "g", 64);
    CacheFixtures.load(other, 0, new TestSource(2, 64));
    assertFalse(extent.is(version));
    assertEquals(16, small.counters().sum(Counter.BLOCKS));
    file.close();
    other.close();
    CacheCheck.allSlotsCanBeHad(small);
  }

  @Test
  void anExtentThatHasEndedGivesNoSlotOut() throws IOException {
    CachedFile file = open(4);
    CacheFixtures.load(file, 0, source(1, 4));
    Extent extent = file.extent(0);
    Slot claimed = extent.claim(1);
    assertSame(extent, claimed.extent);
    assertTrue(extent.unclaim(claimed));
    assertNull(claimed.extent);
    extent.end();
    assertNull(extent.claim(1), "it is free by now");
  }

  @Test
  void anExtentIsAsLongAsTheFile() throws IOException {
    long length = (3L << BITS) - 5;
    CachedFile file = cache.files().open(null, "f", length);
    assertEquals(length, CacheFixtures.complete(file, new TestSource(1, length)).size());
  }

  /** The close comes when the extent has its slots, and the file does not know it yet. */
  @Test
  void anExtentThatIsMadeDuringACloseEnds() throws IOException {
    CachedFile[] file = new CachedFile[1];
    TestMemory closing =
        new TestMemory(16 << BITS, Integer.MAX_VALUE) {
          @Override
          public ByteBuffer allocate(int bytes) {
            file[0].close();
            return super.allocate(bytes);
          }
        };
    SlotCache other = new SlotCache(16 << BITS, BITS, closing);
    file[0] = other.files().open(null, "f", 4L << BITS);
    file[0].load(0, 1, source(1, 4));
    assertTrue(file[0].extent(0).isEnded());
    assertEquals(0, other.counters().sum(Counter.BLOCKS));
    file[0] = other.files().open(null, "unused", 1);
    CacheCheck.allSlotsCanBeHad(other);
  }

  @Test
  void anExtentIsCompleteWithItsLastBlockAndNotBefore() throws IOException {
    CachedFile file = open(3);
    TestSource source = source(1, 3);
    Extent extent = null;
    for (int block = 0; block < 3; block++) {
      assertTrue(extent == null || !Guard.isStable(extent.acquire()), "block " + block);
      CacheFixtures.load(file, block, source);
      extent = file.extent(0);
    }
    assertTrue(Guard.isStable(extent.acquire()));
  }

  @Test
  void anExtentThatEndsWhileItsLastBlockIsFilledStaysEnded() throws IOException {
    CachedFile file = open(2);
    TestSource source = source(1, 2);
    CacheFixtures.load(file, 0, source);
    Extent extent = file.extent(0);
    source.before = extent::end;
    CacheFixtures.load(file, 1, source);
    assertFalse(Guard.isStable(extent.acquire()), "its blocks can go one by one");
    CacheFixtures.check(file, 1, 2);
  }
}
