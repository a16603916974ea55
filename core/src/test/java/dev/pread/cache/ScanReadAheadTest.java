/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is loaded together and what is announced after which misses. Reads ahead do not end unless a
 * test wants.
 */
@Timeout(60)
class ScanReadAheadTest {

  private static final int BITS = 12;
  private static final int SLOTS = 4096;
  private static final int BLOCKS = 20_000;

  /** How many blocks are read in order before any is announced. */
  private static final int RUN = 33;

  /** How many are announced then. */
  private static final int FIRST = 16;

  /** The most blocks of an announcement, in this cache. */
  private static final int MAX_ANNOUNCED = 64;

  private SlotCache cache;
  private CachedFile file;
  private ScanReadAhead scan;
  private final CountDownLatch end = new CountDownLatch(1);

  /** How many announcements there have been: each asks for a queue, and there is none. */
  private int announced;

  private boolean isHeld = true;

  /** The file as it is read ahead, by threads. */
  private final ReadableFile source =
      new ReadableFile() {
        @Override
        public VectorPool vectors() {
          return Fixtures.backend().vectors();
        }

        @Override
        public int readFully(long position, ReadTarget target, int atLeast, int room)
            throws IOException {
          try {
            if (isHeld) {
              end.await();
            }
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          return atLeast;
        }

        @Override
        public int alignment() {
          return 512;
        }

        @Override
        public ReadQueue openQueue(int depth) {
          announced++;
          return null;
        }
      };

  @BeforeEach
  void open() throws IOException {
    open(SLOTS);
  }

  private void open(int slots) throws IOException {
    cache = new SlotCache((long) slots << BITS, BITS, new TestMemory(1 << 20, Integer.MAX_VALUE));
    file = cache.files().open(null, "f", (long) BLOCKS << BITS);
    scan = new ScanReadAhead(file, (long) BLOCKS << BITS);
    // This leaves no slot free, so that what is announced comes and nothing around it.
    for (int block = BLOCKS - slots; block < BLOCKS; block++) {
      CacheFixtures.load(file, block, CacheFixtures.file((position, length, memory) -> {}));
    }
  }

  @AfterEach
  void close() {
    end.countDown();
    cache.close();
  }

  /**
   * Misses a block, and loads it unless it is on its way.
   *
   * @return how many blocks were to be loaded together
   */
  private int together(int block, int count, boolean isInOrder) throws IOException {
    int together = scan.recordMiss(block, count, isInOrder, source);
    if (file.find(block) == null) {
      Slot ignored =
          file.load(block, count, together, CacheFixtures.file((position, length, memory) -> {}));
    }
    scan.loaded(source);
    return together;
  }

  private int together(int block) throws IOException {
    return together(block, 1, true);
  }

  private void miss(int block, int count, boolean isInOrder) throws IOException {
    int ignored = together(block, count, isInOrder);
  }

  private void miss(int block) throws IOException {
    miss(block, 1, true);
  }

  /** Reads blocks in a row, to the first of which the reader jumps, and misses those not there. */
  private void missRow(int first, int behind) throws IOException {
    miss(first, 1, false);
    goOn(first + 1, behind);
  }

  /** Reads more blocks of a row, and misses those that are not there. */
  private void goOn(int first, int behind) throws IOException {
    for (int block = first; block < behind; block++) {
      if (file.find(block) == null) {
        miss(block);
      }
    }
  }

  /** Checks that these blocks have come, or are on their way, and the one behind them not. */
  private void assertAhead(int first, int behind) throws InterruptedException {
    for (int block = first; block < behind; block++) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (file.find(block) == null) {
        assertTrue(System.nanoTime() - deadline < 0, "block " + block);
        Thread.sleep(1);
      }
    }
    assertNull(file.find(behind));
  }

  /** Evicts what has been read ahead, and leaves no slot free. */
  private void evict(int first, int behind) throws Exception {
    for (int block = first; block < behind; block++) {
      while (!CacheFixtures.has(file, block)) {
        Thread.sleep(1);
      }
      file.freeIfOurs(file.find(block));
      assertNull(file.find(block));
      CacheFixtures.load(
          file, BLOCKS / 2 + block, CacheFixtures.file((position, length, memory) -> {}));
    }
  }

  @Test
  void eachMissInOrderDoublesWhatHasBeenRead() throws Exception {
    assertEquals(1, together(0, 1, false));
    assertEquals(1, together(1));
    assertEquals(2, together(2));
    assertEquals(4, together(4));
    assertEquals(8, together(8));
    assertEquals(16, together(16));
    assertAhead(0, 32);
    assertEquals(1, together(1000, 1, false));
    assertEquals(1, together(77, 1, false), "a jump");
    assertEquals(10, together(78, 10, true), "a large read");
    assertEquals(11, together(88));
    assertEquals(0, announced);
  }

