/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A cache that is made smaller and larger while it is in use. */
class PageEvictionTest {

  /** Blocks so large that a miss reads none around itself. */
  private static final int BITS = 17;

  private static final int BLOCK = 1 << BITS;
  private static final int BLOCKS = 64;
  private static final int PAGE_BLOCKS = 8;
  private static final long PAGE = (long) PAGE_BLOCKS << BITS;

  private final TestMemory memory =
      new TestMemory(BLOCKS << BITS, PAGE_BLOCKS << BITS, Integer.MAX_VALUE);
  private final SlotCache cache = new SlotCache((long) BLOCKS << BITS, BITS, memory);

  private final TestSource source = new TestSource(1, (long) BLOCKS << BITS);

  /** Returns a file in the cache whose blocks don't lie in one piece. */
  private CachedFile scattered() throws IOException {
    CachedFile file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    // A slot that somebody else has is in the way of one piece.
    CachedFile other = cache.files().open(null, "g", BLOCK);
    CacheFixtures.load(other, 0, new TestSource(2, BLOCK));
    assertTrue(file.extent(0) == null);
    for (int block = 0; block < BLOCKS; block++) {
      CacheFixtures.load(file, block, source);
    }
    other.close();
    return file;
  }

  private static int present(CachedFile file) {
    int present = 0;
    for (int block = 0; block < file.blocks(); block++) {
      present += CacheFixtures.has(file, block) ? 1 : 0;
    }
    return present;
  }

  private void checkBytes(CachedFile file) {
    byte[] bytes = new byte[64];
    for (int block = 0; block < file.blocks(); block++) {
      int copied = file.copy((long) block << BITS, bytes, 0, bytes.length);
      for (int i = 0; i < copied; i++) {
        assertEquals(CacheFixtures.byteOf(1, ((long) block << BITS) + i), bytes[i]);
      }
    }
  }

  @Test
  void memoryIsGivenBackByThePage() throws IOException {
    CachedFile file = scattered();
    assertEquals(8 * PAGE, cache.bytesInUse());
    assertEquals(5 * PAGE, cache.resize(3 * PAGE, false));
    assertEquals(3 * PAGE, cache.bytesInUse());
    assertEquals(5, memory.discards.get());
    assertEquals(3 * PAGE_BLOCKS, cache.capacity());
    assertTrue(present(file) <= 3 * PAGE_BLOCKS);
    assertEquals(present(file), cache.counters().sum(Counter.BLOCKS));
    checkBytes(file);
  }

  @Test
  void whatIsUsedStaysWhereverItLies() throws IOException {
    CachedFile file = scattered();
    // One or two blocks of every page are hot.
    for (int block = 0; block < BLOCKS; block += 5) {
      for (int i = 0; i < Slot.MAX_USES; i++) {
        file.find(block).touch();
      }
    }
    cache.resize(3 * PAGE, false);
    assertEquals(3 * PAGE, cache.bytesInUse());
    for (int block = 0; block < BLOCKS; block += 5) {
      assertTrue(CacheFixtures.has(file, block), "block " + block);
    }
    checkBytes(file);
  }

  @Test
  void itGrowsAgainAsItIsUsed() throws IOException {
    CachedFile file = scattered();
    cache.resize(2 * PAGE, false);
    for (int round = 0; round < 2; round++) {
      for (int block = 0; block < BLOCKS; block++) {
        CacheFixtures.load(file, block, source);
      }
      assertTrue(cache.bytesInUse() <= 2 * PAGE);
    }
    assertEquals(0, cache.resize(6 * PAGE, false));
    assertEquals(2 * PAGE, cache.bytesInUse());
    for (int block = 0; block < BLOCKS; block++) {
      CacheFixtures.load(file, block, source);
    }
    assertEquals(6 * PAGE, cache.bytesInUse());
    assertEquals(6 * PAGE_BLOCKS, present(file));
    checkBytes(file);
  }

  /** Of so many pages of two blocks each only a part is looked at. */
  private static final int MANY_PAGES = 2 * PageEviction.MAX_CHOICE;

