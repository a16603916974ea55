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

/** What is announced after which misses. The reads that follow do not end unless a test wants. */
@Timeout(60)
class ScanReadAheadTest {

  private static final int BITS = 12;
  private static final int SLOTS = 4096;
  private static final int BLOCKS = 20_000;

  /** How many blocks are missed before any is announced, and how many are then. */
  private static final int RUN = 16;

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

  private void miss(int block, int count, boolean isInOrder) {
    if (scan.recordMiss(block, count, isInOrder, source)) {
      scan.announce(source);
    }
  }

  private void miss(int block) {
    miss(block, 1, true);
  }

  /** Misses blocks in a row, to the first of which the reader jumps. */
  private void missRow(int first, int behind) {
    miss(first, 1, false);
    for (int block = first + 1; block < behind; block++) {
      miss(block);
    }
  }

  /** Checks that these blocks have come, or are on their way, and those around them not. */
  private void assertAhead(int first, int behind) throws InterruptedException {
    for (int block = first; block < behind; block++) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (file.find(block) == null) {
        assertTrue(System.nanoTime() - deadline < 0, "block " + block);
        Thread.sleep(1);
      }
    }
    assertNull(file.find(first - 1));
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
  void announcementsGrowUntilTwoAreEnoughForADevice() throws Exception {
    missRow(0, RUN - 1);
    assertEquals(0, announced);
    miss(RUN - 1);
    assertEquals(1, announced);
    assertAhead(16, 32);
    miss(16);
    assertEquals(2, announced);
    assertAhead(16, 64);
    miss(17);
    miss(31);
    assertEquals(2, announced);
    // Any block of the last announcement will do.
    miss(40);
    assertAhead(16, 128);
    miss(64);
    assertAhead(16, 128 + MAX_ANNOUNCED);
    miss(65);
    assertEquals(4, announced);
  }

  @Test
  void readsOfManyBlocksCountThemAll() throws Exception {
    miss(0, 10, false);
    miss(10, 6, true);
    assertEquals(1, announced);
    assertAhead(16, 32);
    scan = new ScanReadAhead(file, (long) BLOCKS << BITS);
    miss(1000, 1000, false);
    assertEquals(1, announced, "one large read");
    // A read brings in so many at once.
    miss(1000 + Fill.MAX_BLOCKS, 1000 - Fill.MAX_BLOCKS, true);
    assertEquals(2, announced);
    assertAhead(1000 + 2 * Fill.MAX_BLOCKS, 1000 + 2 * Fill.MAX_BLOCKS + MAX_ANNOUNCED);
  }

  @Test
  void readsAtRandomAnnounceNothing() {
    for (int first = 1; first < 10_000; first += 100) {
      missRow(first, first + RUN - 1);
    }
    for (int block = 10_000; block > 9_000; block--) {
      miss(block, 1, false);
    }
    for (int block = 0; block < 1000; block += 2) {
      miss(block, 1, false);
    }
    // They are further apart than what a miss brings in around itself.
    for (int block = 0; block < 1000; block += (Fill.AROUND_BYTES >> BITS) + 1) {
      miss(block);
    }
    for (int i = 0; i < 100; i++) {
      miss(77);
    }
    assertEquals(0, announced);
  }

  @Test
  void aFewBlocksThatAreThereDoNotEndARun() throws Exception {
    for (int i = 0; i < RUN; i++) {
      miss(4 * i);
    }
    assertEquals(1, announced);
    assertAhead(61, 61 + RUN);
  }

  @Test
  void whatHasBeenScannedIsReadAheadOnceMore() throws Exception {
    missRow(1000, 1000 + RUN);
    for (int block : new int[] {1016, 1032, 1064}) {
      assertAhead(1016, block == 1016 ? 1032 : 2 * block - 1000);
      miss(block);
    }
    int before = announced;
    missRow(0, RUN);
    assertEquals(before + 1, announced);
    assertAhead(16, 32);
    missRow(100, 100 + RUN);
    assertAhead(116, 132);
    missRow(90, 90 + RUN - 6);
    missRow(40, 40 + RUN);
    assertAhead(56, 72);
    assertEquals(before + 3, announced);
  }

  @Test
  void aJumpEndsAScan() {
    missRow(0, RUN);
    miss(RUN);
    int before = announced;
    miss(1000, 1, false);
    miss(2 * RUN);
    miss(1001);
    assertEquals(before, announced);
  }

  /** The device is faster than the reader, or others have ended its reads. */
  @Test
  void aReaderThatHasMissedNothingOfAnAnnouncementGoesOnBehindIt() throws Exception {
    missRow(0, RUN);
    miss(32);
    assertEquals(2, announced);
    assertAhead(33, 33 + 2 * RUN);
    // A block behind the announcement is there.
    miss(66);
    assertAhead(67, 67 + MAX_ANNOUNCED);
  }

  @Test
  void whatIsGoneMakesAnnouncementsShorter() throws Exception {
    isHeld = false;
    missRow(0, RUN);
    assertAhead(16, 32);
    miss(16);
    assertAhead(16, 64);
    evict(32, 64);
    miss(32);
    assertAhead(64, 96);
    miss(33);
    // It is a quarter for the block that is gone, and twice that since the next one is there.
    miss(64);
    assertAhead(64, 112);
    evict(96, 112);
    miss(96);
    assertAhead(112, 128);
    // Another one that has gone, and all others that were announced before that was noticed.
    miss(97);
    evict(112, 128);
    miss(112);
    miss(113);
    assertAhead(128, 132);
    evict(128, 132);
    miss(128);
    miss(129);
    assertAhead(132, 136);
    // It is one, and twice that again.
    miss(132);
    assertAhead(132, 138);
    evict(136, 138);
    miss(136);
    miss(137);
    assertEquals(9, announced);
    assertAhead(138, 140);
    // It is none: the run begins anew.
    for (int block = 140; block < 140 + RUN - 1; block++) {
      miss(block);
    }
    assertEquals(9, announced);
    miss(140 + RUN - 1);
    assertEquals(10, announced);
  }

  /** What a miss has brought in around itself is no gap. */
  @Test
  void aCacheWithRoomIsReadAheadToo() throws Exception {
    int around = Fill.AROUND_BYTES >> BITS;
    for (int i = 0; i < RUN; i++) {
      miss(i * around, 1, i > 0);
    }
    assertEquals(1, announced);
    assertAhead(15 * around + 1, 15 * around + 1 + RUN);
  }

  @Test
  void nothingIsAnnouncedBehindTheLimit() throws Exception {
    scan = new ScanReadAhead(file, 20L << BITS);
    for (int block = 0; block < RUN; block++) {
      miss(block, 1, block > 0);
    }
    assertAhead(16, 20);
    miss(16, 1, true);
    miss(17, 1, true);
    assertEquals(1, announced);
  }

  @Test
  void whatOthersHaveAnnouncedIsNoMiss() throws Exception {
    file.prefetch(100L << BITS, 40L << BITS, source);
    assertAhead(100, 140);
    missRow(100, 140);
    assertEquals(1, announced);
  }

  @Test
  void ofAClosedFileNothingIsAnnounced() {
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
    missRow(0, RUN);
    assertAhead(16, 21);
    cache.close();
    open(63);
    int before = announced;
    missRow(0, 10 * RUN);
    assertEquals(before, announced);
  }
}
