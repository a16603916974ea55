/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Memory that has been handed out stays as it is while somebody looks at it, and no longer. */
class PinsTest {

  private static final int BITS = 6;

  /** Keeps a view reachable. */
  private Object looking;

  /**
   * Returns an object that tells when it can't be reached, as an {@link java.lang.foreign.Arena}
   * does.
   */
  private static Object newView(Runnable release) {
    Object view = new Object();
    java.lang.ref.Cleaner.create().register(view, release);
    return view;
  }

  private static byte[] bytes(Extent extent) {
    byte[] bytes = new byte[extent.size()];
    extent.chunk().bytes().get(extent.base(), bytes);
    return bytes;
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
    byte[] before = bytes(extent);
    // Far more comes in than there is room for, and then the file itself ends.
    TestSource others = new TestSource(2, 64 * 100);
    CachedFile other = cache.files().open(null, "g", 64 * 100);
    CacheFixtures.load(other, 0, 100, others);
    file.close();
    CacheFixtures.load(other, 0, 100, others);
    assertTrue(extent.isPinned());
    assertArrayEquals(before, bytes(extent));
    assertArrayEquals(CacheFixtures.bytesOf(1, 0, 64 * 8), before);
    other.close();
    assertEquals(8, cache.counters().sum(Counter.BLOCKS));
    looking = null;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);
    while (cache.counters().sum(Counter.BLOCKS) > 0 && System.nanoTime() < deadline) {
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
    looking = CacheFixtures.view(extent);
    extent.endIfPending();
    assertFalse(extent.isEnded(), "a complete one is not pending");
    extent.end();
    for (int i = 0; i < 20; i++) {
      file.extents().complete(0, source);
    }
    assertSame(extent, file.extent(0));
    CachedFile other = cache.files().open(null, "g", 64 * 100);
    TestSource others = new TestSource(2, 64 * 100);
    CacheFixtures.load(other, 0, 100, others);
    assertArrayEquals(CacheFixtures.bytesOf(1, 0, 64 * 8), bytes(extent));
    assertTrue(extent.isPinned());
  }

  /** What can't leave must not keep the eviction from finding what can. */
  @Test
  void blocksThatAreLookedAtDontStopTheEviction() throws IOException {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    CachedFile file = cache.files().open(null, "f", 64 * 24);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 24));
    looking = CacheFixtures.view(extent);
    CachedFile other = cache.files().open(null, "g", 64 * 1000);
    TestSource others = new TestSource(2, 64 * 1000);
    for (int round = 0; round < 20; round++) {
      for (int block = 0; block < 35; block++) {
        Slot slot = CacheFixtures.load(other, block, others);
        slot.touch();
        slot.touch();
      }
      CacheFixtures.load(other, 100 + 40 * round, 120 + 40 * round, others);
    }
    assertEquals(0, cache.counters().sum(Counter.BYPASSES));
    // What was hot for so long leaves when it is not any more.
    useTwice(other, 100, 1000, others);
    assertFalse(CacheFixtures.has(other, 0));
    assertEquals(64, cache.counters().sum(Counter.BLOCKS));
    assertTrue(extent.isPinned());
  }

  private static void useTwice(CachedFile file, int first, int end, TestSource source)
      throws IOException {
    for (int block = first; block < end; block++) {
      CacheFixtures.load(file, block, source).touch();
      CacheFixtures.load(file, block, source).touch();
    }
  }

  /** What others leave is found also where most of the cache is looked at, and by each miss. */
  @Test
  void theFewBlocksThatNobodyLooksAtTakeTurns() throws IOException {
    SlotCache cache = CacheFixtures.cache(64, BITS);
    TestSource source = new TestSource(1, 64 * 48);
    CachedFile closed = cache.files().open(null, "closed", 64 * 14);
    Extent ofClosed = CacheFixtures.complete(closed, new TestSource(3, 64 * 14));
    Object lookingAtClosed = CacheFixtures.view(ofClosed);
    closed.close();
    CachedFile file = cache.files().open(null, "f", 64 * 48);
    Extent extent = CacheFixtures.complete(file, source);
    Runnable[] release = new Runnable[1];
    looking = CacheFixtures.view(extent, release);
    assertEquals(62, cache.pins().count());
    CachedFile other = cache.files().open(null, "g", 64 * 1000);
    TestSource others = new TestSource(2, 64 * 1000);
    CacheFixtures.load(other, 0, 100, others);
    assertEquals(0, cache.counters().sum(Counter.BYPASSES));
    assertTrue(CacheFixtures.has(other, 99));
    assertTrue(extent.isComplete() && ofClosed.isPinned());
    // And what nobody looks at any more leaves in its turn.
    release[0].run();
    useTwice(other, 100, 1000, others);
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
    looking = CacheFixtures.view(extent);
    assertTrue(slot.is(version));
    file.close();
    assertFalse(slot.is(version));
    assertArrayEquals(CacheFixtures.bytesOf(1, 0, 64 * 8), bytes(extent));
  }

  @Test
  void aClosedCacheGivesMemoryBackWhenNobodyLooksAtIt() throws IOException {
    TestMemory memory = new TestMemory(8 << BITS, 100);
    SlotCache cache = new SlotCache(16 << BITS, BITS, memory);
    CachedFile file = cache.files().open(null, "f", 64 * 8);
    Extent extent = CacheFixtures.complete(file, new TestSource(1, 64 * 8));
    Runnable[] nobodyLooks = new Runnable[1];
    looking = CacheFixtures.view(extent, nobodyLooks);
    CacheFixtures.load(cache.files().open(null, "g", 64), 0, new TestSource(2, 64));
    cache.close();
    assertEquals(1, memory.discards.get());
    file.close();
    assertEquals(1, memory.discards.get());
    assertArrayEquals(CacheFixtures.bytesOf(1, 0, 64 * 8), bytes(extent));
    nobodyLooks[0].run();
    assertEquals(2, memory.discards.get());
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
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
    assertNotNull(CacheFixtures.view(extent));
  }
}