  private static final int SMALL_BITS = 6;
  private static final long SMALL_PAGE = 2L << SMALL_BITS;

  private static SlotCache large() {
    return large(MANY_PAGES);
  }

  private static SlotCache large(int pages) {
    TestMemory small = new TestMemory(1 << 20, (int) SMALL_PAGE, Integer.MAX_VALUE);
    return new SlotCache(pages * SMALL_PAGE, SMALL_BITS, small);
  }

  /** What a cache might have on a large machine does not matter in a small container. */
  @Test
  void ofFewPagesAllAreLookedAtHoweverManyThereMightBe() throws IOException {
    SlotCache large = large(4 * MANY_PAGES);
    int pages = PageEviction.MAX_CHOICE / 2;
    CachedFile file = large.files().open(null, "f", pages * SMALL_PAGE);
    file.loadAll(new TestSource(1, pages * SMALL_PAGE));
    assertEquals(pages * SMALL_PAGE, large.bytesBacked());
    assertEquals(pages, new PageEviction(large, true).choice());
    file.close();
    large.close();
  }

  /** To look at all pages of a large machine takes too long. */
  @Test
  void ofManyPagesSomeAreLookedAtUnlessManyHaveToLeave() throws IOException {
    SlotCache large = large();
    CachedFile file = large.files().open(null, "f", large.size());
    file.loadAll(new TestSource(1, large.size()));
    assertEquals(large.size(), large.bytesBacked());
    assertEquals(PageEviction.MAX_CHOICE, new PageEviction(large, true).choice());
    // Wherever the others lie, some of them are looked at.
    int used = file.blocks() - 64;
    for (int block = 0; block < used; block++) {
      file.find(block).touch();
      file.find(block).touch();
    }
    assertEquals(3 * SMALL_PAGE, large.resize(large.size() - 3 * SMALL_PAGE, true));
    for (int block = 0; block < used; block++) {
      assertNotNull(file.find(block), "block " + block);
    }
    assertEquals((MANY_PAGES - 5) * SMALL_PAGE, large.resize(2 * SMALL_PAGE, true));
    assertEquals(2 * SMALL_PAGE, large.bytesBacked());
    file.close();
    large.close();
  }

  @Test
  void ofManyPagesTooThoseWithoutMemoryLeaveFirst() throws IOException {
    SlotCache large = large();
    CachedFile file = large.files().open(null, "f", large.size() / 2);
    file.loadAll(new TestSource(1, large.size() / 2));
    CachedFile kept = large.files().open(null, "g", large.size() / 8);
    CacheFixtures.load(kept, 0, new TestSource(2, large.size() / 8));
    long inUse = large.size() / 2 + large.size() / 8;
    assertEquals(inUse, large.bytesInUse());
    assertEquals(0, large.resize(inUse - 2100 * SMALL_PAGE, true));
    assertEquals(inUse - 2100 * SMALL_PAGE, large.bytesInUse());
    for (int block = 0; block < file.blocks(); block++) {
      assertNotNull(file.find(block), "block " + block);
    }
    file.close();
    kept.close();
    large.close();
  }

  @Test
  void atLeastAPageStays() throws IOException {
    CachedFile file = scattered();
    cache.resize(0, false);
    assertEquals(PAGE, cache.bytesInUse());
    CacheFixtures.load(file, 63, source);
    checkBytes(file);
  }

  /** To give memory back takes a few bytes of the heap, which may be full. */
  @Test
  void whereAPageCanNotBeGivenBackNothingIsLost() throws IOException {
    CachedFile file = scattered();
    for (int block = 0; block < BLOCKS; block++) {
      for (int i = 0; i < Slot.MAX_USES; i++) {
        file.find(block).touch();
      }
    }
    memory.discardsToFail.set(3);
    cache.resize(3 * PAGE, false);
    assertEquals(0, memory.discardsToFail.get());
    assertEquals(3 * PAGE, cache.bytesInUse());
    checkBytes(file);
    cache.resize(8 * PAGE, false);
    for (int block = 0; block < BLOCKS; block++) {
      CacheFixtures.load(file, block, source);
    }
    assertEquals(BLOCKS, present(file));
    assertEquals(0, cache.counters().sum(Counter.WAIT_TIMEOUTS));
    checkBytes(file);
    memory.discards.set(0);
    memory.discardsToFail.set(1);
    file.close();
    cache.close();
    assertEquals(BLOCKS / PAGE_BLOCKS, memory.discards.get());
  }

