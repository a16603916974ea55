/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Backend;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Pages of a real file that a queue reads beside a full cache: which are read, and found. */
class AnnouncedPagesTest extends AnnouncedPagesTestCase {

  @Test
  void pagesAreReadAloneAndNoBlockGoes() {
    long evictions = cache.counters().sum(Counter.EVICTIONS);
    int next = 0;
    for (int size : new int[] {1, 7, 8, 9, 16, 33}) {
      long prefetches = cache.counters().sum(Counter.PREFETCHES);
      long bytes = cache.counters().sum(Counter.BYTES_READ);
      int first = next;
      for (int i = 0; i < size; i++, next++) {
        announce(place(next) + 100, 300);
      }
      for (int i = first; i < next; i++) {
        assertThere(place(i), PAGE);
      }
      assertEquals(prefetches + size, cache.counters().sum(Counter.PREFETCHES));
      assertEquals(bytes + (long) size * PAGE, cache.counters().sum(Counter.BYTES_READ));
    }
    assertEquals(evictions, cache.counters().sum(Counter.EVICTIONS));
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_DROPPED));
    assertEquals(0, cache.prefetcher().threads());
  }

  @Test
  void twoPagesAreOneReadAlsoOfTwoBlocks() {
    long prefetches = cache.counters().sum(Counter.PREFETCHES);
    announce(PAGE - 10, 300);
    assertThere(0, PAGE);
    assertThere(PAGE, PAGE);
    announce(3 * BLOCK - 10, 300);
    assertThere(3 * BLOCK - PAGE, PAGE);
    assertThere(3 * BLOCK, PAGE);
    assertEquals(prefetches + 2, cache.counters().sum(Counter.PREFETCHES));
  }

  @Test
  void aPageThatIsThereIsNotReadAgain() {
    announce(5 * BLOCK + PAGE, 300);
    assertThere(5 * BLOCK + PAGE, PAGE);
    long bytes = cache.counters().sum(Counter.BYTES_READ);
    announce(5 * BLOCK + PAGE, 300);
    assertEquals(bytes, cache.counters().sum(Counter.BYTES_READ));
    announce(5 * BLOCK + PAGE - 100, 300);
    assertThere(5 * BLOCK, PAGE);
    announce(5 * BLOCK + 2 * PAGE - 100, 300);
    assertThere(5 * BLOCK + 2 * PAGE, PAGE);
    assertThere(5 * BLOCK + PAGE, PAGE);
    assertEquals(bytes + 2 * PAGE, cache.counters().sum(Counter.BYTES_READ));
  }

  /** One byte says where a read begins, and not how long it is. */
  @Test
  void whatMayBeLongOrIsAWholeBlockBringsBlocksIn() throws IOException {
    int block = 1;
    for (int bytes : new int[] {1, 255, 16 * PAGE + 1, BLOCK}) {
      announce((long) block * BLOCK, bytes);
      assertFalse(check(file, (long) block * BLOCK, PAGE));
      assertNotNull(file.load(block, 1, source));
      assertEquals(0, cache.counters().sum(Counter.BYPASSES));
      block += 5;
    }
  }

  /** A chunk of stored fields, of which three blocks have more than its pages. */
  @Test
  void aLongAnnouncementIsOneReadOfItsPages() {
    long prefetches = cache.counters().sum(Counter.PREFETCHES);
    long bytes = cache.counters().sum(Counter.BYTES_READ);
    announce(10L * BLOCK + 2 * PAGE + 100, 7 * PAGE);
    for (int i = 2; i < 10; i++) {
      assertThere(10L * BLOCK + (long) i * PAGE, PAGE);
    }
    assertEquals(prefetches + 1, cache.counters().sum(Counter.PREFETCHES));
    assertEquals(bytes + 8 * PAGE, cache.counters().sum(Counter.BYTES_READ));
    for (int block = 10; block < 13; block++) {
      assertNull(file.find(block));
    }
  }

  @Test
  void ofAScanWholeBlocksComeIn() throws IOException {
    file.prefetchBlocks(10L * BLOCK, 4 * BLOCK, source);
    CacheCheck.settle(cache);
    assertNotNull(file.find(10));
    assertNull(file.announced(10L * BLOCK));
  }

  /** What is missing decides, and not what has been announced. */
  @Test
  void ofAnAnnouncementTheMissingBlocksAreReadWhole() throws IOException {
    assertNotNull(file.load(10, 1, source));
    assertNotNull(file.load(12, 1, source));
    long bytes = cache.counters().sum(Counter.BYTES_READ);
    announce(10L * BLOCK + BLOCK / 2, 2 * BLOCK);
    assertNotNull(file.load(11, 1, source));
    assertNull(file.announced(11L * BLOCK));
    assertEquals(bytes + BLOCK, cache.counters().sum(Counter.BYTES_READ));
  }

  /** A device gets as many pieces as the memory has that it reads into. */
  @Test
  void pagesThatFollowEachOtherLieSideBySide() {
    AnnouncedPages pages =
        new AnnouncedPages(
            new PageFrames(8 * PAGES, new CountedMemory(), new FillSignal[] {new FillSignal()}));
    Random random = new Random(Fixtures.SEED);
    int together = 0;
    int gone = 0;
    try (FillQueue queue =
        new FillQueue(source.openQueue(8), new FillSignal[] {new FillSignal()})) {
      for (int round = 0; round < 1_000; round++) {
        int count = 3 + random.nextInt(7);
        long first = random.nextInt(4 * BLOCKS - 20);
        FillQueue.Request request = pages.request(file, first * PAGE, (long) count * PAGE, source);
        boolean isDone = request == null || queue.begin(request, source) == FillQueue.Outcome.DONE;
        assertTrue(isDone);
        queue.flush();
        while (queue.isBusy()) {
          queue.awaitOne(FillQueue.LOOK_NANOS);
        }
        AnnouncedPage[] read = new AnnouncedPage[count];
        for (int i = 0; i < count; i++) {
          read[i] = pages.await(file, first + i);
          if (read[i] == null) {
            // It was there before, and another page of the announcement has taken its place.
            gone++;
            continue;
          }
          byte[] bytes = new byte[PAGE];
          read[i].chunk().bytes().get(read[i].offset(), bytes);
          int start = (int) (first + i) * PAGE;
          assertArrayEquals(Arrays.copyOfRange(content, start, start + PAGE), bytes);
          if (i > 0 && read[i - 1] != null && read[i].offset() == read[i - 1].offset() + PAGE) {
            together++;
          }
        }
        // Of a long announcement only a part is read, and what is left must not be in the way.
        AnnouncedPage used = read[random.nextInt(count)];
        if (used != null) {
          used.touch();
        }
      }
    }
    // Of 5,000 neighbours 625 lie on both sides of a frame's end, and some pages were there before.
    assertTrue(gone < 60, gone + " of 6,000 pages are not there");
    assertTrue(together > 3_500, together + " pages lie behind the page before them");
  }

  @Test
  void aBlockThatIsAnnouncedAgainAndAgainComesIn() {
    int announced = 0;
    while (file.find(7) == null) {
      announce(7L * BLOCK, 300);
      announced++;
      assertTrue(announced < 20, "the block never came in");
    }
    assertTrue(announced > 1, "the first announcement evicted a block");
    CacheCheck.settle(cache);
    assertTrue(file.isCached(7L * BLOCK, 300));
  }

  @Test
  void whereThereIsRoomBlocksComeIn() throws IOException {
    CachedFile other = cache.files().open(null, "other", content.length);
    file.close();
    other.prefetch(0, 300, source);
    assertNotNull(other.load(0, 1, source));
    assertNull(other.announced(0));
    other.close();
    file = cache.files().open(null, "f", content.length);
  }

  @Test
  void theLastPageEndsWithTheFile() {
    long last = content.length / PAGE * (long) PAGE;
    announce(content.length - 300, 300);
    assertThere(last, PAGE);
  }

  @Test
  void pagesThatHaveBeenReadGoFirstAndInTurn() {
    for (int i = 0; i < BLOCKS - 120; i++) {
      announce(place(i), 300);
      assertThere(place(i), PAGE);
    }
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_DROPPED));
    int kept = 0;
    for (int i = 0; i < BLOCKS - 120; i++) {
      kept += check(file, place(i), PAGE) ? 1 : 0;
    }
    assertTrue(kept > PAGES / 2 && kept <= PAGES, kept + " pages are kept");
  }

  @Test
  void whatIsAnnouncedAndNotReadGoesAfterWhatHasBeenRead() {
    // The places of all are taken by then, and half of them have been read.
    for (int i = 0; i < 120; i++) {
      announce(place(i), 300);
      if (i % 2 == 0) {
        boolean ignored = check(file, place(i), PAGE);
      }
    }
    CacheCheck.settle(cache);
    int read = 0;
    int unread = 0;
    for (int i = 0; i < 120; i++) {
      boolean isThere = check(file, place(i), PAGE);
      read += isThere && i % 2 == 0 ? 1 : 0;
      unread += isThere && i % 2 == 1 ? 1 : 0;
    }
    assertTrue(unread > 2 * read, unread + " were not read, " + read + " were");
  }

  /** Memory that is used up is no reason to fail a search, nor to ask for it again and again. */
  @Test
  void withoutMemoryForPagesBlocksComeIn() throws IOException {
    List<String> warnings =
        Fixtures.logged(
            AnnouncedPages.class,
            () -> {
              allowedAllocations = allocations.get();
              for (int i = 1; i < 5; i++) {
                announce(place(i), 300);
                assertNotNull(file.load(i, 1, source));
              }
            });
    assertEquals(allowedAllocations + 1, allocations.get());
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_DROPPED));
    assertEquals(4, cache.counters().sum(Counter.PREFETCHES));
    assertEquals(1, warnings.size(), warnings.toString());
    Fixtures.assertNames(warnings.get(0), "WARNING", "memory", "256 KiB", "heap");
  }

  /** A heap that is full for a moment says nothing about the memory outside it. */
  @Test
  void afterAFullHeapThereArePagesAllTheSame() {
    allowedAllocations = allocations.get();
    refusal = new OutOfMemoryError("by script");
    announce(place(1), 300);
    assertEquals(1, cache.counters().sum(Counter.PREFETCHES_DROPPED));
    allowedAllocations = Integer.MAX_VALUE;
    announce(place(2), 300);
    assertThere(place(2), PAGE);
  }

  /** Some devices can't read a page of 4 KiB. */
  @Test
  void ofASourceWithALargerAlignmentBlocksComeIn() {
    for (int alignment : new int[] {PAGE, 2 * PAGE}) {
      ReadableFile coarse =
          new DelegatingFile(source) {
            @Override
            public int alignment() {
              return alignment;
            }

            @Override
            public boolean offer(ReadQueue queue, QueuedRead read, long position) {
              assertEquals(0, position % alignment, "an aligned position");
              assertEquals(0, read.memory().length() % alignment, "an aligned length");
              return super.offer(queue, read, position);
            }
          };
      int block = alignment / PAGE;
      file.prefetch((long) block * BLOCK + PAGE, 300, coarse);
      assertEquals(alignment == PAGE, check(file, (long) block * BLOCK + PAGE, PAGE));
      assertEquals(alignment != PAGE, file.find(block) != null);
    }
  }

  /**
   * Of a range over two blocks, the one that is there is not read, and the other one is read by
   * pages.
   */
  @Test
  void aBlockThatIsThereDoesNotBringItsNeighbourIn() throws IOException {
    assertNotNull(file.load(9, 1, source));
    assertNotNull(file.load(21, 1, source));
    long bytes = cache.counters().sum(Counter.BYTES_READ);
    announce(10 * BLOCK - 290, 300);
    assertThere(10 * BLOCK, PAGE);
    announce(21 * BLOCK - 10, 300);
    assertThere(21 * BLOCK - PAGE, PAGE);
    assertEquals(bytes + 2 * PAGE, cache.counters().sum(Counter.BYTES_READ));
    assertNull(file.find(10));
    assertNull(file.find(20));
    announce(21 * BLOCK + PAGE, 300);
    assertEquals(
        bytes + 2 * PAGE, cache.counters().sum(Counter.BYTES_READ), "what is there is not read");
  }

  /** Returns a file of whose reads nobody learns that they have ended, but who waits for them. */
  private PosixFile openHasty() throws IOException {
    SystemCalls hasty =
        ScriptedCalls.of(
            calls,
            (name, arguments) ->
                name.equals("ioGetEvents") && arguments[1].equals(0) ? (Object) 0 : null);
    return new Backend(hasty).open(path, OpenMode.READ_DIRECT);
  }

  @Test
  void whereOnlyTheFirstOfTwoBlocksGetsASlotTheOtherIsReadByPages() throws IOException {
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile hasty = openHasty()) {
      CachedFile leaving = other.files().open(null, "leaving", BLOCK);
      CachedFile blocks = other.files().open(null, "blocks", content.length);
      CacheFixtures.load(leaving, 0, source);
      for (int block = 0; block < 2 * SLOTS; block++) {
        CacheFixtures.load(blocks, block, source);
        for (int uses = 0; uses < 2; uses++) {
          assertTrue(leaving.use(0));
          assertTrue(block >= SLOTS - 8 || blocks.use(block));
        }
      }
      for (int i = 0; other.counters().sum(Counter.PREFETCHES_DROPPED) == 0; i++) {
        blocks.prefetch((200L + i) * BLOCK, BLOCK, hasty);
      }
      leaving.close();
      blocks.prefetch(151L * BLOCK - 100, 300, hasty);
      assertNotNull(blocks.find(150), "it takes the slot that is free");
      assertNull(blocks.find(151));
      assertTrue(other.announced().has(blocks, 151L * BLOCK / PAGE));
      assertEquals(1, other.counters().sum(Counter.PREFETCHES_DROPPED));
      blocks.close();
    } finally {
      other.close();
    }
  }

  /** No queue reads through the page cache, as a file is that can't be opened for direct reads. */
  @Test
  void ofASourceThatNoQueueTakesBlocksComeInAndNoPageGoes() throws IOException {
    announce(place(1), 300);
    try (PosixFile buffered = backend.open(path, OpenMode.READ)) {
      for (int i = 5; i < 5 + 2 * PAGES; i++) {
        file.prefetch(place(i), 300, buffered);
      }
      CacheCheck.settle(cache);
      CacheCheck.awaitIdleThreads(cache);
    }
    assertTrue(cache.counters().sum(Counter.PREFETCHES_BY_THREADS) > 0);
    assertThere(place(1), PAGE);
  }

  /** One of a range that is there already is read with the others, and need not be waited for. */
  @Test
  void aPageThatIsReadOnceMoreIsFoundMeanwhile() throws IOException {
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile hasty = openHasty()) {
      CachedFile blocks = other.files().open(null, "blocks", content.length);
      for (int block = 0; block < 2 * SLOTS; block++) {
        CacheFixtures.load(blocks, block, source);
      }
      // The place that is read into comes before or behind the other one.
      for (int i = 2 * SLOTS; i < 4 * SLOTS; i++) {
        long middle = (long) i * BLOCK + PAGE;
        blocks.prefetch(middle, 300, hasty);
        assertNotNull(blocks.announced(middle));
        blocks.prefetch(middle - PAGE, 3 * PAGE, hasty);
        long misses = other.counters().sum(Counter.MISSES);
        assertNotNull(blocks.announced(middle));
        assertEquals(misses, other.counters().sum(Counter.MISSES));
        assertTrue(check(blocks, middle + PAGE, PAGE));
        assertEquals(misses + 1, other.counters().sum(Counter.MISSES), "this one was waited for");
      }
      blocks.close();
    } finally {
      other.close();
    }
  }

  /** Whole blocks would be four times the bytes, and each would take the place of another. */
  @Test
  void pagesThatAFullQueueRefusesAreDropped() throws IOException {
    int depth = 2;
    SlotCache other = new SlotCache(SLOTS * BLOCK, SLOTS * BLOCK, BITS, depth, new CountedMemory());
    try (PosixFile hasty = openHasty()) {
      CachedFile blocks = other.files().open(null, "blocks", content.length);
      for (int block = 0; block < 2 * SLOTS; block++) {
        CacheFixtures.load(blocks, block, source);
      }
      long evictions = other.counters().sum(Counter.EVICTIONS);
      for (int i = 0; i < 20; i++) {
        blocks.prefetch((200L + i) * BLOCK, 300, hasty);
      }
      assertEquals(depth, other.counters().sum(Counter.PREFETCHES_ISSUED));
      assertEquals(20 - depth, other.counters().sum(Counter.PREFETCHES_DROPPED));
      assertEquals(0, other.counters().sum(Counter.PREFETCHES_BY_THREADS));
      assertEquals(evictions, other.counters().sum(Counter.EVICTIONS));
      blocks.close();
    } finally {
      other.close();
    }
  }
}
