/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Slots on their way between files, extents and the free ones. */
class SlotCacheTest {

  private static final int BITS = 6;

  /** Keeps a view reachable. */
  private Object looking;

  private static byte[] copy(CachedFile file, long position, int count) {
    byte[] bytes = new byte[count];
    assertEquals(count, file.copy(position, bytes, 0, count));
    return bytes;
  }

  private static byte[] expected(int id, long position, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = CacheFixtures.byteOf(id, position + i);
    }
    return bytes;
  }

  @Test
  void copyTakesWhatIsThereAndStopsAtWhatIsNot() throws IOException {
    SlotCache cache = CacheFixtures.cache(4, BITS);
    TestSource source = new TestSource(7, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    CacheFixtures.load(file, 2, source);
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(expected(7, 130, 100), copy(file, 130, 100));
    int before = source.reads.get();
    byte[] bytes = new byte[1000];
    int start = 0;
    while (!CacheFixtures.has(file, start)) {
      start++;
    }
    int blocks = 0;
    while (CacheFixtures.has(file, start + blocks)) {
      blocks++;
    }
    int here = (blocks << BITS) - 10;
    assertEquals(here, file.copy((start << BITS) + 10, bytes, 5, 900));
    assertEquals(CacheFixtures.byteOf(7, (start << BITS) + 10), bytes[5]);
    assertEquals(0, bytes[5 + here]);
    assertEquals(before, source.reads.get());
    file.close();
    assertEquals(0, file.copy(130, bytes, 0, 100));
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void aRangeIsCachedIfAllItsBlocksAreAndIfTheyAreFew() throws IOException {
    // One block in each chunk, so that no file lies in one piece.
    SlotCache cache =
        new SlotCache(200 << BITS, BITS, new TestMemory(1 << BITS, Integer.MAX_VALUE));
    long length = 100 << BITS;
    TestSource source = new TestSource(1, length);
    CachedFile file = cache.files().open(null, "f", length);
    CachedFile other = cache.files().open(null, "g", length);
    other.loadAll(source);
    file.loadAll(source);
    long most = (long) Fill.MAX_BLOCKS << BITS;
    assertTrue(file.isCached(0, most));
    assertTrue(file.isCached(length - most, most));
    assertFalse(file.isCached(0, most + 1), "too many to look for");
    assertFalse(file.isCached(1, most));
    for (int block : new int[] {3, 5}) {
      file.freeIfOurs(file.find(block));
    }
    for (int from = 0; from < 8; from++) {
      for (int to = from; to < 8; to++) {
        boolean isThere = (from > 3 || to < 3) && (from > 5 || to < 5);
        long first = (long) from << BITS;
        long last = ((to + 1L) << BITS) - 1;
        assertEquals(isThere, file.isCached(first, last - first + 1), from + " to " + to);
        first = Math.min(first + 50, last);
        assertEquals(isThere, file.isCached(first, last - first + 1), from + " to " + to);
      }
    }
    file.close();
    other.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void allWhoHaveAFileOpenShareItsBlocksUntilTheLastCloses() throws IOException {
    SlotCache cache = CacheFixtures.cache(8, BITS);
    TestSource source = new TestSource(1, 64);
    CachedFile file = cache.files().open("key", "f", 64);
    assertSame(file, cache.files().open("key", "g", 64));
    assertNotSame(file, cache.files().open("key", "longer", 65));
    assertNotSame(file, cache.files().open(null, "f", 64));
    Slot slot = CacheFixtures.load(file, 0, source);
    long version = slot.acquire();
    file.close();
    assertFalse(slot.is(version), "readers look up again");
    assertTrue(CacheFixtures.has(file, 0));
    file.close();
    assertFalse(CacheFixtures.has(file, 0));
    assertNull(file.load(0, 1, source));
    assertNotSame(file, cache.files().open("key", "f", 64));
    assertEquals(0, cache.counters().blocks());
  }

  @Test
  void whatNobodyHasAnnouncedIsNoPrefetch() throws IOException {
    SlotCache cache = CacheFixtures.cache(8, BITS);
    CachedFile file = cache.files().open(null, "f", 100);
    file.loadAll(new TestSource(1, 100));
    assertEquals(0, cache.counters().prefetches());
    assertEquals(0, cache.counters().prefetchesIssued());
    assertEquals(2, cache.counters().blocksRead());
    assertEquals(100, cache.counters().bytesRead());
    assertEquals(0, cache.counters().misses());
    assertEquals(0, cache.counters().loads());
  }

  @Test
  void whatCantBeReadLeavesNoTrace() throws IOException {
    SlotCache cache = CacheFixtures.cache(32, BITS);
    TestSource source = new TestSource(1, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    source.broken = 200;
    IOException e = assertThrows(IOException.class, () -> file.load(3, 1, source));
    assertEquals("broken at 200", e.getMessage());
    assertEquals(0, cache.counters().blocks());
    assertNull(file.find(3));
    // Its neighbours are no reason not to read a block.
    CacheFixtures.load(file, 5, source);
    assertArrayEquals(expected(1, 320, 64), copy(file, 320, 64));
    source.broken = -1;
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(expected(1, 192, 64), copy(file, 192, 64));
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** A failure ahead is not that of who asked for another block, and is not tried for ever. */
  @Test
  void whatCantBeReadAheadFailsNobody() throws IOException {
    SlotCache cache = CacheFixtures.cache(256, 12);
    long length = 100 << 12;
    TestSource source = new TestSource(1, length);
    CachedFile file = cache.files().open(null, "f", length);
    CacheFixtures.load(file, 0, source);
    source.broken = 40 << 12;
    for (int i = 0; i < 20; i++) {
      file.extents().complete(0, source);
    }
    int reads = source.reads.get();
    file.extents().complete(0, source);
    assertEquals(reads, source.reads.get());
    assertFalse(CacheFixtures.has(file, 40));
    assertTrue(file.extent(0).isEnded(), "what it kept is free again");
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void oneFailureAheadIsForgiven() throws IOException {
    SlotCache cache = CacheFixtures.cache(256, 12);
    long length = 100 << 12;
    TestSource source = new TestSource(1, length);
    CachedFile file = cache.files().open(null, "f", length);
    CacheFixtures.load(file, 0, source);
    source.broken = 40 << 12;
    while (file.extents().complete(0, source)) {}
    source.broken = -1;
    while (file.extents().complete(0, source)) {}
    assertTrue(Guard.isStable(file.extent(0).acquire()), "complete");
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** What is no IOException, either, leaves nobody waiting for ever. */
  @Test
  void anErrorInAReadLeavesNoTrace() throws IOException {
    SlotCache cache = CacheFixtures.cache(32, BITS);
    TestSource source = new TestSource(1, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    source.before =
        () -> {
          throw new StackOverflowError("by script");
        };
    assertThrows(StackOverflowError.class, () -> file.load(3, 1, source));
    source.before = () -> {};
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(expected(1, 192, 64), copy(file, 192, 64));
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void closingWithoutReadersDisturbsNobodyElses() throws IOException {
    SlotCache cache = CacheFixtures.cache(8, BITS);
    TestSource source = new TestSource(1, 64 * 3);
    CachedFile file = cache.files().open("key", "f", 64 * 3);
    assertSame(file, cache.files().open("key", "f", 64 * 3));
    Slot slot = CacheFixtures.load(file, 0, source);
    file.loadAll(source);
    Extent extent = file.extent(0);
    long version = slot.acquire();
    long extentVersion = extent.acquire();
    assertTrue(Guard.isStable(extentVersion));
    file.close(false);
    assertTrue(slot.is(version));
    assertTrue(extent.is(extentVersion));
    file.close(false);
    assertFalse(CacheFixtures.has(file, 0));
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void twoWhoMissABlockReadItOnce() throws Exception {
    SlotCache cache = CacheFixtures.cache(2, BITS);
    TestSource source = new TestSource(1, 64);
    CachedFile file = cache.files().open(null, "f", 64);
    source.before = () -> awaitWaiters(cache, 1);
    Fixtures.inThreads(2, thread -> CacheFixtures.load(file, 0, source));
    assertEquals(1, source.reads.get());
    assertEquals(1, cache.counters().waits());
  }

  @Test
  void whoWaitedForABlockThatCouldNotBeReadReadsItItself() throws Exception {
    SlotCache cache = CacheFixtures.cache(2, BITS);
    TestSource failing = new TestSource(1, 64);
    failing.broken = 0;
    TestSource good = new TestSource(1, 64);
    CachedFile file = cache.files().open(null, "f", 64);
    CountDownLatch begun = new CountDownLatch(1);
    failing.before =
        () -> {
          begun.countDown();
          awaitWaiters(cache, 1);
        };
    Fixtures.inThreads(
        2,
        thread -> {
          if (thread == 0) {
            assertThrows(IOException.class, () -> file.load(0, 1, failing));
          } else {
            Fixtures.await(begun);
            CacheFixtures.load(file, 0, good);
          }
        });
    assertEquals(1, good.reads.get());
    assertArrayEquals(expected(1, 0, 64), copy(file, 0, 64));
  }

  /** One of two users of a file closes it while the other does, too. */
  @Test
  void closesThatMeetFreeAllSlots() throws Exception {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    for (int round = 0; round < 3000; round++) {
      TestSource source = new TestSource(1, 64 * 20);
      CachedFile file = cache.files().open(1, "f", 64 * 20);
      assertSame(file, cache.files().open(1, "f", 64 * 20));
      for (int block = 0; block < 20; block++) {
        CacheFixtures.load(file, block, source);
      }
      Thread other = new Thread(file::close);
      other.start();
      file.close();
      other.join();
      assertEquals(0, cache.counters().blocks(), "round " + round);
    }
    CacheCheck.allSlotsCanBeHad(cache);
  }

  private static void awaitWaiters(SlotCache cache, int count) {
    Fixtures.awaitCount(() -> cache.counters().waits(), count);
  }

  @Test
  void aCacheThatGetsNoMemoryLosesOnlyWhatThereIsNoneFor() throws IOException {
    // Four chunks of four blocks, of which there is memory for two.
    TestMemory memory = new TestMemory(4 << BITS, 2);
    SlotCache cache = new SlotCache(16 << BITS, BITS, memory);
    long length = 64 * 16;
    TestSource source = new TestSource(1, length);
    CachedFile file = cache.files().open(null, "f", length);
    for (int round = 0; round < 3; round++) {
      for (int block = 0; block < 16; block++) {
        CacheFixtures.load(file, block, source);
        assertArrayEquals(expected(1, block << BITS, 64), copy(file, block << BITS, 64));
      }
    }
    assertEquals(8, cache.counters().blocks());
    assertEquals(8, cache.capacity(), "what it can hold is what is reported");
    assertEquals(3, memory.allocations.get(), "asked in vain once");
    file.close();
    assertEquals(0, cache.counters().blocks());
  }

  @Test
  void aCacheWithoutAnyMemoryHasNoRoom() throws IOException {
    SlotCache cache = new SlotCache(16 << BITS, BITS, new TestMemory(4 << BITS, 0));
    CachedFile file = cache.files().open(null, "f", 1000);
    assertNull(file.load(0, 1, new TestSource(1, 1000)));
    assertEquals(1, cache.counters().bypasses());
    assertEquals(0, cache.capacity());
  }

  /** What is being filled when the cache is closed must not be thrown away under its reader. */
  @Test
  void closingACacheSparesWhatIsBeingFilled() throws Exception {
    TestMemory memory = new TestMemory(4 << BITS, 100);
    SlotCache cache = new SlotCache(8 << BITS, BITS, memory);
    CachedFile done = cache.files().open(null, "done", 64);
    CachedFile file = cache.files().open(null, "f", 64);
    for (int i = 0; i < 4; i++) {
      CacheFixtures.load(cache.files().open(null, "other", 64), 0, new TestSource(2, 64));
    }
    CacheFixtures.load(done, 0, new TestSource(2, 64));
    TestSource source = new TestSource(1, 64);
    source.before =
        () -> {
          cache.close();
          assertEquals(1, memory.discards.get(), "the chunk that nobody used, and not the other");
        };
    file.load(0, 1, source);
    assertEquals(2, memory.discards.get(), "now that nobody uses it");
    assertEquals(0, cache.counters().blocks());
    assertNull(file.load(0, 1, source));
    cache.close();
  }

  // ---- extents ----

  @Test
  void anExtentGivesBackWhatHasNotBeenClaimed() throws IOException {
    SlotCache cache = CacheFixtures.cache(16, 16);
    long length = 10 << 16;
    TestSource source = new TestSource(1, length);
    CachedFile file = cache.files().open(null, "f", length);
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
    cache.free(claimed.index);
    assertEquals(-1, extent.nextUnclaimed(0));
    assertFalse(Guard.isStable(extent.acquire()));
    assertEquals(there, cache.counters().blocks());
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void aCompleteExtentIsOnePieceUntilTheRoomIsWanted() throws IOException {
    SlotCache cache = CacheFixtures.cache(16, BITS);
    CachedFile file = cache.files().open(null, "f", 64 * 16);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 16));
    long version = extent.acquire();
    for (int i = 0; i < 64 * 16; i++) {
      assertEquals(
          CacheFixtures.byteOf(1, i), extent.chunk().bytes().get(extent.base() + i), "" + i);
    }
    CachedFile other = cache.files().open(null, "g", 64);
    CacheFixtures.load(other, 0, new TestSource(2, 64));
    assertFalse(extent.is(version));
    assertEquals(16, cache.counters().blocks());
    file.close();
    other.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /**
   * Returns an object that tells when it can't be reached, as an {@link java.lang.foreign.Arena}
   * does.
   */
  private static Object newView(Runnable release) {
    Object view = new Object();
    java.lang.ref.Cleaner.create().register(view, release);
    return view;
  }

  @Test
  @SuppressWarnings({
    "ReachabilityFenceUsage", // What fails before needs no fence any more.
    "ReferenceEquality" // Whether it is this very object is the question.
  })
  void whatIsLookedAtStaysAndGoesWhenNobodyLooks() throws Exception {
    SlotCache cache = CacheFixtures.cache(16, BITS);
    CachedFile file = cache.files().open(null, "f", 64 * 8);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 8));
    Extent.ViewMaker maker = (chunk, base, size, release) -> newView(release);
    boolean isSame = false;
    // A collection in between makes the next view another one.
    for (int attempt = 0; attempt < 10 && !isSame; attempt++) {
      looking = extent.view(maker);
      assertNotNull(looking);
      isSame = looking == extent.view(maker);
    }
    assertTrue(isSame);
    byte[] before = new byte[64 * 8];
    extent.chunk().bytes().get(extent.base(), before);
    // Far more comes in than there is room for, and then the file itself ends.
    TestSource others = new TestSource(2, 64 * 100);
    CachedFile other = cache.files().open(null, "g", 64 * 100);
    for (int block = 0; block < 100; block++) {
      CacheFixtures.load(other, block, others);
    }
    file.close();
    for (int block = 0; block < 100; block++) {
      CacheFixtures.load(other, block, others);
    }
    assertTrue(extent.isPinned());
    byte[] after = new byte[64 * 8];
    extent.chunk().bytes().get(extent.base(), after);
    assertArrayEquals(before, after);
    assertArrayEquals(expected(1, 0, 64 * 8), after);
    other.close();
    assertEquals(8, cache.counters().blocks());
    looking = null;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (cache.counters().blocks() > 0 && System.nanoTime() < deadline) {
      System.gc();
      Thread.sleep(10);
    }
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** However its extent has ended, what somebody looks at is not moved away and used again. */
  @Test
  void blocksThatAreLookedAtAreNotMoved() throws IOException {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    TestSource source = new TestSource(1, 64 * 8);
    CachedFile file = cache.files().open(null, "f", 64 * 8);
    Extent extent = CacheFixtures.complete(file, source);
    looking = extent.view((chunk, base, size, release) -> new Object());
    extent.endIfPending();
    assertFalse(extent.isEnded(), "a complete one is not pending");
    extent.end();
    for (int i = 0; i < 20; i++) {
      file.extents().complete(0, source);
    }
    assertSame(extent, file.extent(0));
    CachedFile other = cache.files().open(null, "g", 64 * 100);
    TestSource others = new TestSource(2, 64 * 100);
    for (int block = 0; block < 100; block++) {
      CacheFixtures.load(other, block, others);
    }
    byte[] bytes = new byte[64 * 8];
    extent.chunk().bytes().get(extent.base(), bytes);
    assertArrayEquals(expected(1, 0, 64 * 8), bytes);
    assertTrue(extent.isPinned());
  }

  /** What can't leave must not keep the eviction from finding what can. */
  @Test
  void blocksThatAreLookedAtDontStopTheEviction() throws IOException {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    CachedFile file = cache.files().open(null, "f", 64 * 24);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 24));
    looking = extent.view((chunk, base, size, release) -> new Object());
    CachedFile other = cache.files().open(null, "g", 64 * 1000);
    TestSource others = new TestSource(2, 64 * 1000);
    for (int round = 0; round < 20; round++) {
      for (int block = 0; block < 35; block++) {
        Slot slot = CacheFixtures.load(other, block, others);
        slot.touch();
        slot.touch();
      }
      for (int block = 100 + 40 * round; block < 120 + 40 * round; block++) {
        CacheFixtures.load(other, block, others);
      }
    }
    assertEquals(0, cache.counters().bypasses());
    // What was hot for so long leaves when it is not any more.
    for (int block = 100; block < 1000; block++) {
      CacheFixtures.load(other, block, others).touch();
      CacheFixtures.load(other, block, others).touch();
    }
    assertFalse(CacheFixtures.has(other, 0));
    assertEquals(64, cache.counters().blocks());
    assertTrue(extent.isPinned());
  }

  /** What others leave is found also where most of the cache is looked at, and by each miss. */
  @Test
  void theFewBlocksThatNobodyLooksAtTakeTurns() throws IOException {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    TestSource source = new TestSource(1, 64 * 48);
    CachedFile closed = cache.files().open(null, "closed", 64 * 14);
    Extent ofClosed = CacheFixtures.complete(closed, new TestSource(3, 64 * 14));
    Object lookingAtClosed = ofClosed.view((chunk, base, size, release) -> new Object());
    closed.close();
    CachedFile file = cache.files().open(null, "f", 64 * 48);
    Extent extent = CacheFixtures.complete(file, source);
    Runnable[] release = new Runnable[1];
    looking =
        extent.view(
            (chunk, base, size, run) -> {
              release[0] = run;
              return new Object();
            });
    assertEquals(62, cache.pins().count());
    CachedFile other = cache.files().open(null, "g", 64 * 1000);
    TestSource others = new TestSource(2, 64 * 1000);
    for (int block = 0; block < 100; block++) {
      CacheFixtures.load(other, block, others);
    }
    assertEquals(0, cache.counters().bypasses());
    assertTrue(CacheFixtures.has(other, 99));
    assertTrue(extent.isComplete() && ofClosed.isPinned());
    // And what nobody looks at any more leaves in its turn.
    release[0].run();
    for (int block = 100; block < 1000; block++) {
      CacheFixtures.load(other, block, others).touch();
      CacheFixtures.load(other, block, others).touch();
    }
    assertTrue(extent.isEnded());
    assertEquals(50, presentOf(other));
    assertNotNull(lookingAtClosed);
  }

  private static long presentOf(CachedFile file) {
    return IntStream.range(0, 1000).filter(block -> CacheFixtures.has(file, block)).count();
  }

  /** A window on a block goes with its file, also where the block itself has to stay. */
  @Test
  void aReaderOfWhatIsLookedAtLearnsThatItsFileIsClosed() throws IOException {
    SlotCache cache = CacheFixtures.cache(16, BITS);
    TestSource source = new TestSource(1, 64 * 8);
    CachedFile file = cache.files().open(null, "f", 64 * 8);
    Slot slot = CacheFixtures.load(file, 0, source);
    long version = slot.acquire();
    Extent extent = CacheFixtures.complete(file, source);
    looking = extent.view((chunk, base, size, release) -> new Object());
    assertTrue(slot.is(version));
    file.close();
    assertFalse(slot.is(version));
    assertArrayEquals(new byte[] {CacheFixtures.byteOf(1, 0)}, byteAt(extent, 0));
  }

  private static byte[] byteAt(Extent extent, int i) {
    return new byte[] {extent.chunk().bytes().get(extent.base() + i)};
  }

  @Test
  void aClosedCacheGivesMemoryBackWhenNobodyLooksAtIt() throws IOException {
    TestMemory memory = new TestMemory(8 << BITS, 100);
    SlotCache cache = new SlotCache(16 << BITS, BITS, memory);
    CachedFile file = cache.files().open(null, "f", 64 * 8);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 8));
    Runnable[] nobodyLooks = new Runnable[1];
    looking =
        extent.view(
            (chunk, base, size, release) -> {
              nobodyLooks[0] = release;
              return new Object();
            });
    CacheFixtures.load(cache.files().open(null, "g", 64), 0, new TestSource(2, 64));
    cache.close();
    assertEquals(1, memory.discards.get());
    file.close();
    assertEquals(1, memory.discards.get());
    assertEquals(CacheFixtures.byteOf(1, 0), byteAt(extent, 0)[0]);
    nobodyLooks[0].run();
    assertEquals(2, memory.discards.get());
    assertEquals(0, cache.counters().blocks());
  }

  @Test
  void aViewThatCantBeMadePinsNothing() throws IOException {
    SlotCache cache = CacheFixtures.cache(16, BITS);
    CachedFile file = cache.files().open(null, "f", 64 * 12);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 12));
    for (int i = 0; i < 3; i++) {
      assertThrows(
          IllegalStateException.class,
          () ->
              extent.view(
                  (chunk, base, size, release) -> {
                    throw new IllegalStateException("by script");
                  }));
    }
    assertFalse(extent.isPinned());
    assertNotNull(extent.view((chunk, base, size, release) -> new Object()));
  }
}