  @Test
  void slotsThatAreKeptForAFileAreNoReasonToStay() throws IOException {
    CachedFile file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    CacheFixtures.load(file, 0, source);
    assertTrue(file.extent(0).isPending());
    assertEquals(8 * PAGE, cache.bytesInUse(), "kept for the whole file");
    assertEquals(PAGE, cache.bytesBacked());
    assertEquals(0, cache.resize(PAGE, false), "there was nothing to give back");
    assertEquals(PAGE, cache.bytesInUse());
    checkBytes(file);
    assertEquals(PAGE, cache.bytesBacked());
  }

  /** Otherwise what a page takes block by block would look as if others took it. */
  @Test
  void aPageIsTakenAsAWholeWithItsFirstBlock() throws IOException {
    CachedFile file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    for (int block = 0; block < BLOCKS; block += PAGE_BLOCKS / 2) {
      CacheFixtures.load(file, block, source);
      assertEquals(cache.bytesBacked(), memory.populated.get(), "block " + block);
    }
    assertEquals(8 * PAGE, memory.populated.get());
    cache.resize(PAGE, false);
    cache.resize(8 * PAGE, false);
    for (int block = 0; block < BLOCKS; block++) {
      CacheFixtures.load(file, block, source);
    }
    assertEquals(8 * PAGE, cache.bytesBacked());
    assertEquals(15 * PAGE, memory.populated.get(), "what had been given back is taken again");
    checkBytes(file);
  }

  @Test
  void aPageThatIsAboutToBeGivenBackIsNotTakenAsAWhole() throws IOException {
    CachedFile file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    source.before = () -> cache.leave(0);
    CacheFixtures.load(file, 0, source);
    assertEquals(0, memory.populated.get());
    source.before = cache::close;
    Slot gone = file.load(PAGE_BLOCKS, 1, source);
    assertTrue(gone == null || gone.owner == null);
    assertEquals(0, memory.populated.get());
  }

  @Test
  void whereAPageCanNotBeTakenAsAWholeNothingIsLost() throws IOException {
    memory.populatesToFail.set(3);
    CachedFile file = scattered();
    assertEquals(0, memory.populatesToFail.get());
    assertEquals(5 * PAGE, memory.populated.get());
    assertEquals(8 * PAGE, cache.bytesBacked());
    assertEquals(BLOCKS, present(file));
    checkBytes(file);
    file.close();
    CacheCheck.allSlotsCanBeHad(cache);
  }

  @Test
  void whatLiesInOnePieceIsGivenUp() throws IOException {
    CachedFile file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    Extent extent = CacheFixtures.complete(file, source);
    long version = extent.acquire();
    cache.resize(4 * PAGE, false);
    assertEquals(4 * PAGE, cache.bytesInUse());
    assertTrue(!extent.is(version), "readers look up again");
    checkBytes(file);
  }

  @Test
  void memoryThatSomebodyLooksAtStays() throws IOException {
    CachedFile file = cache.files().open(null, "f", 2 * PAGE);
    Extent extent = CacheFixtures.complete(file, source);
    CachedFile other = cache.files().open(null, "g", 4 * PAGE);
    for (int block = 0; block < other.blocks(); block++) {
      CacheFixtures.load(other, block, new TestSource(2, 4 * PAGE));
    }
    Runnable[] release = new Runnable[1];
    assertNotNull(CacheFixtures.view(extent, release));
    long version = extent.acquire();
    cache.resize(PAGE, false);
    assertEquals(2 * PAGE, cache.bytesInUse(), "as much as is looked at");
    assertTrue(extent.is(version));
    CacheFixtures.check(file, 1, 16);
    release[0].run();
    cache.resize(PAGE, false);
    assertEquals(PAGE, cache.bytesInUse());
  }

