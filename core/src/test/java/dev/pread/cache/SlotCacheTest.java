/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.FailingLog;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Slots on their way between files, extents and the free ones. */
class SlotCacheTest {

  private static final int BITS = 6;

  private static byte[] copy(CachedFile file, long position, int count) {
    byte[] bytes = new byte[count];
    assertEquals(count, file.copy(position, bytes, 0, count));
    return bytes;
  }

  @Test
  void copyTakesWhatIsThereAndStopsAtWhatIsNot() throws IOException {
    SlotCache cache = CacheFixtures.cache(4, BITS);
    TestSource source = new TestSource(7, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    CacheFixtures.load(file, 2, source);
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(CacheFixtures.bytesOf(7, 130, 100), copy(file, 130, 100));
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
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
  }

  @Test
  void aBlockThatMovesIsReadAheadInVainAsLongAsNobodyUsesIt() throws IOException {
    SlotCache cache = CacheFixtures.cache(8, BITS);
    TestSource source = new TestSource(1, 64);
    for (boolean isAhead : new boolean[] {true, false}) {
      for (int uses = 0; uses < 2; uses++) {
        CachedFile file = cache.files().open(null, "f", 64);
        Fill.Purpose purpose = isAhead ? Fill.Purpose.AHEAD : Fill.Purpose.MISS;
        assertTrue(file.loadAhead(0, 1, source, purpose));
        Slot from = file.find(0);
        for (int i = 0; i < uses; i++) {
          from.touch();
        }
        Slot to = cache.obtainForMove(file, 0);
        assertTrue(file.move(from, from.acquire(), 0, to));
        assertSame(to, file.find(0));
        assertEquals(isAhead && uses == 0, to.isReadAhead);
        file.close();
      }
    }
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void whatNobodyHasAnnouncedIsNoPrefetch() throws IOException {
    SlotCache cache = CacheFixtures.cache(8, BITS);
    CachedFile file = cache.files().open(null, "f", 100);
    file.loadAll(new TestSource(1, 100));
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES));
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(2, cache.counters().sum(Counter.BLOCKS_READ));
    assertEquals(100, cache.counters().sum(Counter.BYTES_READ));
    assertEquals(0, cache.counters().sum(Counter.MISSES));
    assertEquals(0, cache.counters().sum(Counter.LOADS));
  }

  @Test
  void whatCantBeReadLeavesNoTrace() throws IOException {
    SlotCache cache = CacheFixtures.cache(32, BITS);
    TestSource source = new TestSource(1, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    source.broken = 200;
    IOException e = assertThrows(IOException.class, () -> file.load(3, 1, source));
    assertEquals("broken at 200", e.getMessage());
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
    assertNull(file.find(3));
    // Its neighbours are no reason not to read a block.
    CacheFixtures.load(file, 5, source);
    assertArrayEquals(CacheFixtures.bytesOf(1, 320, 64), copy(file, 320, 64));
    source.broken = -1;
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(CacheFixtures.bytesOf(1, 192, 64), copy(file, 192, 64));
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

  /** One of two users of a file closes it while the other does, too. */
  @Test
  void closesThatMeetFreeAllSlots() throws Exception {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    for (int round = 0; round < 3000; round++) {
      TestSource source = new TestSource(1, 64 * 20);
      CachedFile file = cache.files().open(1, "f", 64 * 20);
      assertSame(file, cache.files().open(1, "f", 64 * 20));
      CacheFixtures.load(file, 0, 20, source);
      Thread other = new Thread(file::close);
      other.start();
      file.close();
      other.join();
      assertEquals(0, cache.counters().sum(Counter.BLOCKS), "round " + round);
    }
    CacheCheck.allSlotsCanBeHad(cache);
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
        assertArrayEquals(
            CacheFixtures.bytesOf(1, block << BITS, 64), copy(file, block << BITS, 64));
      }
    }
    assertEquals(8, cache.counters().sum(Counter.BLOCKS));
    assertEquals(8, cache.capacity(), "what it can hold is what is reported");
    assertEquals(3, memory.allocations.get(), "asked in vain once");
    file.close();
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
  }

  @Test
  void aLogThatFailsFailsNoReadWhereThereIsNoMemory() throws IOException {
    SlotCache cache = new SlotCache(16 << BITS, BITS, new TestMemory(4 << BITS, 2));
    CachedFile file = cache.files().open(null, "f", 64 * 16);
    try (FailingLog log = new FailingLog(SlotCache.class.getName())) {
      file.loadAll(new TestSource(1, 64 * 16));
      assertEquals(1, log.told());
    }
    assertEquals(8, cache.capacity());
    file.close();
  }

  /** A full heap says nothing about other memory, and garbage may be collected. */
  @Test
  void aHeapThatIsFullForAMomentCostsTheCacheNothing() throws IOException {
    TestMemory memory = new TestMemory(4 << BITS, 100);
    memory.allocationsToFail.set(1);
    SlotCache cache = new SlotCache(16 << BITS, BITS, memory);
    TestSource source = new TestSource(1, 1000);
    CachedFile file = cache.files().open(null, "f", 1000);
    assertThrows(OutOfMemoryError.class, () -> file.load(3, 1, source));
    assertEquals(16, cache.capacity());
    CacheFixtures.load(file, 3, source);
    assertArrayEquals(CacheFixtures.bytesOf(1, 192, 64), copy(file, 192, 64));
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void aCacheWithoutAnyMemoryHasNoRoom() throws IOException {
    SlotCache cache = new SlotCache(16 << BITS, BITS, new TestMemory(4 << BITS, 0));
    CachedFile file = cache.files().open(null, "f", 1000);
    assertNull(file.load(0, 1, new TestSource(1, 1000)));
    assertEquals(1, cache.counters().sum(Counter.BYPASSES));
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
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
    assertNull(file.load(0, 1, source));
    cache.close();
  }
}
