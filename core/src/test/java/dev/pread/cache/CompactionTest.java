/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.TestMemory;
import dev.pread.cache.CacheFixtures.TestSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A file comes to lie in one piece in a cache that is full. */
class CompactionTest extends LargeBlocksTestCase {

  private static final int SLOTS = 32;
  private static final int PAGE_SLOTS = 4;

  CompactionTest() {
    super(SLOTS, PAGE_SLOTS);
  }

  private static void heat(Slot slot) {
    for (int i = 0; i < Slot.MAX_USES; i++) {
      slot.touch();
    }
  }

  /** Returns whether room that was made, or not, since then is not to be made again yet. */
  private static boolean isTooSoonAfter(long start) {
    return System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1);
  }

  private int singlesThere() {
    int there = 0;
    for (int i = 0; i < singles.size(); i++) {
      if (CacheFixtures.has(singles.get(i), 0)) {
        CacheFixtures.check(singles.get(i), 101 + i, 1);
        there++;
      }
    }
    return there;
  }

  /**
   * Checks that an extent is complete, with the bytes of the file, and that none are there twice.
   */
  private void checkGathered(CachedFile file, int id) {
    Extent extent = file.extent(0);
    assertNotNull(extent, "not made");
    assertTrue(extent.isComplete(), "not complete");
    assertTrue(Guard.isStable(extent.acquire()));
    CacheFixtures.check(file, id, file.blocks());
    for (int block = 0; block < file.blocks(); block++) {
      int at = extent.base() + (block << BITS);
      assertEquals(CacheFixtures.byteOf(id, (long) block << BITS), extent.chunk().bytes().get(at));
      assertEquals(at, cache.offset(file.find(block)), "block " + block);
    }
    assertEquals(file.blocks() + singlesThere(), cache.counters().sum(Counter.BLOCKS));
  }

  private void checkNothingLost(CachedFile... files) throws IOException {
    for (CachedFile file : files) {
      file.close();
    }
    singles.forEach(CachedFile::close);
    CacheCheck.allSlotsCanBeHad(cache);
  }

  // ---- what moves and what goes ----

  @Test
  void aFullCacheHasRoomForAWholeFile() throws IOException {
    take(SLOTS);
    CachedFile file = open(12);
    TestSource source = source(1, 12);
    file.extents().gather(5L << BITS, source);
    checkGathered(file, 1);
    assertEquals(SLOTS - 12, singlesThere(), "no more have gone than had to");
    checkNothingLost(file);
  }

  @Test
  void whatIsHotMovesAndWhatIsNotGoes() throws IOException {
    take(SLOTS);
    // One block of each page is hot.
    for (int i = 0; i < SLOTS; i += PAGE_SLOTS) {
      heat(singles.get(i).find(0));
    }
    CachedFile file = open(20);
    file.extents().gather(0, source(1, 20));
    checkGathered(file, 1);
    for (int i = 0; i < SLOTS; i += PAGE_SLOTS) {
      assertTrue(CacheFixtures.has(singles.get(i), 0), "hot block " + i);
    }
    checkNothingLost(file);
  }

  /** Returns a file in a full cache whose blocks lie among others, all of which but two are hot. */
  private CachedFile scattered(TestSource source) throws IOException {
    take(SLOTS);
    for (int i = 0; i < SLOTS; i += 2) {
      heat(singles.get(i).find(0));
    }
    CachedFile file = open(14);
    for (int block = 0; block < 14; block++) {
      CacheFixtures.load(file, block, source);
    }
    assertNull(file.extent(0), "no room");
    for (int block = 0; block < 14; block++) {
      heat(file.find(block));
    }
    for (int i = 0; i < SLOTS; i += 2) {
      heat(singles.get(i).find(0));
    }
    assertEquals(SLOTS - 14, singlesThere());
    return file;
  }

  /** Returns how often versions of slots have changed. */
  private long changes() {
    long changes = 0;
    for (int i = 0; i < SLOTS; i++) {
      changes += cache.slot(i).acquire();
    }
    return changes;
  }

  /** The slots that the file's blocks leave are those that the others move to. */
  @Test
  void blocksOfTheFileAreExchangedWithOthers() throws IOException {
    TestSource source = source(1, 14);
    CachedFile file = scattered(source);
    long evictions = cache.counters().sum(Counter.EVICTIONS);
    long changes = changes();
    long version = file.find(3).acquire();
    Slot before = file.find(3);
    file.extents().gather(0, source);
    checkGathered(file, 1);
    assertFalse(before.is(version), "who reads where it was looks up again");
    assertEquals(14, source.reads.get(), "what is in the cache is not read again");
    // Each move changes the versions of two slots by four altogether; what is evicted, by five.
    assertTrue(
        changes() - changes <= 4 * (14 + 2 * 14) + 2 * 5,
        "no block is copied more than twice: " + (changes() - changes));
    assertTrue(
        cache.counters().sum(Counter.EVICTIONS) - evictions <= 2,
        "what it takes to begin: " + (cache.counters().sum(Counter.EVICTIONS) - evictions));
    checkNothingLost(file);
  }

  @Test
  void aFileOfManyBatchesIsGathered() throws IOException {
    int slots = 8 * Fill.MAX_BLOCKS;
    SlotCache large = new SlotCache((long) slots << 6, 6, new TestMemory(slots << 6, 16 << 6, 1));
    CachedFile other = large.files().open(null, "g", (long) slots << 6);
    other.loadAll(new TestSource(2, (long) slots << 6));
    CachedFile file = large.files().open(null, "f", ((5L * Fill.MAX_BLOCKS) << 6) - 1);
    TestSource source = new TestSource(1, file.length());
    for (int block = 0; block < file.blocks(); block += 3) {
      CacheFixtures.load(file, block, source);
    }
    file.extents().gather(0, source);
    assertTrue(file.extent(0).isComplete());
    byte[] bytes = new byte[(int) file.length()];
    assertEquals(bytes.length, file.copy(0, bytes, 0, bytes.length));
    for (int i = 0; i < bytes.length; i++) {
      assertEquals(CacheFixtures.byteOf(1, i), bytes[i]);
    }
    file.close();
    other.close();
    CacheCheck.allSlotsCanBeHad(large);
  }

  /** There are such pages when the limit has not been used up yet. */
  @Test
  void pagesWithoutMemoryAreTaken() throws IOException {
    cache.resize(16L << BITS, false);
    take(SLOTS);
    cache.resize(20L << BITS, false);
    assertEquals(16L << BITS, cache.bytesInUse());
    CachedFile file = open(12);
    file.extents().gather(0, source(1, 12));
    checkGathered(file, 1);
    assertEquals(20L << BITS, cache.bytesInUse());
    assertTrue(singlesThere() >= 8, "one page costs nothing");
    checkOpenAgain(file);
  }

  private void checkOpenAgain(CachedFile file) throws IOException {
    cache.resize((long) SLOTS << BITS, false);
    checkNothingLost(file);
  }

  /** Others miss meanwhile, and their evictions come across what has come home already. */
  @Test
  void evictionsLeaveAloneWhatIsBeingGathered() throws IOException {
    take(SLOTS);
    CachedFile file = open(20);
    for (int block = 0; block < 20; block += 2) {
      CacheFixtures.load(file, block, source(1, 20));
    }
    TestSource source = source(1, 20);
    source.before =
        () -> {
          // Each is used, so that the queues go round.
          for (int i = 0; i < 3 * SLOTS; i++) {
            Slot slot = loadOther();
            slot.touch();
            slot.touch();
          }
        };
    file.extents().gather(0, source);
    assertTrue(file.extent(0).isComplete());
    CacheFixtures.check(file, 1, 20);
  }

  // ---- what stays ----

  @Test
  void whatIsHandedOutStays() throws IOException {
    CachedFile seen = open(6);
    Extent extent = CacheFixtures.complete(seen, source(2, 6));
    Runnable[] release = new Runnable[1];
    Object looking = CacheFixtures.view(extent, release);
    long version = extent.acquire();
    take(SLOTS - 6);
    CachedFile file = open(12);
    file.extents().gather(0, source(1, 12));
    assertTrue(file.extent(0).isComplete());
    assertTrue(extent.is(version), "nothing of it has changed");
    assertFalse(file.extent(0).covers(seen.find(0).index));
    CacheFixtures.check(seen, 2, 6);
    assertNotNull(looking);
    release[0].run();
    checkNothingLost(file, seen);
  }

  @Test
  void nothingIsWaitedForThatIsOnlyKept() throws IOException {
    CachedFile pending = open(20);
    CacheFixtures.load(pending, 0, source(2, 20));
    assertTrue(pending.extent(0).isPending());
    CachedFile file = open(16);
    file.extents().gather(0, source(1, 16));
    assertTrue(pending.extent(0).isEnded());
    checkGatheredBeside(file, pending);
  }

  private void checkGatheredBeside(CachedFile file, CachedFile other) throws IOException {
    assertTrue(file.extent(0).isComplete());
    CacheFixtures.check(file, 1, file.blocks());
    checkNothingLost(file, other);
  }

  @Test
  void nothingGoesWhereThereCanBeNoRun() throws IOException {
    CachedFile below = open(12);
    CachedFile seen = open(8);
    CacheFixtures.complete(below, source(2, 12));
    assertNotNull(CacheFixtures.view(CacheFixtures.complete(seen, source(3, 8))));
    take(12);
    CachedFile file = open(13);
    file.extents().gather(0, source(1, 13));
    assertNull(file.extent(0));
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
    assertEquals(SLOTS, cache.counters().sum(Counter.BLOCKS));
  }

  @Test
  void whatCouldNotBeHandedOutIsNotGathered() throws IOException {
    take(SLOTS);
    CachedFile file = open(SLOTS - SLOTS / 4 + 1);
    file.extents().gather(0, source(1, file.blocks()));
    assertNull(file.extent(0));
    assertEquals(0, cache.counters().sum(Counter.EVICTIONS));
    CachedFile smaller = open(SLOTS - SLOTS / 4);
    smaller.extents().gather(0, source(2, smaller.blocks()));
    checkGathered(smaller, 2);
    assertNotNull(CacheFixtures.view(smaller.extent(0)));
  }

  /** Fills the cache, and prepares that the next block that is read gets a slot in its middle. */
  private Slot takeAllButTheMiddle() throws IOException {
    take(SLOTS);
    for (CachedFile single : singles) {
      heat(single.find(0));
    }
    // All runs of 24 overlap here.
    Slot middle = singles.get(SLOTS / 2).find(0);
    middle.uses = 0;
    return middle;
  }

  /** A slot that somebody is filling can't be had, however long one waits: all is as it was. */
  @Test
  void whatIsNeverFilledIsGivenUpOn() throws IOException {
    cache = new SlotCache(cache.size(), BITS, memory, TimeUnit.MILLISECONDS.toNanos(50));
    Slot middle = takeAllButTheMiddle();
    CachedFile file = open(24);
    TestSource source = source(1, 24);
    CachedFile slow = open(1);
    TestSource late = source(2, 1);
    late.before = () -> file.extents().gather(0, source);
    long before = System.nanoTime();
    assertEquals(middle.index, CacheFixtures.load(slow, 0, late).index);
    assertTrue(file.extent(0).isEnded());
    CacheFixtures.check(slow, 2, 1);
    int reads = source.reads.get();
    file.extents().gather(0, source);
    boolean isEnded = file.extent(0).isEnded();
    if (isTooSoonAfter(before)) {
      assertTrue(isEnded, "not at once");
      assertEquals(reads, source.reads.get());
    }
    Fixtures.awaitCount(
        () -> {
          file.extents().gather(0, source);
          return file.extent(0).isComplete() ? 1 : 0;
        },
        1);
    checkNothingLost(file, slow);
  }

  /** A device takes its time, which a thread that has been interrupted has to wait for, too. */
  @Test
  void whatIsBeingFilledIsWaitedFor() throws Exception {
    // A busy machine may take longer than the second after which it would be given up on.
    cache = new SlotCache(cache.size(), BITS, memory, TimeUnit.MINUTES.toNanos(1));
    Slot middle = takeAllButTheMiddle();
    CachedFile file = open(24);
    CachedFile slow = open(1);
    CountDownLatch reading = new CountDownLatch(1);
    AtomicReference<Thread> gatherer = new AtomicReference<>();
    TestSource late = source(2, 1);
    late.before =
        () -> {
          reading.countDown();
          Fixtures.awaitCount(
              () -> {
                Thread waiting = gatherer.get();
                boolean waits = waiting != null && waiting.getState() == Thread.State.TIMED_WAITING;
                return waits || (file.extent(0) != null && file.extent(0).isEnded()) ? 1 : 0;
              },
              1);
        };
    Fixtures.inThreads(
        2,
        thread -> {
          if (thread == 0) {
            // It may have moved on as soon as it is there.
            assertEquals(middle.index, slow.load(0, 1, late).index);
          } else {
            reading.await();
            Thread.currentThread().interrupt();
            gatherer.set(Thread.currentThread());
            file.extents().gather(0, source(1, 24));
            assertTrue(Thread.interrupted());
          }
        });
    assertTrue(file.extent(0).isComplete());
    CacheFixtures.check(slow, 2, 1);
    checkNothingLost(file, slow);
  }

  private Slot loadOther() {
    try {
      return CacheFixtures.load(open(1), 0, source(100, 1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of a page only every fourth slot is looked at here, and these are others. */
  @Test
  void nothingEndsWhereABlockIsHandedOutThatWasNotLookedAt() throws IOException {
    int slots = 64;
    int pageSlots = 32;
    TestMemory wide = new TestMemory(slots << BITS, pageSlots << BITS, Integer.MAX_VALUE);
    cache = new SlotCache((long) slots << BITS, BITS, wide);
    // These are evicted before the others.
    take(slots - 4);
    CachedFile first = open(2);
    Extent ofFirst = CacheFixtures.complete(first, source(1, 2));
    CachedFile seen = open(2);
    Extent ofSeen = CacheFixtures.complete(seen, source(2, 2));
    Object looking = CacheFixtures.view(ofSeen);
    assertEquals(0, first.find(0).index);
    assertEquals(2, seen.find(0).index);
    for (int i = 0; i < pageSlots; i++) {
      // The page in which nothing is handed out costs more.
      assertTrue(singles.get(i).find(0).index >= pageSlots);
      heat(singles.get(i).find(0));
    }
    CachedFile file = open(12);
    file.extents().gather(0, source(3, 12));
    assertEquals(pageSlots, file.find(0).index);
    assertTrue(file.extent(0).isComplete());
    assertFalse(ofFirst.isEnded());
    assertTrue(ofSeen.isPinned() && looking != null);
  }

  // ---- what comes between ----

  /** Runs something in the middle of a compaction, and returns the file. */
  private CachedFile gatherAnd(Runnable meanwhile) throws IOException {
    take(SLOTS);
    CachedFile file = open(12);
    TestSource source = source(1, 12);
    source.before =
        () -> {
          source.before = () -> {};
          meanwhile.run();
        };
    during = file;
    file.extents().gather(0, source);
    return file;
  }

  /** A merge copies its vectors rather than wait for the device of another file. */
  @Test
  void aDeviceThatDoesNotAnswerHoldsUpNobodyElseForLong() throws Exception {
    cache = new SlotCache(cache.size(), BITS, memory, TimeUnit.MILLISECONDS.toNanos(20));
    CachedFile other = open(12);
    CachedFile file =
        gatherAnd(
            () -> {
              FutureTask<Boolean> waiting =
                  new FutureTask<>(
                      () -> {
                        Thread.currentThread().interrupt();
                        other.extents().gather(0, source(2, 12));
                        during.extents().gather(0, source(1, 12));
                        return Thread.interrupted();
                      });
              new Thread(waiting).start();
              Fixtures.awaitCount(() -> waiting.isDone() ? 1 : 0, 1);
              assertTrue(waiting.resultNow());
            });
    assertTrue(other.extent(0) == null || !other.extent(0).isComplete());
    checkNothingLost(file, other);
  }

  /** The file that is being gathered. */
  private CachedFile during;

  @Test
  void aFileThatIsClosedMeanwhileKeepsNothing() throws IOException {
    CachedFile file = gatherAnd(() -> during.close());
    assertTrue(file.extent(0).isEnded());
    checkNothingLost();
  }

  @Test
  void aCacheThatIsClosedMeanwhileKeepsNothing() throws IOException {
    CachedFile file = gatherAnd(cache::close);
    assertTrue(file.extent(0).isEnded());
    assertEquals(0, cache.bytesInUse());
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
  }

  @Test
  void aCacheThatIsMadeSmallerMeanwhileIs() throws IOException {
    CachedFile file = gatherAnd(() -> cache.resize(8L << BITS, false));
    cache.resize(8L << BITS, false);
    assertEquals(8L << BITS, cache.bytesInUse());
    checkOpenAgain(file);
  }

  @Test
  void aFileThatCanNotBeReadKeepsNothing() throws IOException {
    take(SLOTS);
    CachedFile file = open(12);
    TestSource source = source(1, 12);
    source.broken = 5L << BITS;
    file.extents().gather(0, source);
    assertTrue(file.extent(0).isEnded());
    int reads = source.reads.get();
    file.extents().gather(0, source);
    file.extents().gather(0, source);
    assertTrue(source.reads.get() < reads + 50, "it is not tried again and again");
    checkNothingLost(file);
  }

  // ---- files that are searched ----

  /** Counts as many samples of hits as it takes. */
  private static void use(CachedFile file, TestSource source, int samples) {
    for (int i = 0; i < samples; i++) {
      file.extents().completeLater(0, source);
    }
  }

  @Test
  void aFileThatIsSearchedIsGatheredWhenThatIsWorthIt() throws IOException {
    TestSource source = source(1, 14);
    CachedFile file = scattered(source);
    use(file, source, 100);
    assertFalse(file.extents().complete(0, source), "nobody would gain anything");
    CachedFile other = open(14);
    other.extents().wantInOnePiece(0, source(3, 14));
    use(other, source(3, 14), 100);
    assertFalse(other.extents().complete(0, source(3, 14)), "it is not in the cache");
    assertNull(other.extent(0));
    file.extents().wantInOnePiece(0, source);
    long before = System.nanoTime();
    Fixtures.awaitCount(
        () -> {
          use(file, source, 1);
          return file.extent(0) != null && file.extent(0).isComplete() ? 1 : 0;
        },
        1);
    checkGathered(file, 1);
    file.extent(0).end();
    boolean isComplete = file.extents().complete(0, source);
    use(file, source, 13);
    boolean isEnded = file.extent(0).isEnded();
    if (isTooSoonAfter(before)) {
      assertFalse(isComplete, "not so soon again");
      assertTrue(isEnded, "not so soon again");
    }
    checkNothingLost(file, other);
  }

  // ---- threads ----

  /**
   * Files are gathered, read, looked at and closed, while the cache becomes smaller and larger:
   * nobody reads a wrong byte, and no slot is lost.
   */
  @Test
  void readersGoOnMeanwhile() throws Exception {
    int files = 5;
    AtomicInteger gathered = new AtomicInteger();
    AtomicInteger running = new AtomicInteger(4);
    Fixtures.inThreads(
        5,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          byte[] bytes = new byte[256];
          if (thread == 0) {
            while (running.get() > 0) {
              cache.resize((long) (8 + random.nextInt(SLOTS)) << BITS, random.nextBoolean());
              Thread.sleep(random.nextInt(5));
            }
            return;
          }
          try {
            for (int step = 0; step < 500 * Fixtures.EFFORT; step++) {
              int id = random.nextInt(files);
              int blocks = 6 + 2 * id;
              CachedFile file = cache.files().open("f" + id, "f" + id, (long) blocks << BITS);
              TestSource source = source(id, blocks);
              if (random.nextInt(4) == 0) {
                file.extents().gather(0, source);
              }
              for (int i = 0; i < 10; i++) {
                int block = random.nextInt(blocks);
                Slot slot = file.load(block, 1, source);
                if (slot != null) {
                  slot.touch();
                }
                long position = ((long) block << BITS) + random.nextInt(BLOCK - 256);
                int copied = file.copy(position, bytes, 0, bytes.length);
                for (int b = 0; b < copied; b++) {
                  assertEquals(CacheFixtures.byteOf(id, position + b), bytes[b]);
                }
              }
              gathered.addAndGet(look(file, id, random));
              file.close();
            }
          } finally {
            running.decrementAndGet();
          }
        });
    assertTrue(gathered.get() > 0, "none lay in one piece");
    looking.get().run();
    cache.resize((long) SLOTS << BITS, false);
    CacheCheck.allSlotsCanBeHad(cache);
  }

  /** Looks at a file as a whole, and returns whether it lay in one piece and nobody else looked. */
  private int look(CachedFile file, int id, Random random) {
    Extent extent = file.extent(0);
    Runnable[] release = new Runnable[1];
    Object view = extent == null ? null : CacheFixtures.view(extent, release);
    if (view == null || release[0] == null) {
      return 0;
    }
    for (int i = 0; i < 50; i++) {
      int at = random.nextInt(extent.size());
      assertEquals(CacheFixtures.byteOf(id, at), extent.chunk().bytes().get(extent.base() + at));
    }
    // What somebody looks at is in the way of others for a while.
    Runnable before = looking.getAndSet(release[0]);
    before.run();
    return 1;
  }

  /** Ends the latest look at a file. */
  private final AtomicReference<Runnable> looking = new AtomicReference<>(() -> {});
}