  /** A page whose slots are being filled has to wait; it goes the next time. */
  @Test
  void whatIsBeingFilledIsNotGivenBack() throws IOException {
    CachedFile file = scattered();
    CachedFile late = cache.files().open(null, "late", BLOCK);
    TestSource slow = new TestSource(3, BLOCK);
    slow.before = () -> cache.resize(PAGE, false);
    Slot slot = CacheFixtures.load(late, 0, slow);
    assertNotNull(slot);
    CacheFixtures.check(late, 3, 1);
    assertTrue(cache.bytesInUse() <= 2 * PAGE);
    cache.resize(PAGE, false);
    assertEquals(PAGE, cache.bytesInUse());
    checkBytes(file);
  }

  /** A device may be slow, and reads under way in as many pages as are wanted. */
  @Test
  void inPlaceOfAPageThatDoesNotBecomeEmptyAnotherIsGivenBack() throws IOException {
    CachedFile file = scattered();
    CachedFile late = cache.files().open(null, "late", BLOCK);
    TestSource slow = new TestSource(3, BLOCK);
    slow.before =
        () -> {
          // Only the page that is being read into looks cold.
          for (int block = 0; block < BLOCKS; block++) {
            Slot slot = file.find(block);
            int first = slot == null ? 0 : slot.index / PAGE_BLOCKS * PAGE_BLOCKS;
            boolean isBusy = false;
            for (int i = first; i < first + PAGE_BLOCKS; i++) {
              isBusy |= !Guard.isStable((long) Guard.VERSION.getVolatile(cache.slot(i)));
            }
            for (int i = 0; slot != null && !isBusy && i < Slot.MAX_USES; i++) {
              slot.touch();
            }
          }
          assertEquals(PAGE, cache.resize(7 * PAGE, false));
        };
    CacheFixtures.load(late, 0, slow);
    assertEquals(7 * PAGE, cache.bytesInUse());
    assertEquals(
        7 * PAGE_BLOCKS,
        cache.freeCount() + cache.counters().sum(Counter.BLOCKS),
        "all slots can be had");
    CacheFixtures.check(late, 3, 1);
    checkBytes(file);
  }

