/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.AioStructs;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How pages that a queue reads beside a full cache come to be and go: closes, errors, reads that
 * take long, what is counted, and threads.
 */
class AnnouncedPagesLifeTest extends AnnouncedPagesTestCase {

  /** Opens the file in a cache that its blocks from {@code first} on then fill. */
  private CachedFile openIn(SlotCache full, PosixFile direct, int first) throws IOException {
    CachedFile blocks = full.files().open(null, "f", content.length);
    for (int block = first; block < first + SLOTS; block++) {
      assertNotNull(blocks.load(block, 1, direct));
    }
    return blocks;
  }

  /** Returns a backend that is told of no ended read before that is so. */
  private Backend muteUntil(AtomicBoolean isTold) {
    return new Backend(
        ScriptedCalls.of(
            calls,
            (name, arguments) -> name.equals("ioGetEvents") && !isTold.get() ? (Object) 0 : null));
  }

  /**
   * Returns calls with which a thread that asks for events without waiting gets none, or waits for
   * one.
   */
  private SystemCalls callsWithEvents(AtomicBoolean isToldAtOnce) {
    return ScriptedCalls.of(
        calls,
        (name, arguments) -> {
          if (name.equals("ioGetEvents") && arguments[1].equals(0)) {
            if (!isToldAtOnce.get()) {
              return 0;
            }
            arguments[1] = 1;
            NativeBuffer events = (NativeBuffer) arguments[3];
            events.bytes().putLong((int) arguments[4], 60);
          }
          return null;
        });
  }

  /** Other announced blocks are on their way in all slots that they may have. */
  @Test
  void ofABlockForWhichThereIsNoSlotThePageIsRead() throws IOException {
    Backend mute = new Backend(callsWithEvents(new AtomicBoolean()));
    try (PosixFile direct = mute.open(path, OpenMode.READ_DIRECT)) {
      for (int block = 10; cache.counters().sum(Counter.PREFETCHES_DROPPED) == 0; block += 2) {
        file.prefetch((long) block * BLOCK, BLOCK, direct);
      }
      long issued = cache.counters().sum(Counter.PREFETCHES_ISSUED);
      for (int i = 0; i < 20; i++) {
        file.prefetch(7L * BLOCK + PAGE, 300, direct);
      }
      assertNull(file.find(7));
      assertEquals(issued + 1, cache.counters().sum(Counter.PREFETCHES_ISSUED));
      assertEquals(1, cache.counters().sum(Counter.PREFETCHES_DROPPED));
      assertThere(7L * BLOCK + PAGE, 300);
    }
  }