  /** What a new reader has come through is not known, and may be nothing. */
  @Test
  void theFirstMissBeginsARun() throws Exception {
    assertEquals(1, together(5));
    assertEquals(1, together(6));
    assertEquals(2, together(7));
  }

  /** What was loaded in vain is not loaded so for a while. */
  @Test
  void whatIsLoadedTogetherAndGoneIsLoadedOneByOne() throws Exception {
    missRow(0, 3);
    free(3);
    assertLoadsOneByOne(3, 4 + RUN);
    assertEquals(2, together(4 + RUN));
  }

  private void free(int block) throws IOException {
    file.freeIfOurs(file.find(block));
    CacheFixtures.load(
        file, BLOCKS / 2 + block, CacheFixtures.file((position, length, memory) -> {}));
  }

  private void assertLoadsOneByOne(int first, int behind) throws IOException {
    for (int block = first; block < behind; block++) {
      assertEquals(1, together(block), "block " + block);
    }
  }

  /** A block that can't be read is not tried by each miss before it. */
  @Test
  void whatDoesNotComeIsLoadedOneByOne() throws Exception {
    missRow(0, 4);
    assertEquals(4, scan.recordMiss(4, 1, true, source));
    CacheFixtures.load(file, 4, CacheFixtures.file((position, length, memory) -> {}));
    scan.loaded(source);
    assertLoadsOneByOne(5, 5 + RUN);
  }

  /** It is one read, of which some blocks are there. */
  @Test
  void aReadOfManyBlocksWithHolesIsNoRun() throws Exception {
    CacheFixtures.load(file, 102, CacheFixtures.file((position, length, memory) -> {}));
    assertEquals(5, together(100, 5, false));
    assertEquals(2, together(103, 2, true));
    assertAhead(100, 105);
    assertEquals(5, together(105), "what comes after it is one");
  }

  /** The reader comes to a block that is there, which it does not tell. */
  @Test
  void aJumpBackIntoAScanBeginsAnew() throws Exception {
    isHeld = false;
    missRow(0, RUN);
    assertAhead(33, 49);
    miss(33);
    assertAhead(33, 65);
    miss(49);
    assertAhead(49, 81);
    evict(36, 40);
    assertEquals(1, together(36));
    assertEquals(1, together(37));
    assertEquals(2, together(38));
  }

  @Test
  void twoAnnouncementsAreUnderWay() throws Exception {
    missRow(0, RUN - 1);
    assertEquals(0, announced);
    assertEquals(1, together(RUN - 1), "the rest is announced");
    assertEquals(1, announced);
    assertAhead(33, 49);
    miss(33);
    assertEquals(2, announced);
    assertAhead(33, 65);
    miss(34);
    miss(48);
    assertEquals(2, announced);
    // Any block of the last announcement will do.
    miss(60);
    assertAhead(33, 81);
    miss(81);
    assertEquals(4, announced);
    assertAhead(82, 82 + 17);
    miss(82);
    assertEquals(5, announced);
  }

  /** As long as it may end soon they are short. */
  @Test
  void announcementsGrowWithTheScan() throws Exception {
    isHeld = false;
    missRow(0, RUN);
    int size = FIRST;
    for (int end = RUN + size; end < 2000; end += 1 + size) {
      int before = announced;
      miss(end);
      assertEquals(before + 1, announced);
      size = Math.min(2 * size, Math.clamp(end - 2 * (RUN - 1), FIRST, MAX_ANNOUNCED));
      assertAhead(end + 1, end + 1 + size);
    }
  }

  @Test
  void readsOfManyBlocksCountThemAll() throws Exception {
    miss(0, 10, false);
    miss(10, 6, true);
    miss(20, 20, true);
    assertEquals(0, announced);
    miss(40);
    assertEquals(1, announced);
    assertAhead(41, 41 + FIRST);
    scan = new ScanReadAhead(file, (long) BLOCKS << BITS);
    miss(1000, 1000, false);
    assertEquals(1, announced, "one large read");
    // A read brings in so many at once.
    miss(1000 + Fill.MAX_BLOCKS, 1000 - Fill.MAX_BLOCKS, true);
    assertEquals(2, announced);
    int end = 1000 + 2 * Fill.MAX_BLOCKS;
    assertAhead(end, end + FIRST);
  }

  @Test
  void readsAtRandomAnnounceNothing() throws Exception {
    for (int first = 1; first < 10_000; first += 100) {
      missRow(first, first + RUN - 1);
    }
    for (int block = 12_000; block > 11_000; block--) {
      assertEquals(1, together(block, 1, false));
    }
    for (int block = 12_001; block < 13_000; block += 2) {
      assertEquals(1, together(block, 1, false));
    }
    // They are further apart than what a miss brings in around itself.
    for (int block = 14_001; block < 15_000; block += (Fill.AROUND_BYTES >> BITS) + 1) {
      assertEquals(1, together(block));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(1, together(77));
    }
    assertEquals(0, announced);
  }

