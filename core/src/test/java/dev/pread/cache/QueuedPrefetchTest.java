/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
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
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of a real file that a queue reads ahead, into memory that others want as well. */
class QueuedPrefetchTest extends QueuedPrefetchTestCase {

  /** The distance of blocks each of which is read by itself, whatever is read around it. */
  private static final int BLOCKS_APART = 64;

  @Test
  void batchesAreReadWithoutAThreadAndEachBlockOnce() throws IOException {
    int next = 0;
    for (int size : new int[] {1, 2, 7, 8, 9, 10, 16, 17, 33}) {
      int first = next;
      long before = cache.counters().sum(Counter.PREFETCHES);
      long loads = cache.counters().sum(Counter.LOADS);
      for (int i = 0; i < size; i++) {
        prefetch(next, 1);
        next += 7;
      }
      for (int block = first; block < next; block += 7) {
        check(file, block, source);
      }
      CacheCheck.settle(cache);
      assertEquals(before + size, cache.counters().sum(Counter.PREFETCHES));
      assertEquals(loads, cache.counters().sum(Counter.LOADS), "nobody had to read for themselves");
    }
    assertEquals(0, cache.prefetcher().threads());
    assertEquals(1, cache.queues().count(), "of one thread");
    assertEquals(
        cache.counters().sum(Counter.PREFETCHES), cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(0, cache.counters().sum(Counter.PREFETCHES_DROPPED));
  }

  @Test
  void neighboursAreOneRead() throws IOException {
    long before = cache.counters().sum(Counter.PREFETCHES);
    prefetch(10, 20);
    for (int block = 10; block < 30; block++) {
      check(file, block, source);
    }
    assertEquals(before + 1, cache.counters().sum(Counter.PREFETCHES));
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
    for (int i = 0; i < 20_000 && cache.queues().isBusy(); i++) {
      check(file, 100 + i % 500, source);
    }
    assertFalse(cache.queues().isBusy());
  }

  /** The device has read the block, but nobody has waited, so nobody has noticed. */
  @Test
  void whatIsThereByTheTimeItIsWantedIsAHit() throws IOException {
    Backend patient = new Backend(callsWithEvents(1));
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = patient.open(path, OpenMode.READ_DIRECT)) {
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(5L << BITS, 1, direct);
      assertEquals(0, other.counters().sum(Counter.PREFETCHES), "nobody has noticed");
      check(blocks, 5, direct);
      assertEquals(1, other.counters().sum(Counter.PREFETCHES));
      assertEquals(1, other.counters().sum(Counter.HITS));
      assertEquals(0, other.counters().sum(Counter.MISSES));
      assertEquals(0, other.counters().sum(Counter.PREFETCHES_LATE));
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
      assertEquals(1, other.counters().sum(Counter.MISSES));
      assertEquals(1, other.counters().sum(Counter.WAITS));
      assertEquals(1, other.counters().sum(Counter.PREFETCHES_LATE));
      check(blocks, 5, direct);
      assertEquals(1, other.counters().sum(Counter.PREFETCHES_LATE));
      blocks.close();
    } finally {
      other.close();
    }
  }