  @Test
  void anErrorIsItsReadersAloneWithTheFileAndThePosition() throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      boolean cut = channel.truncate(10 * BLOCK + 10).size() > 0;
      assertTrue(cut);
    }
    for (int block : new int[] {8, 9, 10, 11}) {
      announce(place(block), 300);
    }
    assertThere(place(8), PAGE);
    assertThere(place(9), PAGE);
    assertNull(file.announced(place(10)));
    assertNull(file.announced(place(11)));
    EOFException e = assertThrows(EOFException.class, () -> file.load(11, 1, source));
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    Fixtures.assertNames(e, 11 * BLOCK);
  }

  @Test
  void aWindowEndsWhenItsFileIsClosed() throws IOException {
    CachedFile other = cache.files().open("key", "other", content.length);
    CachedFile same = cache.files().open("key", "other", content.length);
    for (int round = 0; round < 2; round++) {
      other.prefetch(place(round), 300, source);
      AnnouncedPage page = other.announced(place(round));
      long version = page.acquire();
      assertTrue(page.isIn(version, other, place(round) / PAGE));
      (round == 0 ? same : other).close();
      VarHandle.loadLoadFence();
      assertFalse(page.is(version), "the reader looks again");
    }
    CachedFile next = cache.files().open("key", "other", content.length);
    assertNull(next.announced(place(0)));
    assertNull(next.announced(place(1)));
    next.close();
  }

  /** Those who have the file open still find what they have announced. */
  @Test
  void aCloseThatIsNotTheLastTakesNoPages() throws IOException {
    CachedFile other = cache.files().open("key", "other", content.length);
    for (boolean hasReaders : new boolean[] {true, false}) {
      CachedFile same = cache.files().open("key", "other", content.length);
      other.prefetch(place(1), 300, source);
      assertTrue(check(other, place(1), PAGE));
      AnnouncedPage page = other.announced(place(1));
      long version = page.acquire();
      same.close(hasReaders);
      assertEquals(!hasReaders, page.is(version), "whether readers have to look again");
      long bytes = cache.counters().sum(Counter.BYTES_READ);
      assertTrue(check(other, place(1), PAGE), "the page is still there");
      assertEquals(bytes, cache.counters().sum(Counter.BYTES_READ));
    }
    other.close();
    assertNull(other.announced(place(1)));
  }

  @Test
  void aFileThatIsClosedMeanwhileLeavesNothingBehind() throws IOException {
    for (int round = 0; round < 50; round++) {
      PosixFile direct = backend.open(path, OpenMode.READ_DIRECT);
      CachedFile other = cache.files().open(null, "other", content.length);
      for (int i = 0; i < 1 + round % 12; i++) {
        other.prefetch(place(i), 300, direct);
      }
      other.close();
      direct.close();
      cache.queues().flush();
      assertEquals(1, backend.openFiles(), "but the one of this test");
      CacheCheck.settle(cache);
      for (int i = 0; i < 12; i++) {
        assertFalse(check(other, place(i), PAGE), "nobody holds on to a closed file");
      }
    }
  }

  @Test
  void aCacheThatIsClosedMeanwhileWaitsForTheDevice() {
    announce(place(99), 300);
    AnnouncedPage page = file.announced(place(99));
    long version = page.acquire();
    for (int i = 0; i < 30; i++) {
      announce(place(i), 300);
    }
    cache.close();
    assertEquals(0, cache.bytesInUse());
    assertEquals(SLOTS / 16 + 1, discards.get(), "that of all slots and that of the pages");
    VarHandle.loadLoadFence();
    assertFalse(page.is(version));
    announce(place(50), 300);
    for (int i = 0; i < 100; i++) {
      assertNull(file.announced(place(i)));
    }
  }

  @Test
  void whatTheDeviceReadsIntoIsNobodyElses() {
    SystemCalls slow = callsWithEvents(new AtomicBoolean());
    Backend other = new Backend(slow);
    SlotCache full = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile direct = other.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 100);
      for (int i = 0; i < 90; i++) {
        blocks.prefetch(place(i), 300, direct);
      }
      // No event has been told, so no page can have been given to another read.
      assertEquals(0, full.counters().sum(Counter.PREFETCHES));
      assertEquals(0, full.counters().sum(Counter.PREFETCHES_DROPPED));
      int pages = 0;
      for (int i = 0; i < 90; i++) {
        boolean isPage = full.announced().has(blocks, place(i) / PAGE);
        pages += isPage ? 1 : 0;
        assertTrue(isPage || blocks.find(i) != null, "where there is no page, the block comes in");
      }
      assertTrue(pages > PAGES / 2 && pages <= PAGES, pages + " pages");
      blocks.close();
      full.close();
      assertNull(blocks.announced(place(0)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatIsStillReadWhenItIsWantedIsLateOnce() throws IOException {
    AtomicBoolean isToldAtOnce = new AtomicBoolean();
    Backend hasty = new Backend(callsWithEvents(isToldAtOnce));
    SlotCache full = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 100);
      long hits = full.counters().sum(Counter.HITS);
      long misses = full.counters().sum(Counter.MISSES);
      long waits = full.counters().sum(Counter.WAITS);
      blocks.prefetch(place(1), 300, direct);
      assertTrue(check(blocks, place(1), PAGE));
      assertEquals(hits, full.counters().sum(Counter.HITS));
      assertEquals(misses + 1, full.counters().sum(Counter.MISSES));
      assertEquals(waits + 1, full.counters().sum(Counter.WAITS));
      assertEquals(1, full.counters().sum(Counter.PREFETCHES_LATE));
      isToldAtOnce.set(true);
      blocks.prefetch(place(2), 300, direct);
      assertTrue(check(blocks, place(2), PAGE));
      assertEquals(hits + 1, full.counters().sum(Counter.HITS));
      assertEquals(misses + 1, full.counters().sum(Counter.MISSES));
      assertEquals(1, full.counters().sum(Counter.PREFETCHES_LATE));
      blocks.close();
    } finally {
      full.close();
    }
  }

  /** A thread that announces and never reads must not keep all pages from others. */
  @Test
  void whatNobodyReapsMakesRoomForOthers() throws Exception {
    AtomicBoolean isTold = new AtomicBoolean();
    Backend other = new Backend(callsWithEvents(isTold));
    SlotCache full = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile direct = other.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 200);
      AnnouncedPages pages = full.announced();
      PageFrames frames = new PageFrames(PAGES, new CountedMemory(), new FillSignal[1]);
      int set = frames.set(blocks, 0);
      long[] places =
          IntStream.range(0, 200)
              .mapToLong(AnnouncedPagesTestCase::place)
              .filter(place -> frames.set(blocks, place / PAGE) == set)
              .limit(PageFrames.PLACES + 1)
              .toArray();
      long last = places[PageFrames.PLACES];
      Runnable fill =
          () -> {
            for (int i = 0; i < PageFrames.PLACES; i++) {
              blocks.prefetch(places[i], 300, direct);
            }
          };
      long id = Thread.currentThread().threadId();
      Thread filler = new Thread(fill);
      while ((filler.threadId() - id) % FillQueues.MAX == 0) {
        filler = new Thread(fill);
      }
      filler.start();
      filler.join();
      // This thread's queue is there before it is told of events.
      int elsewhere = 0;
      while (frames.set(blocks, place(elsewhere) / PAGE) == set) {
        elsewhere++;
      }
      blocks.prefetch(place(elsewhere), 300, direct);
      isTold.set(true);
      blocks.prefetch(last, 300, direct);
      assertTrue(pages.has(blocks, last / PAGE), "a page has become free");
      assertTrue(check(blocks, last, PAGE));
      blocks.close();
    } finally {
      full.close();
    }
  }

  /** Whoever comes after the one who has waited in vain reads the block at once. */
  @Test
  void aReadThatDoesNotEndIsWaitedForOnce() throws IOException {
    AtomicBoolean isTold = new AtomicBoolean();
    Backend other = muteUntil(isTold);
    SlotCache full =
        new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory(), TimeUnit.MILLISECONDS.toNanos(20));
    try (PosixFile direct = other.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 100);
      long misses = full.counters().sum(Counter.MISSES);
      long waits = full.counters().sum(Counter.WAITS);
      blocks.prefetch(BLOCK + PAGE, 2 * PAGE, direct);
      for (int i = 0; i < 4; i++) {
        assertNull(blocks.announced(place(1) + i % 2 * (long) PAGE));
        assertEquals(
            1, full.counters().sum(Counter.WAIT_TIMEOUTS), "one reader waits, and for one page");
      }
      assertEquals(
          misses, full.counters().sum(Counter.MISSES), "the look-up is counted by what follows");
      assertEquals(waits, full.counters().sum(Counter.WAITS));
      assertEquals(0, full.counters().sum(Counter.PREFETCHES_LATE));
      assertNotNull(blocks.load(1, 1, direct));
      assertEquals(misses + 1, full.counters().sum(Counter.MISSES));
      isTold.set(true);
      CacheCheck.settle(full);
      assertTrue(check(blocks, place(1), PAGE), "it has come after all");
      blocks.close();
    } finally {
      full.close();
    }
  }

  /** With no page and no slot to read into, an announcement is one miss of each of its blocks. */
  @Test
  void anAnnouncementCountsEachBlockOnceHoweverOftenThereIsNoRoom() throws IOException {
    AtomicBoolean isTold = new AtomicBoolean();
    Backend mute = muteUntil(isTold);
    try (PosixFile direct = mute.open(path, OpenMode.READ_DIRECT)) {
      for (int i = 1; i < 200; i++) {
        file.prefetch(place(i), 300, direct);
      }
      assertTrue(
          cache.counters().sum(Counter.PREFETCHES_DROPPED) > 50,
          "there is room for nearly nothing");
      // These five blocks have 14 pages of it.
      file.prefetch(201L * BLOCK - 100, 3 * BLOCK + 200, direct);
      for (int block = 200; block < 205; block++) {
        boolean isIn = file.find(block) != null;
        assertTrue(isIn || file.leaveOut(block), "none is announced again and again: " + block);
      }
    } finally {
      isTold.set(true);
    }
  }

  /** A file that is closed ends the wait for its page, into which the device still writes. */
  @Test
  void nobodyReadsWhatTheDeviceStillWritesInto() throws IOException {
    AtomicBoolean isTold = new AtomicBoolean();
    Backend other = muteUntil(isTold);
    SlotCache full = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile direct = other.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 100);
      blocks.prefetch(place(1), 300, direct);
      assertTrue(full.announced().has(blocks, place(1) / PAGE));
      blocks.close();
      assertNull(blocks.announced(place(1)));
      assertTrue(full.announced().has(blocks, place(1) / PAGE), "it is still under way");
      isTold.set(true);
      CacheCheck.settle(full);
      assertNull(blocks.announced(place(1)));
    } finally {
      full.close();
    }
  }

  /** The device fails to read one page of a batch. */
  @Test
  void aPageThatFailsIsMissedByItsReaderAlone() throws IOException {
    AtomicBoolean fails = new AtomicBoolean();
    AtomicBoolean isFailing = new AtomicBoolean();
    SystemCalls faulty =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("preadv") && isFailing.get()) {
                return -5L;
              }
              if (!name.equals("ioGetEvents") || !fails.get()) {
                return null;
              }
              Object count =
                  calls.ioGetEvents(
                      (long) arguments[0],
                      (int) arguments[1],
                      (int) arguments[2],
                      (NativeBuffer) arguments[3],
                      (int) arguments[4]);
              if ((int) count > 0) {
                AioStructs.fail((NativeBuffer) arguments[3], Errno.EIO);
                fails.set(false);
              }
              return count;
            });
    Backend other = new Backend(faulty);
    SlotCache full = new SlotCache(SLOTS * BLOCK, BITS, new CountedMemory());
    try (PosixFile direct = other.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = openIn(full, direct, 100);
      fails.set(true);
      for (int i = 0; i < 5; i++) {
        blocks.prefetch(place(i), 300, direct);
      }
      long lookUps = full.counters().sum(Counter.HITS) + full.counters().sum(Counter.MISSES);
      long waits = full.counters().sum(Counter.MISSES) - full.counters().sum(Counter.WAITS);
      List<Integer> missing = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        if (!check(blocks, place(i), PAGE)) {
          missing.add(i);
        }
      }
      assertEquals(1, missing.size(), "missing: " + missing);
      assertEquals(
          lookUps + 4,
          full.counters().sum(Counter.HITS) + full.counters().sum(Counter.MISSES),
          "each page that is found is counted once, and the other one by who reads its block");
      assertEquals(waits, full.counters().sum(Counter.MISSES) - full.counters().sum(Counter.WAITS));
      assertEquals(5, full.counters().sum(Counter.PREFETCHES_ISSUED));
      assertEquals(4, full.counters().sum(Counter.PREFETCHES));
      assertEquals(1, full.counters().sum(Counter.PREFETCHES_DROPPED));
      int block = missing.get(0);
      isFailing.set(true);
      IOException e = assertThrows(IOException.class, () -> blocks.load(block, 1, direct));
      assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
      assertTrue(e.getMessage().contains("position=" + block * BLOCK), e.getMessage());
      isFailing.set(false);
      lookUps = full.counters().sum(Counter.HITS) + full.counters().sum(Counter.MISSES);
      assertNotNull(blocks.load(block, 1, direct));
      assertEquals(
          lookUps + 1, full.counters().sum(Counter.HITS) + full.counters().sum(Counter.MISSES));
      blocks.close();
    } finally {
      full.close();
    }
  }

  /** Whoever meets an Error while a page is given away gives the others away all the same. */
  @Test
  void anErrorWhilePagesAreGivenAwayLosesNone() {
    for (boolean isClosed : new boolean[] {false, true}) {
      CachedFile other = cache.files().open(null, "other", content.length);
      // To wake those who wait throws.
      AnnouncedPages pages =
          new AnnouncedPages(new PageFrames(PAGES, new CountedMemory(), new FillSignal[1]));
      long counted = cache.counters().sum(Counter.PREFETCHES);
      try (FillQueue queue =
          new FillQueue(source.openQueue(8), new FillSignal[] {new FillSignal()})) {
        FillQueue.Request request = pages.request(other, PAGE - 10, 300, source);
        assertEquals(FillQueue.Outcome.DONE, queue.begin(request, source));
        if (isClosed) {
          other.close();
        }
        assertThrows(
            NullPointerException.class,
            () -> {
              while (queue.isBusy()) {
                queue.awaitOne(FillQueue.LOOK_NANOS);
              }
            });
        assertEquals(counted + 1, cache.counters().sum(Counter.PREFETCHES));
        for (int page = 0; page < 2; page++) {
          assertEquals(!isClosed, pages.has(other, page), "page " + page);
          assertTrue(isClosed || pages.await(other, page) != null, "page " + page);
        }
      }
      if (!isClosed) {
        other.close();
      }
    }
  }

  @Test
  void anErrorBeforeTheReadIsAcceptedGivesThePageBack() {
    ReadableFile poor =
        new DelegatingFile(source) {
          @Override
          public boolean offer(ReadQueue queue, QueuedRead read, long position) {
            throw new OutOfMemoryError("by script");
          }
        };
    for (int i = 0; i < 2 * PAGES; i++) {
      file.prefetch(place(i), 300, poor);
    }
    assertEquals(2 * PAGES, cache.counters().sum(Counter.PREFETCHES_DROPPED));
    for (int i = 0; i < 2 * PAGES; i++) {
      announce(place(i), 300);
      assertThere(place(i), PAGE);
    }
  }

  @Test
  void readersClosesAndChangesOfSizeAtTheSameTime() throws Exception {
    AtomicInteger readers = new AtomicInteger(5);
    AtomicInteger found = new AtomicInteger();
    Fixtures.inThreads(
        7,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          if (thread == 5) {
            while (readers.get() > 0) {
              try (PosixFile direct = backend.open(path, OpenMode.READ_DIRECT)) {
                CachedFile other = cache.files().open("key", "other", content.length);
                for (int i = 0; i < random.nextInt(20); i++) {
                  other.prefetch(place(random.nextInt(BLOCKS - 1)), 300, direct);
                }
                boolean ignored = check(other, place(random.nextInt(BLOCKS - 1)), PAGE);
                other.close();
              }
            }
          } else if (thread == 6) {
            while (readers.get() > 0) {
              long ignored = cache.resize(16L * BLOCK * (2 + random.nextInt(3)), true);
              Thread.sleep(1);
            }
            long ignored = cache.resize(cache.size(), false);
          } else {
            try {
              // On a busy machine many a page is gone before it is looked for.
              for (int round = 0; round < 500 || (found.get() <= 1000 && round < 50_000); round++) {
                long[] places =
                    random.ints(1 + random.nextInt(16), 0, 4 * BLOCKS - 8).asLongStream().toArray();
                for (long page : places) {
                  announce(page * PAGE + random.nextInt(PAGE), 300);
                }
                for (long page : places) {
                  found.addAndGet(check(file, page * PAGE, PAGE) ? 1 : 0);
                }
              }
            } finally {
              readers.decrementAndGet();
            }
          }
        });
    assertTrue(found.get() > 1000, found + " pages were found");
  }
}