  /**
   * If it emptied none, the governor would come too late; if more, a reader would wait for that.
   */
  @Test
  void aMissEmptiesOnePageHoweverManyBlocksItLoads() throws IOException {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    TestMemory watched =
        new TestMemory(BLOCKS << BITS, PAGE_BLOCKS << BITS, Integer.MAX_VALUE) {
          @Override
          public void discard(ByteBuffer memory) {
            super.discard(memory);
            meanwhile.getAndSet(() -> {}).run();
          }
        };
    SlotCache shrinking = new SlotCache((long) BLOCKS << BITS, BITS, watched);
    // Four slots are free, in the page that would be chosen last, since all else in it is hot.
    CachedFile gone = shrinking.files().open(null, "g", 4 * BLOCK);
    CacheFixtures.load(gone, 0, 4, new TestSource(2, 4 * BLOCK));
    CachedFile file = shrinking.files().open(null, "f", (long) BLOCKS << BITS);
    for (int block = 0; block < BLOCKS - 4; block++) {
      CacheFixtures.load(file, block, source);
    }
    int page = gone.find(0).index / PAGE_BLOCKS * PAGE_BLOCKS;
    gone.close();
    for (int i = page; i < page + PAGE_BLOCKS; i++) {
      for (int uses = 0; uses < Slot.MAX_USES; uses++) {
        shrinking.slot(i).touch();
      }
    }
    CachedFile late = shrinking.files().open(null, "late", 4 * BLOCK);
    AtomicInteger emptied = new AtomicInteger();
    meanwhile.set(
        () -> {
          int before = watched.discards.get();
          try {
            assertNotNull(late.load(0, 4, new TestSource(3, 4 * BLOCK)));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          emptied.set(watched.discards.get() - before);
        });
    shrinking.resize(3 * PAGE, false);
    assertEquals(1, emptied.get());
    assertEquals(4, present(late));
    assertEquals(3 * PAGE, shrinking.bytesInUse());
  }

  @Test
  void aClosedCacheStaysEmpty() throws IOException {
    scattered();
    cache.close();
    assertEquals(0, cache.bytesInUse());
    assertEquals(0, cache.resize(4 * PAGE, false));
    assertEquals(0, cache.bytesInUse());
    assertEquals(8, memory.discards.get());
  }

  /** The close comes between the slot and its memory. */
  @Test
  void aSlotThatIsTakenDuringACloseIsNotKept() {
    int index = cache.takeIndex();
    cache.close();
    assertEquals(PAGE, cache.bytesInUse());
    assertNull(cache.made(index));
    assertEquals(0, cache.bytesInUse());
    assertEquals(0, memory.allocations.get());
  }

  /** A thread that has been interrupted makes room as any other does, and stays interrupted. */
  @Test
  void anInterruptIsKeptForTheReader() throws IOException {
    CachedFile file = scattered();
    Thread.currentThread().interrupt();
    assertEquals(5 * PAGE, cache.resize(3 * PAGE, false));
    assertTrue(Thread.interrupted());
    checkBytes(file);
  }

  /**
   * Readers read the right bytes whatever becomes of the pages, and all memory is accounted for.
   */
  @Test
  void readersGoOnMeanwhile() throws Exception {
    int files = 4;
    CachedFile[] opened = new CachedFile[files];
    TestSource[] sources = new TestSource[files];
    for (int i = 0; i < files; i++) {
      opened[i] = cache.files().open(null, "f" + i, 24L << BITS);
      sources[i] = new TestSource(i, 24L << BITS);
    }
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong reads = new AtomicLong();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    Thread[] readers = new Thread[3];
    for (int i = 0; i < readers.length; i++) {
      Random random = new Random(Fixtures.SEED + i);
      readers[i] =
          new Thread(
              () -> {
                try {
                  byte[] bytes = new byte[256];
                  while (!stop.get()) {
                    int id = random.nextInt(files);
                    int block = (int) (24 * random.nextDouble() * random.nextDouble());
                    Slot slot =
                        opened[id].load(
                            block, 1 + random.nextInt(3), 1 + random.nextInt(8), sources[id]);
                    if (slot != null) {
                      slot.touch();
                    }
                    long position = ((long) block << BITS) + random.nextInt(BLOCK - 256);
                    int copied = opened[id].copy(position, bytes, 0, bytes.length);
                    for (int b = 0; b < copied; b++) {
                      assertEquals(CacheFixtures.byteOf(id, position + b), bytes[b]);
                    }
                    reads.incrementAndGet();
                  }
                } catch (Throwable t) {
                  failures.add(t);
                }
              });
      readers[i].start();
    }
    Random random = new Random(Fixtures.SEED);
    long before = reads.get();
    for (int i = 0;
        i < 150 * Fixtures.EFFORT
            || (reads.get() < before + 1500L * Fixtures.EFFORT && failures.isEmpty());
        i++) {
      cache.resize(random.nextInt(BLOCKS + 1) * (long) BLOCK, random.nextBoolean());
      Thread.sleep(random.nextInt(2));
    }
    stop.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertTrue(failures.isEmpty(), failures::toString);
    int present = 0;
    for (CachedFile file : opened) {
      present += present(file);
    }
    assertEquals(present, cache.counters().sum(Counter.BLOCKS));
    for (CachedFile file : opened) {
      file.close();
    }
    cache.resize((long) BLOCKS << BITS, false);
    assertEquals(BLOCKS, cache.freeCount(), "no slot is lost");
    cache.close();
    assertEquals(0, cache.bytesInUse());
  }
}
