/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.cache.CacheFixtures.NativeMemory;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadTarget;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import dev.pread.posix.VectorPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of a real file that a queue reads ahead, into memory that others want as well. */
@Timeout(120)
class QueuedPrefetchTest {

  private static final int BITS = 12;
  private static final int BLOCK = 1 << BITS;
  private static final int BLOCKS = 1000;
  private static final int PAGE_BYTES = 16 * BLOCK;
  private static final int SLOTS = 256;

  /** So many blocks from one to the next, each is read by itself, whatever is read around it. */
  private static final int BLOCKS_APART = 64;

  @TempDir Path folder;

  private final SystemCalls calls = Fixtures.nativeCalls();
  private final Backend backend = new Backend(calls);
  private final SlotCache cache = new SlotCache(SLOTS * BLOCK, BITS, memory());

  /** How often it was asked whether reads have ended. The first time is when the queue is tried. */
  private final AtomicInteger asked = new AtomicInteger();

  private byte[] content;
  private Path path;
  private PosixFile source;
  private CachedFile file;

  private NativeMemory memory() {
    return new NativeMemory(calls, SLOTS * BLOCK, PAGE_BYTES);
  }

  @BeforeEach
  void open() throws IOException {
    content = Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK - 100);
    path = Files.write(folder.resolve("f"), content);
    Fixtures.assumeDirectIo(path);
    source = backend.open(path, OpenMode.READ_DIRECT);
    file = cache.files().open(null, "f", content.length);
    ReadQueue queue = source.openQueue(1);
    Assumptions.assumeTrue(queue != null, "no asynchronous reads here");
    queue.close();
    // Leaves no slot free, so that a read brings in what is asked for and nothing around it.
    for (int block = BLOCKS - SLOTS - 20; block < BLOCKS; block++) {
      check(file, block, source);
    }
  }

  @AfterEach
  void nothingIsLost() throws IOException {
    file.close();
    source.close();
    CacheCheck.settle(cache);
    assertEquals(0, backend.openFiles());
    if (!cache.isClosed()) {
      assertEquals(0, cache.counters().waitTimeouts());
      CacheCheck.allSlotsCanBeHad(cache);
    }
  }

  /** Reads a block as readers do, and compares it. */
  private void check(CachedFile of, int block, PosixFile from) throws IOException {
    byte[] read = new byte[of.bytesIn(block)];
    long position = (long) block << BITS;
    int done = of.copy(position, read, 0, read.length);
    while (done < read.length && of.load(block, 1, from) != null) {
      done = of.copy(position, read, 0, read.length);
    }
    if (done == read.length) {
      int start = (int) position;
      assertArrayEquals(Arrays.copyOfRange(content, start, start + read.length), read);
    }
  }

  private void prefetch(int block, int count) {
    file.prefetch((long) block << BITS, (long) count << BITS, source);
  }

  @Test
  void batchesAreReadWithoutAThreadAndEachBlockOnce() throws IOException {
    int next = 0;
    for (int size : new int[] {1, 2, 7, 8, 9, 10, 16, 17, 33}) {
      int first = next;
      long before = cache.counters().prefetches();
      long loads = cache.counters().loads();
      for (int i = 0; i < size; i++) {
        prefetch(next, 1);
        next += 7;
      }
      for (int block = first; block < next; block += 7) {
        check(file, block, source);
      }
      CacheCheck.settle(cache);
      assertEquals(before + size, cache.counters().prefetches());
      assertEquals(loads, cache.counters().loads(), "nobody had to read for themselves");
    }
    assertEquals(0, cache.prefetcher().threads());
    assertEquals(1, cache.prefetcher().queues(), "of one thread");
    assertEquals(cache.counters().prefetches(), cache.counters().prefetchesIssued());
    assertEquals(0, cache.counters().prefetchesDropped());
  }

  @Test
  void neighboursAreOneRead() throws IOException {
    long before = cache.counters().prefetches();
    prefetch(10, 20);
    for (int block = 10; block < 30; block++) {
      check(file, block, source);
    }
    assertEquals(before + 1, cache.counters().prefetches());
  }

  @Test
  void theLastBlockEndsWithTheFile() throws IOException {
    for (int block = 0; block < SLOTS + 20; block++) {
      check(file, block, source);
      check(file, block, source);
    }
    prefetch(BLOCKS - 2, 2);
    check(file, BLOCKS - 1, source);
    check(file, BLOCKS - 2, source);
  }

  /** Otherwise its slots would be in motion until somebody announces something. */
  @Test
  void whatNobodyWantsAnyMoreIsEndedByThoseWhoMissOtherBlocks() throws IOException {
    prefetch(10, 20);
    for (int i = 0; i < 20_000 && cache.prefetcher().isBusy(); i++) {
      check(file, 100 + i % 500, source);
    }
    assertFalse(cache.prefetcher().isBusy());
  }

  /** The device has read the block, but nobody has waited, so nobody has noticed. */
  @Test
  void whatIsThereByTheTimeItIsWantedIsAHit() throws IOException {
    Backend patient = new Backend(callsWithEvents(1));
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = patient.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(5L << BITS, 1, direct);
      assertEquals(0, other.counters().prefetches(), "nobody has noticed");
      check(blocks, 5, direct);
      assertEquals(1, other.counters().prefetches());
      assertEquals(1, other.counters().hits());
      assertEquals(0, other.counters().misses());
      assertEquals(0, other.counters().prefetchesLate());
      blocks.close();
    } finally {
      other.close();
    }
  }

  @Test
  void whatIsStillReadWhenItIsWantedIsLateOnce() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(5L << BITS, 1, direct);
      check(blocks, 5, direct);
      assertEquals(1, other.counters().misses());
      assertEquals(1, other.counters().waits());
      assertEquals(1, other.counters().prefetchesLate());
      check(blocks, 5, direct);
      assertEquals(1, other.counters().prefetchesLate());
      blocks.close();
    } finally {
      other.close();
    }
  }

  @Test
  void whatTheSystemRefusesToBeginIsDropped() throws IOException {
    SystemCalls busy =
        ScriptedCalls.of(
            calls,
            (name, arguments) ->
                name.equals("ioSubmit") && (int) arguments[3] > 0
                    ? (Object) (-Errno.EAGAIN)
                    : null);
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = new Backend(busy).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(5L << BITS, 1, direct);
      assertEquals(1, other.counters().prefetchesIssued());
      assertEquals(1, other.counters().prefetchesDropped());
      assertEquals(0, other.counters().prefetches());
      check(blocks, 5, direct);
      assertEquals(1, other.counters().prefetchesIssued(), "the reader's own read is none");
      blocks.close();
    } finally {
      other.close();
    }
  }

  /** A read that brings a block in, unless there is no slot for it. */
  private interface BlockRead {

    boolean bringsIn(CachedFile file, int block, PosixFile source) throws IOException;
  }

  /** All slots are the device's, so that who reads waits, and who announces does not. */
  private void waitsForASlot(BlockRead reads) throws IOException {
    AtomicInteger waits = new AtomicInteger();
    SystemCalls hasty = callsWithEvents(0);
    SystemCalls patient =
        ScriptedCalls.of(
            hasty,
            (name, arguments) -> {
              if (name.equals("ioGetEvents") && (int) arguments[1] > 0) {
                waits.incrementAndGet();
                waitLong(arguments);
              }
              return null;
            });
    SlotCache small = new SlotCache(16 * BLOCK, BITS, memory());
    try (PosixFile direct = new Backend(patient).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = small.files().open(null, "f", content.length);
      for (int i = 0; i < 20; i++) {
        blocks.prefetch((100L + 8L * i) << BITS, 1, direct);
      }
      assertEquals(0, waits.get());
      assertTrue(small.counters().prefetchesDropped() > 0);
      assertTrue(small.prefetcher().isBusy());
      assertTrue(reads.bringsIn(blocks, 700, direct), "it gets a slot");
      assertTrue(waits.get() > 0);
      check(blocks, 700, direct);
      blocks.close();
    } finally {
      small.close();
    }
  }

  @Test
  void anAnnouncementForWhichThereIsNoSlotWaitsForNoReadAndAReaderDoes() throws IOException {
    waitsForASlot((of, block, from) -> of.load(block, 1, from) != null);
  }

  /** So a file that has just been flushed is not left out. */
  @Test
  void aThreadThatBringsInAFileWaitsForASlot() throws IOException {
    waitsForASlot((of, block, from) -> of.loadAhead(block, 1, from, Fill.Purpose.UNASKED));
  }

  /**
   * Returns calls with which a thread that asks without waiting learns of at least so many reads
   * that they have ended, or of none.
   */
  private SystemCalls callsWithEvents(int least) {
    return ScriptedCalls.of(
        calls,
        (name, arguments) -> {
          boolean isTold = name.equals("ioGetEvents");
          if (isTold && asked.getAndIncrement() > 0 && arguments[1].equals(0)) {
            if (least == 0) {
              return 0;
            }
            arguments[1] = least;
            waitLong(arguments);
          }
          return null;
        });
  }

  /** Has a call of {@code ioGetEvents} wait until there are so many, however slow the device is. */
  private static void waitLong(Object[] arguments) {
    NativeBuffer events = (NativeBuffer) arguments[3];
    events.bytes().putLong((int) arguments[4], 60);
  }

  /** Another thread takes its time to open a queue of its own. */
  @Test
  void whoCanNotOpenAQueueJustNowUsesThatOfOthers() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    AtomicInteger opened = new AtomicInteger();
    SystemCalls slow =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("ioSetup") && opened.incrementAndGet() == 2) {
                opening.countDown();
                try {
                  done.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
              return null;
            });
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = new Backend(slow).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      Set<Long> stripes = new HashSet<>(Set.of(stripe(Thread.currentThread())));
      blocks.prefetch(0, 1, direct);
      Thread opener = threadOfAnotherQueue(stripes, () -> blocks.prefetch(200 << BITS, 1, direct));
      Thread third = threadOfAnotherQueue(stripes, () -> blocks.prefetch(400 << BITS, 1, direct));
      try {
        opener.start();
        opening.await();
        third.start();
        third.join();
        assertEquals(2, opened.get(), "the third has tried none");
        assertEquals(2, other.counters().prefetchesIssued());
        assertEquals(0, other.counters().prefetchesByThreads());
      } finally {
        done.countDown();
        opener.join();
      }
      check(blocks, 400, direct);
      blocks.close();
    } finally {
      other.close();
    }
  }

  private static long stripe(Thread thread) {
    return thread.threadId() & (Prefetcher.STRIPES - 1);
  }

  /** Returns a thread that would have a queue of its own, and enters that. */
  private static Thread threadOfAnotherQueue(Set<Long> stripes, Runnable work) {
    Thread thread = new Thread(work);
    while (!stripes.add(stripe(thread))) {
      thread = new Thread(work);
    }
    return thread;
  }

  /** The queue ends the read before the thread that has offered it goes on. */
  @Test
  void noReadHasEndedThatHasNotBegun() throws IOException {
    List<Long> atTheEnd = new ArrayList<>();
    ReadableFile busy =
        new DelegatingFile(source) {
          @Override
          public boolean offer(ReadQueue queue, QueuedRead read, long position) {
            boolean isAccepted = super.offer(queue, read, position);
            queue.close();
            atTheEnd.add(cache.counters().prefetches() + cache.counters().prefetchesDropped());
            atTheEnd.add(cache.counters().prefetchesIssued());
            return isAccepted;
          }
        };
    file.prefetch(5L << BITS, 1, busy);
    assertEquals(List.of(1L, 1L), atTheEnd);
    file.prefetch(6L << BITS, 1, busy);
    while (!file.isCached(6 << BITS, 1)) {
      Thread.onSpinWait();
    }
    assertEquals(1, cache.counters().prefetchesByThreads(), "a queue that is closed takes no more");
    assertEquals(2, cache.counters().prefetchesIssued());
    check(file, 6, source);
  }

  @Test
  void memoryThatIsUsedUpIsNoReasonToFailASearchNorToTryAgainAndAgain() throws IOException {
    AtomicInteger tried = new AtomicInteger();
    SystemCalls without =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("ioSetup")) {
                tried.incrementAndGet();
                throw new OutOfMemoryError("by script");
              }
              return null;
            });
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    Backend poor = new Backend(without);
    try (PosixFile direct = poor.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      for (int block = 0; block < 10; block++) {
        blocks.prefetch((long) block << BITS, 1, direct);
      }
      check(blocks, 5, direct);
      assertEquals(1, tried.get());
      assertEquals("threads", poor.readAheadEngine());
      blocks.close();
    } finally {
      other.close();
    }
  }

  @Test
  void aCacheWithoutQueuesReadsAheadByThreads() throws IOException {
    AtomicInteger tried = new AtomicInteger();
    SystemCalls counted =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              tried.addAndGet(name.equals("ioSetup") ? 1 : 0);
              return null;
            });
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, 0, memory());
    try (PosixFile direct = new Backend(counted).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(0, 5 << BITS, direct);
      while (!blocks.isCached(4 << BITS, 1)) {
        Thread.onSpinWait();
      }
      assertEquals(0, tried.get());
      assertEquals(0, other.prefetcher().queues());
      for (int block = 0; block < 5; block++) {
        check(blocks, block, direct);
      }
      blocks.close();
    } finally {
      other.close();
    }
  }

  /** A batch that is larger than the queue is not left waiting in it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 7})
  void aShallowQueueBeginsAllThatItHasTaken(int depth) throws IOException {
    List<Integer> begun = new ArrayList<>();
    SystemCalls counted =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("ioSubmit") && (int) arguments[3] > 0) {
                begun.add((int) arguments[3]);
              }
              // Nothing is known to have ended.
              return name.equals("ioGetEvents") && (int) arguments[1] == 0 ? 0 : null;
            });
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, depth, memory());
    try (PosixFile direct = new Backend(counted).open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      for (int i = 0; i < depth; i++) {
        blocks.prefetch(((long) BLOCKS_APART * i) << BITS, 1, direct);
      }
      assertEquals(depth, begun.stream().mapToInt(Integer::intValue).sum());
      for (int i = 0; i < depth; i++) {
        check(blocks, BLOCKS_APART * i, direct);
      }
      blocks.close();
    } finally {
      other.close();
    }
  }

  @Test
  void memoryThatIsUsedUpWhileAReadIsOfferedDropsIt() throws IOException {
    ReadableFile poor =
        new ReadableFile() {
          @Override
          public VectorPool vectors() {
            return source.vectors();
          }

          @Override
          public int readFully(long position, ReadTarget target, int atLeast, int room) {
            throw new AssertionError("nobody reads it");
          }

          @Override
          public boolean offer(ReadQueue queue, QueuedRead read, long position) {
            throw new OutOfMemoryError("by script");
          }

          @Override
          public ReadQueue openQueue(int depth) {
            return source.openQueue(depth);
          }
        };
    file.prefetch(5L << BITS, 1, poor);
    assertEquals(1, cache.counters().prefetchesDropped());
    check(file, 5, source);
  }

  @Test
  void anErrorIsItsReadersAloneWithTheFileAndThePosition() throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      boolean cut = channel.truncate(100 * BLOCK + 10).size() > 0;
      assertTrue(cut);
    }
    long before = cache.counters().prefetches();
    for (int block : new int[] {98, 99, 100, 101, 102}) {
      prefetch(block, 1);
    }
    check(file, 98, source);
    check(file, 99, source);
    CacheCheck.settle(cache);
    assertEquals(before + 2, cache.counters().prefetches());
    assertEquals(before + 5, cache.counters().prefetchesIssued());
    assertEquals(3, cache.counters().prefetchesDropped(), "those that could not be read");
    EOFException e = assertThrows(EOFException.class, () -> file.load(101, 1, source));
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    Fixtures.assertNames(e, 101 * BLOCK);
    assertThrows(EOFException.class, () -> file.load(100, 1, source));
  }

  @Test
  void aFileThatIsClosedMeanwhileLeavesNoDescriptorAndNoSlot() throws IOException {
    for (int round = 0; round < 50; round++) {
      PosixFile other = backend.open(path, OpenMode.READ_DIRECT);
      CachedFile blocks = cache.files().open(null, "other", content.length);
      for (int i = 0; i < 1 + round % 12; i++) {
        blocks.prefetch((9L * i) << BITS, 1, other);
      }
      blocks.close();
      other.close();
      assertEquals(1, backend.openFiles(), "but the one of this test");
      check(file, round, source);
    }
  }

  @Test
  void aCacheThatIsClosedMeanwhileWaitsForTheDevice() throws IOException {
    for (int i = 0; i < 30; i++) {
      prefetch(i * 5, 2);
    }
    cache.close();
    assertEquals(0, cache.counters().blocks());
    assertEquals(0, cache.bytesInUse(), "no slot was in motion");
    prefetch(500, 1);
    assertEquals(0, cache.prefetcher().threads());
  }

  @Test
  void pagesThatAreGivenBackHaveNoReadUnderWay() throws IOException {
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 30; i++) {
        prefetch((round * 31 + i * 3) % 700, 1);
      }
      long ignored = cache.resize(2 * PAGE_BYTES, round % 2 == 0);
      assertTrue(cache.bytesInUse() <= 4 * PAGE_BYTES, "" + cache.bytesInUse());
      ignored = cache.resize(cache.size(), false);
      for (int i = 0; i < 30; i++) {
        check(file, (round * 31 + i * 3) % 700, source);
      }
    }
  }

  @Test
  void readersClosesAndChangesOfSizeAtTheSameTime() throws Exception {
    AtomicInteger readers = new AtomicInteger(6);
    Fixtures.inThreads(
        8,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          if (thread == 6) {
            while (readers.get() > 0) {
              try (PosixFile other = backend.open(path, OpenMode.READ_DIRECT)) {
                CachedFile blocks = cache.files().open(null, "other", content.length);
                for (int i = 0; i < random.nextInt(20); i++) {
                  blocks.prefetch((long) random.nextInt(BLOCKS) << BITS, 1, other);
                }
                check(blocks, random.nextInt(BLOCKS), other);
                blocks.close();
              }
            }
          } else if (thread == 7) {
            while (readers.get() > 0) {
              long size = PAGE_BYTES * (4L + random.nextInt(12));
              long ignored = cache.resize(size, random.nextBoolean());
              Thread.sleep(1);
            }
            long ignored = cache.resize(cache.size(), false);
          } else {
            try {
              for (int round = 0; round < 400; round++) {
                int[] blocks = random.ints(1 + random.nextInt(20), 0, BLOCKS - 1).toArray();
                for (int block : blocks) {
                  prefetch(block, 1 + random.nextInt(2));
                }
                for (int block : blocks) {
                  check(file, block, source);
                }
              }
            } finally {
              readers.decrementAndGet();
            }
          }
        });
  }

  /** The larger cache has several shards where there are several processors. */
  @ParameterizedTest
  @CsvSource({"256, 1, true", "256, 1, false", "256, 8, false", "512, 1, true", "512, 8, false"})
  void whatIsUsedStaysWhateverIsAnnounced(int slots, int blocksAtOnce, boolean isRead)
      throws IOException {
    SlotCache other = new SlotCache((long) slots * BLOCK, BITS, memory());
    CachedFile hot = other.files().open(null, "hot", content.length);
    CachedFile announced = other.files().open(null, "announced", content.length);
    int used = slots * 3 / 4;
    useAll(hot, used);
    useAll(hot, used);
    // What is used leaves the small queue while others pass through it.
    useAll(announced, BLOCKS);
    Random random = new Random(Fixtures.SEED);
    int rounds = 20;
    int hits = 0;
    for (int round = 0; round < rounds; round++) {
      for (int batch = 0; batch < 4; batch++) {
        int[] blocks = random.ints(32, 0, BLOCKS - blocksAtOnce).toArray();
        for (int block : blocks) {
          announced.prefetch((long) block << BITS, (long) blocksAtOnce << BITS, source);
        }
        for (int i = 0; isRead && i < blocks.length; i++) {
          boolean ignored = use(announced, blocks[i]);
        }
      }
      hits += useAll(hot, used);
    }
    assertTrue(hits >= 0.95 * rounds * used, hits + " of " + rounds * used);
    assertTrue(other.counters().prefetchesIssued() > 0);
    hot.close();
    announced.close();
    CacheCheck.allSlotsCanBeHad(other);
    other.close();
  }

  /** Uses the first blocks of a file, and returns how many were there. */
  private int useAll(CachedFile of, int blocks) throws IOException {
    int hits = 0;
    for (int block = 0; block < blocks; block++) {
      hits += use(of, block) ? 1 : 0;
    }
    return hits;
  }

  /** Uses a block as an input does, and returns whether it was there. */
  private boolean use(CachedFile of, int block) throws IOException {
    boolean isThere = of.use(block);
    Slot slot = isThere ? null : of.load(block, 1, source);
    if (slot != null) {
      slot.touch();
    }
    return isThere;
  }

  @Test
  void announcementsTakeATenthOfTheirShardAndNothingOfOthers() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(2L * SLOTS * BLOCK, BITS, memory());
    int shards = EvictionShard.shards(2 * SLOTS).length;
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT)) {
      CachedFile hot = other.files().open(null, "hot", content.length);
      CachedFile announced = other.files().open(null, "announced", content.length);
      useAll(hot, 2 * SLOTS * 9 / 10);
      useAll(hot, 2 * SLOTS * 9 / 10);
      useAll(announced, BLOCKS);
      long before = other.counters().evictions();
      for (int block = 0; block < BLOCKS; block++) {
        if (((announced.hash(block) >>> 48) & (shards - 1)) == 0) {
          announced.prefetch((long) block << BITS, 1, direct);
        }
      }
      long evictions = other.counters().evictions() - before;
      // What each shard holds differs a little, and so does what was left of its small queue.
      int tenth = 2 * SLOTS / shards / 10;
      assertTrue(evictions > tenth / 2 && evictions < tenth * 3 / 2, evictions + " of " + tenth);
      assertEquals(evictions, other.counters().prefetchesIssued());
      assertTrue(other.counters().prefetchesDropped() > BLOCKS / shards / 4);
      hot.close();
      announced.close();
    } finally {
      other.close();
    }
  }

  /** Many threads that each announce a quarter of the cache before they read it. */
  @Test
  void whereFarMoreIsAnnouncedThanThereIsRoomForReadersGoOn() throws Exception {
    CachedFile hot = cache.files().open(null, "hot", content.length);
    int used = SLOTS / 2;
    useAll(hot, used);
    useAll(hot, used);
    useAll(file, BLOCKS);
    AtomicInteger hits = new AtomicInteger();
    int threads = 16;
    int rounds = 20;
    int batch = 64;
    Fixtures.inThreads(
        threads,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          for (int round = 0; round < rounds; round++) {
            int[] blocks = random.ints(batch, 0, BLOCKS - 1).toArray();
            for (int block : blocks) {
              prefetch(block, 1);
            }
            for (int block : blocks) {
              check(file, block, source);
            }
            for (int i = 0; i < batch; i++) {
              hits.addAndGet(use(hot, random.nextInt(used)) ? 1 : 0);
            }
          }
        });
    CacheCheck.awaitIdleThreads(cache);
    int reads = threads * rounds * batch;
    assertTrue(hits.get() >= 0.95 * reads, hits + " of " + reads);
    assertTrue(cache.counters().prefetches() > 100, "" + cache.counters().prefetches());
    assertTrue(cache.counters().prefetchesDropped() > 100);
    assertTrue(cache.counters().bypasses() < reads / 100, "" + cache.counters().bypasses());
    hot.close();
  }
}