  @Test
  void aFewBlocksThatAreThereDoNotEndARun() throws Exception {
    for (int block = 0; block < 2 * RUN; block += 5) {
      CacheFixtures.load(file, block, CacheFixtures.file((position, length, memory) -> {}));
    }
    missRow(1, 2 * RUN);
    assertTrue(announced > 0);
  }

  @Test
  void whatHasBeenScannedIsReadAheadOnceMore() throws Exception {
    missRow(1000, 1000 + RUN);
    assertAhead(1033, 1049);
    miss(1033);
    assertAhead(1033, 1065);
    miss(1049);
    assertAhead(1033, 1081);
    int before = announced;
    missRow(0, RUN);
    assertEquals(before + 1, announced);
    assertAhead(RUN, RUN + FIRST);
    missRow(200, 200 + RUN);
    assertAhead(200 + RUN, 200 + RUN + FIRST);
    missRow(400, 400 + RUN - 1);
    missRow(500, 500 + RUN);
    assertAhead(500 + RUN, 500 + RUN + FIRST);
    assertEquals(before + 3, announced);
  }

  @Test
  void aJumpEndsAScan() throws Exception {
    missRow(0, RUN);
    miss(RUN);
    int before = announced;
    miss(1000, 1, false);
    miss(100);
    miss(1001);
    assertEquals(before, announced);
  }

  /** The device is faster than the reader, or others have ended its reads. */
  @Test
  void aReaderThatHasMissedNothingOfAnAnnouncementGoesOnBehindIt() throws Exception {
    missRow(0, RUN);
    int end = RUN + FIRST;
    miss(end);
    assertEquals(2, announced);
    assertAhead(end + 1, end + 1 + FIRST);
    // A block behind the announcement is there.
    end += FIRST + 3;
    miss(end);
    assertAhead(end + 1, end + 1 + FIRST);
  }

  @Test
  void whatIsGoneMakesAnnouncementsShorter() throws Exception {
    isHeld = false;
    missRow(0, RUN);
    assertAhead(33, 49);
    miss(33);
    assertAhead(33, 65);
    evict(49, 65);
    miss(49);
    assertAhead(65, 81);
    miss(50);
    // It is a quarter for the block that is gone, and twice that since the next one is there.
    miss(65);
    assertAhead(65, 89);
    evict(81, 89);
    miss(81);
    assertAhead(89, 97);
    // Another one that has gone, and all others that were announced before that was noticed.
    miss(82);
    evict(89, 97);
    miss(89);
    miss(90);
    assertAhead(97, 99);
    evict(97, 99);
    miss(97);
    assertAhead(99, 101);
    miss(98);
    assertEquals(7, announced);
    // It is none: the run begins anew.
    goOn(99, 99 + RUN - 1);
    assertEquals(7, announced);
    miss(99 + RUN - 1);
    assertEquals(8, announced);
  }

  /** What a miss has brought in around itself is no gap. */
  @Test
  void aCacheWithRoomIsReadAheadToo() throws Exception {
    int around = Fill.AROUND_BYTES >> BITS;
    miss(0, 1, false);
    assertEquals(0, announced);
    miss(around);
    assertEquals(1, announced);
    assertAhead(around + 1, around + 1 + FIRST);
  }

  @Test
  void nothingIsReadAheadBehindTheLimit() throws Exception {
    scan = new ScanReadAhead(file, 40L << BITS);
    missRow(0, RUN);
    assertAhead(RUN, 40);
    miss(RUN);
    miss(RUN + 1);
    assertEquals(1, announced);
    scan = new ScanReadAhead(file, 1005L << BITS);
    missRow(1000, 1005);
    assertAhead(1000, 1005);
  }

  @Test
  void whatOthersHaveAnnouncedIsNoMiss() throws Exception {
    file.prefetch(100L << BITS, 40L << BITS, source);
    assertAhead(100, 140);
    for (int block = 100; block < 140; block++) {
      assertEquals(1, together(block, 1, block > 100));
    }
    assertEquals(1, announced);
    assertAhead(100, 140);
  }

  @Test
  void ofAClosedFileNothingIsAnnounced() throws Exception {
    missRow(0, RUN);
    file.close();
    miss(RUN);
    miss(100);
    assertEquals(1, announced);
  }

  /** A sixty-fourth of it is read ahead at most. */
  @Test
  void smallCachesReadLittleAheadOrNothing() throws Exception {
    cache.close();
    open(5 * 64);
    int block = 0;
    for (; announced == 0; block++) {
      goOn(block, block + 1);
    }
    assertTrue(block >= RUN, block + " blocks");
    assertAhead(block, block + 5);
    cache.close();
    open(63);
    int before = announced;
    assertLoadsOneByOne(0, 200);
    assertEquals(before, announced);
  }
}