  @Test
  void aWaitForAReadThatFailsIsNoneThatWasLate() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT);
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      assertEquals(0, channel.truncate(0).size());
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(5L << BITS, 1, direct);
      assertThrows(EOFException.class, () -> blocks.load(5, 1, direct));
      assertEquals(1, other.counters().sum(Counter.MISSES));
      assertEquals(0, other.counters().sum(Counter.WAITS));
      assertEquals(0, other.counters().sum(Counter.PREFETCHES_LATE));
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
      assertEquals(1, other.counters().sum(Counter.PREFETCHES_ISSUED));
      assertEquals(1, other.counters().sum(Counter.PREFETCHES_DROPPED));
      assertEquals(0, other.counters().sum(Counter.PREFETCHES));
      check(blocks, 5, direct);
      assertEquals(
          1, other.counters().sum(Counter.PREFETCHES_ISSUED), "the reader's own read is none");
      blocks.close();
    } finally {
      other.close();
    }
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
                Fixtures.awaitQuietly(done);
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
        assertEquals(2, other.counters().sum(Counter.PREFETCHES_ISSUED));
        assertEquals(0, other.counters().sum(Counter.PREFETCHES_BY_THREADS));
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
    return thread.threadId() & (FillQueues.MAX - 1);
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
            atTheEnd.add(
                cache.counters().sum(Counter.PREFETCHES)
                    + cache.counters().sum(Counter.PREFETCHES_DROPPED));
            atTheEnd.add(cache.counters().sum(Counter.PREFETCHES_ISSUED));
            return isAccepted;
          }
        };
    file.prefetch(5L << BITS, 1, busy);
    assertEquals(List.of(1L, 1L), atTheEnd);
    file.prefetch(6L << BITS, 1, busy);
    while (!file.isCached(6 << BITS, 1)) {
      Thread.onSpinWait();
    }
    assertEquals(
        1,
        cache.counters().sum(Counter.PREFETCHES_BY_THREADS),
        "a queue that is closed takes no more");
    // This waits for the thread, which counts its read before that begins.
    check(file, 6, source);
    assertEquals(2, cache.counters().sum(Counter.PREFETCHES_ISSUED));
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
    SlotCache other = new SlotCache(SLOTS * BLOCK, SLOTS * BLOCK, BITS, depth, memory());
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
    file.prefetch(5L << BITS, 16L << BITS, poor);
    assertEquals(
        1, cache.counters().sum(Counter.PREFETCHES_DROPPED), "each attempt may collect garbage");
    check(file, 5, source);
  }

  @Test
  void nobodyWaitsForAQueueThatHasNothingToDo() {
    try (FillQueue queue =
        new FillQueue(source.openQueue(8), new FillSignal[] {new FillSignal()})) {
      queue.awaitOne(TimeUnit.MINUTES.toNanos(3));
    }
  }

  @Test
  void anErrorIsItsReadersAloneWithTheFileAndThePosition() throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      boolean cut = channel.truncate(100 * BLOCK + 10).size() > 0;
      assertTrue(cut);
    }
    long before = cache.counters().sum(Counter.PREFETCHES);
    for (int block : new int[] {98, 99, 100, 101, 102}) {
      prefetch(block, 1);
    }
    check(file, 98, source);
    check(file, 99, source);
    CacheCheck.settle(cache);
    assertEquals(before + 2, cache.counters().sum(Counter.PREFETCHES));
    assertEquals(before + 5, cache.counters().sum(Counter.PREFETCHES_ISSUED));
    assertEquals(
        3, cache.counters().sum(Counter.PREFETCHES_DROPPED), "those that could not be read");
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
      cache.queues().flush();
      assertEquals(1, backend.openFiles(), "but the one of this test");
      check(file, round, source);
    }
  }

  /** Whoever closes it has looked for reads that wait by then. */
  @Test
  void aFileThatIsClosedWhileAReadIsOfferedLeavesNoDescriptor() throws IOException {
    Backend hasty = new Backend(callsWithEvents(0));
    SlotCache other = new SlotCache(SLOTS * BLOCK, BITS, memory());
    try (PosixFile busy = hasty.open(path, OpenMode.READ_DIRECT)) {
      PosixFile direct = hasty.open(path, OpenMode.READ_DIRECT);
      ReadableFile closing =
          new DelegatingFile(direct) {
            @Override
            public boolean isOpen() {
              return direct.isOpen();
            }

            @Override
            public boolean offer(ReadQueue queue, QueuedRead read, long position) {
              boolean isAccepted = super.offer(queue, read, position);
              closeQuietly(direct);
              return isAccepted;
            }
          };
      CachedFile blocks = other.files().open(null, "f", content.length);
      blocks.prefetch(0, 1, busy);
      blocks.prefetch(500L << BITS, 1, closing);
      assertEquals(1, hasty.openFiles(), "the one that is busy");
      blocks.close();
    } finally {
      other.close();
    }
    assertEquals(0, hasty.openFiles());
  }

  private static void closeQuietly(PosixFile file) {
    try {
      file.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCacheThatIsClosedMeanwhileWaitsForTheDevice() throws IOException {
    for (int i = 0; i < 30; i++) {
      prefetch(i * 5, 2);
    }
    cache.close();
    assertEquals(0, cache.counters().sum(Counter.BLOCKS));
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
}
