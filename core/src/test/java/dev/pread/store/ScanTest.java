/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.CacheStats;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.ScriptedCalls;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.apache.lucene.util.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs that go through a file in order, of which nobody has said so, by a cache that is full. */
@Timeout(120)
class ScanTest {

  private static final int BLOCK_BITS = 12;
  private static final int BLOCK = 1 << BLOCK_BITS;
  private static final int CACHE_BLOCKS = 1024;
  private static final int BLOCKS = 2000;

  /** How many blocks are read in order before any is announced. */
  private static final int RUN = 33;

  /** How many times they are missed: each miss but the last doubles what has been read. */
  private static final int RUN_MISSES = 7;

  /** How many blocks an announcement has: a sixty-fourth of the cache. */
  private static final int AHEAD = CACHE_BLOCKS / 64;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK - 100);
  private final BlockCache cache = Fixtures.tinyCache(CACHE_BLOCKS, BLOCK_BITS);
  private Backend backend = new Backend(Fixtures.faults());
  private Directory directory;
  private IndexInput hot;

  /** How many reads queues have begun. */
  private final AtomicInteger begun = new AtomicInteger();

  /** Whether the system allows no more queues. */
  private volatile boolean refusesQueues;

  /** Whether the reads of a queue end one by one, and only when somebody waits. */
  private boolean isSlow;

  private IndexInput input;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.write(folder.resolve("data"), data);
    Files.write(folder.resolve("hot"), new byte[CACHE_BLOCKS * BLOCK]);
  }

  /** Reads ahead by queues, which tests can rely on: a block that is announced is on its way. */
  private void openForQueues() throws IOException {
    Fixtures.assumeDirectIo(folder.resolve("data"));
    backend =
        new Backend(
            ScriptedCalls.of(
                Fixtures.nativeCalls(),
                (name, arguments) -> {
                  begun.addAndGet(name.equals("ioSubmit") ? (int) arguments[3] : 0);
                  if (refusesQueues && name.equals("ioSetup")) {
                    return (long) -Errno.EAGAIN;
                  }
                  if (isSlow && name.equals("ioGetEvents")) {
                    arguments[2] = 1;
                    return arguments[1].equals(0) ? 0 : null;
                  }
                  return null;
                }));
    Assumptions.assumeTrue(backend.readAheadEngine().equals("aio"), "no asynchronous reads here");
    open();
  }

  /** Reads ahead by threads, on any backend. */
  private void openForThreads() throws IOException {
    backend = new Backend(Fixtures.faults().simulateDirect(512));
    open();
  }

  private void open(boolean byThreads) throws IOException {
    if (byThreads) {
      openForThreads();
    } else {
      openForQueues();
    }
  }

  private void open() throws IOException {
    directory = Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
    hot = fill(directory, cache);
    input = directory.openInput("data", IOContext.DEFAULT);
  }

  /** Leaves no slot free, so that a read brings in what is wanted and nothing around it. */
  private static IndexInput fill(Directory directory, BlockCache cache) throws IOException {
    IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
    hot.readBytes(new byte[(int) hot.length()], 0, (int) hot.length());
    // A thread in the background may have read some of it, and counts that when it is there.
    int blocks = (int) (hot.length() / cache.blockSize());
    Fixtures.awaitCount(() -> cache.stats().blocksRead(), blocks);
    return hot;
  }

  @AfterEach
  void nothingIsLost() throws Exception {
    // If the test could not open all of them, that is what it has to say.
    IOUtils.close(input, hot, directory);
    if (directory != null) {
      Fixtures.checkAllSlotsCanBeHad(cache);
      assertEquals(0, Fixtures.descriptorsIn(folder));
    }
    cache.close();
    assertEquals(0, backend.openFiles());
  }

  /** Reads from a position of the input, which is at {@code offset} of the file, and compares. */
  private void check(IndexInput in, long offset, long position, int bytes) throws IOException {
    byte[] read = new byte[bytes];
    in.seek(position);
    in.readBytes(read, 0, bytes);
    int from = (int) (offset + position);
    assertArrayEquals(Arrays.copyOfRange(data, from, from + bytes), read);
  }

  private void scan(IndexInput in, int firstBlock, int endBlock) throws IOException {
    for (int block = firstBlock; block < endBlock; block++) {
      check(in, 0, (long) block << BLOCK_BITS, 1000);
      check(in, 0, ((long) block << BLOCK_BITS) + 1000, 2000);
    }
  }

  /**
   * Checks that blocks have been read ahead, each once. A read that has ended together with another
   * is noticed by one more miss.
   */
  private void assertReadAhead(CacheStats before, int blocks) {
    CacheStats after = cache.stats();
    long loads = after.loads() - before.loads();
    assertTrue(
        loads >= RUN_MISSES && loads <= RUN_MISSES + blocks / AHEAD, after + " after " + before);
    assertEquals(blocks, after.blocksRead() - before.blocksRead());
  }

  @Test
  void onlyTheFirstBlocksAreMissedAndNoneIsReadTwice() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    scan(input, 0, BLOCKS);
    input.seek(input.length());
    assertThrows(EOFException.class, input::readByte);
    assertReadAhead(before, BLOCKS);
    assertEquals(0, cache.stats().prefetchesDropped());
  }

  /**
   * The first misses bring in what lies around them, and the rest is read ahead. There is no room
   * for the whole file, which would otherwise be brought in by a thread in the background.
   */
  @Test
  void aCacheWithRoomIsReadAheadToo() throws IOException {
    openForQueues();
    int room = CACHE_BLOCKS - CACHE_BLOCKS / 8;
    try (BlockCache half = Fixtures.tinyCache(2 * CACHE_BLOCKS, BLOCK_BITS);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, half, backend);
        IndexInput filled = fill(other, half);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      assertEquals(CACHE_BLOCKS * (long) BLOCK, filled.length());
      CacheStats before = half.stats();
      scan(in, 0, room);
      CacheStats stats = half.stats();
      assertEquals(0, stats.evictions(), stats.toString());
      long loads = stats.loads() - before.loads();
      assertTrue(loads >= 2 && loads <= RUN_MISSES + room / AHEAD, stats + " after " + before);
      long blocks = stats.blocksRead() - before.blocksRead();
      assertTrue(blocks >= room && blocks <= room + 8 * AHEAD, stats + " after " + before);
    }
  }

  /** It begins behind what it has been through, or in the midst of it. */
  @Test
  void whatHasBeenScannedIsReadAheadOnceMore() throws IOException {
    openForQueues();
    scan(input, 0, BLOCKS);
    CacheStats before = cache.stats();
    scan(input, 100, 800);
    assertTrue(cache.stats().loads() - before.loads() <= RUN_MISSES + 700 / AHEAD);
    assertTrue(cache.stats().prefetches() - before.prefetches() >= (700 - RUN) / AHEAD / 2);
    before = cache.stats();
    scan(input, 1, 100);
    assertTrue(cache.stats().loads() - before.loads() <= RUN_MISSES + 100 / AHEAD);
  }

  @Test
  void readsAtRandomAreNotReadAhead() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    int begunBefore = begun.get();
    for (int i = 0; i < 40; i++) {
      int block = i * 373 % (BLOCKS - RUN);
      for (int next = 0; next < 30; next++) {
        check(input, 0, (long) (block + next) << BLOCK_BITS, 10);
      }
    }
    for (int block = BLOCKS - 1; block > BLOCKS - 100; block--) {
      check(input, 0, (long) block << BLOCK_BITS, 10);
    }
    for (int block = 1; block < BLOCKS - 1; block += 2) {
      check(input, 0, (long) block << BLOCK_BITS, 10);
    }
    for (int block = 7; block < BLOCKS - 100; block += 100) {
      check(input, 0, (long) block << BLOCK_BITS, 10 * BLOCK);
    }
    CacheStats after = cache.stats();
    assertTrue(after.loads() - before.loads() > 1000);
    assertEquals(begunBefore, begun.get());
    // The last read in a row doubles 16 blocks.
    long wanted = 40 * 30 + 99 + BLOCKS / 2 + 19 * 10;
    long read = after.blocksRead() - before.blocksRead();
    assertTrue(read <= wanted + 40 * (32 - 30), read + " blocks");
  }

  @Test
  void aScanByThreadsReadsTheSame() throws IOException {
    openForThreads();
    long prefetches = 0;
    // On a busy machine the reader may be ahead of the threads in one scan, but not in all of them.
    for (int round = 0; round < 20 && prefetches < BLOCKS / AHEAD / 4; round++) {
      CacheStats before = cache.stats();
      scan(input.clone(), 0, BLOCKS);
      scan(input.clone(), 0, BLOCKS);
      prefetches = cache.stats().prefetches() - before.prefetches();
    }
    assertTrue(prefetches >= BLOCKS / AHEAD / 4, prefetches + " prefetches");
  }

  /** Blocks that are there already are no reason to stop, nor are they read again. */
  @Test
  void aScanGoesOnOverWhatIsThere() throws IOException {
    openForQueues();
    scan(input, 5, 8);
    scan(input, 20, 23);
    scan(input, 30, 33);
    CacheStats before = cache.stats();
    scan(input.slice("part", 0, 100 * BLOCK), 0, 100);
    assertTrue(cache.stats().loads() - before.loads() <= RUN_MISSES + 100 / AHEAD);
    // Of three in a row the third brings in one more.
    assertEquals(100 - 12, cache.stats().blocksRead() - before.blocksRead());
  }

  /** The next announcement is made when the reader comes to the first block of the last one. */
  @Test
  void anAnnouncementBeginsAtOnceAndBeforeItIsNeeded() throws IOException {
    openForQueues();
    int before = begun.get();
    scan(input, 0, RUN);
    assertEquals(before + 1, begun.get());
    assertTrue(isThere(RUN + AHEAD - 1));
    assertFalse(isThere(RUN + AHEAD));
    scan(input, RUN, RUN + 1);
    assertEquals(before + 2, begun.get());
    assertTrue(isThere(RUN + 2 * AHEAD - 1));
    assertFalse(isThere(RUN + 2 * AHEAD));
  }

  /** Returns whether a block is in the cache, or on its way. */
  private boolean isThere(int block) {
    return CacheTrace.isThere(input, (long) block << BLOCK_BITS);
  }

  @Test
  void aJumpEndsAScan() throws IOException {
    openForQueues();
    scan(input, 0, 47);
    assertTrue(isThere(64));
    scan(input, 1000, 1001);
    // By the time the first reader comes back, the blocks are there.
    scan(input.clone(), 47, 69);
    scan(input, 47, 69);
    assertFalse(isThere(1001));
  }

  /** What others have the device do is no sign of a scan. */
  @Test
  void whatLuceneAnnouncesIsNotMissed() throws IOException {
    openForQueues();
    isSlow = true;
    long before = begun.get();
    for (int first = 0; first < 1900; first += 100) {
      for (int block = first; block < first + 40; block++) {
        LuceneCalls.prefetch(input, (long) block << BLOCK_BITS, 1);
      }
      scan(input, first, first + 40);
    }
    assertEquals(before + 19 * 40, begun.get());
  }

  @Test
  void absoluteReadsInOrderAreAScanToo() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    for (int block = 0; block < 500; block++) {
      int at = block << BLOCK_BITS;
      assertEquals(data[at], ((RandomAccessInput) input).readByte(at));
    }
    assertTrue(cache.stats().loads() - before.loads() <= RUN_MISSES + 500 / AHEAD);
  }

  @Test
  void readsOfManyBlocksAreAScanToo() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    int bytes = 100 << BLOCK_BITS;
    for (int i = 0; i < 15; i++) {
      check(input, 0, (long) i * bytes, bytes);
    }
    assertTrue(cache.stats().prefetches() - before.prefetches() > 40);
  }

  @Test
  void aSliceIsNotReadAheadBeyondItsEnd() throws IOException {
    openForQueues();
    long start = 100 * BLOCK + 50;
    IndexInput slice = input.slice("part", start, 30 * BLOCK);
    CacheStats before = cache.stats();
    for (int i = 0; i < 30; i++) {
      check(slice, start, (long) i << BLOCK_BITS, BLOCK);
    }
    assertEquals(31, cache.stats().blocksRead() - before.blocksRead());
    assertFalse(CacheTrace.isThere(input, 131 * BLOCK));
  }

  @Test
  void aCloneIsAReaderOfItsOwn() throws IOException {
    openForQueues();
    scan(input, 0, RUN);
    IndexInput clone = input.clone();
    IndexInput slice = input.slice("part", 0, input.length());
    int before = begun.get();
    scan(clone, 1000, 1000 + RUN - 1);
    scan(slice, 1500, 1500 + RUN - 1);
    assertEquals(before, begun.get());
    scan(clone, 1000 + RUN - 1, 1000 + RUN);
    assertTrue(isThere(1000 + RUN + AHEAD - 1));
    // It goes on. The clone may have ended its reads.
    scan(input, RUN, RUN + AHEAD + 1);
    assertTrue(isThere(RUN + 2 * AHEAD - 1));
  }

  /** Others read so much meanwhile that nothing stays until the scan comes to it. */
  @Test
  void whatIsReadInVainIsReadAFewTimes() throws IOException {
    openForQueues();
    IndexInput other = input.clone();
    scan(input, 0, RUN);
    int before = begun.get();
    int far = 0;
    for (int block = RUN; block < 150; block++) {
      scan(input, block, block + 1);
      for (int i = 0; i < CACHE_BLOCKS / 8; i++) {
        far = (far + 373) % 1500;
        check(other, 0, (long) (400 + far) << BLOCK_BITS, 10);
      }
    }
    int vain = begun.get() - before;
    assertTrue(vain >= 1 && vain <= 4, vain + " announcements");
    // A reader that turns to another place begins anew at once.
    scan(input, 200, 200 + RUN);
    assertEquals(before + vain + 1, begun.get());
  }

  /** The same before anything is announced, while as much is loaded as has been read. */
  @Test
  void whatIsLoadedTogetherInVainIsLoadedAFewTimes() throws IOException {
    openForQueues();
    IndexInput other = input.clone();
    int far = 0;
    long vain = 0;
    for (int block = 0; block < 150; block++) {
      CacheStats before = cache.stats();
      scan(input, block, block + 1);
      CacheStats after = cache.stats();
      // Of those that were loaded with another one, some may be there when the scan comes to them.
      vain += after.blocksRead() - before.blocksRead() - 1;
      for (int i = 0; i < CACHE_BLOCKS / 8; i++) {
        far = (far + 373) % 1500;
        check(other, 0, (long) (400 + far) << BLOCK_BITS, 10);
      }
    }
    // It would be 64 or so if it went on.
    assertTrue(vain >= 1 && vain <= 32, vain + " blocks");
  }

  /** The small queue is all that they have. */
  @Test
  void severalScansLeaveInTheCacheWhatIsHot() throws IOException {
    openForQueues();
    IndexInput reader = hot.clone();
    int hotBlocks = 500;
    List<IndexInput> scans = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      scans.add(input.clone());
    }
    int before = begun.get();
    for (int block = 0; block < BLOCKS / 4; block++) {
      for (int i = 0; i < (block % 20 == 0 ? hotBlocks : 0); i++) {
        reader.seek((long) i << BLOCK_BITS);
        assertEquals(0, reader.readByte());
      }
      for (int i = 0; i < 4; i++) {
        int at = i * (BLOCKS / 4) + block;
        scan(scans.get(i), at, at + 1);
      }
    }
    assertTrue(begun.get() - before >= BLOCKS / AHEAD / 2);
    for (int i = 0; i < hotBlocks; i++) {
      assertTrue(CacheTrace.isThere(hot, (long) i << BLOCK_BITS), "block " + i);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void manyScansAtTheSameTime(boolean byThreads) throws Exception {
    open(byThreads);
    long before = cache.stats().prefetches();
    int each = BLOCKS / 4;
    Fixtures.inThreads(
        4,
        thread -> {
          for (int i = 0; i < 4; i++) {
            int first = (thread + i) % 4 * each;
            scan(input.clone(), first, first + each);
          }
        });
    assertTrue(cache.stats().prefetches() - before >= BLOCKS / AHEAD / 4);
  }

  /** All of fs.aio-max-nr is in use. */
  @Test
  void scansShareTheQueueThatTheSystemAllows() throws Exception {
    openForQueues();
    scan(input, 1900, BLOCKS);
    refusesQueues = true;
    int before = begun.get();
    Fixtures.inThreads(3, thread -> scan(input.clone(), thread * 600, thread * 600 + 500));
    assertEquals(1, cache.stats().prefetchQueues());
    assertTrue(begun.get() - before >= 3 * 500 / AHEAD / 4);
  }

  /** Then threads read, and there are as many blocks as ever. */
  @Test
  void scansGoOnWhenAQueueIsFull() throws Exception {
    openForQueues();
    try (BlockCache shallow =
            BlockCache.builder().size(4 << 20).blockSize(BLOCK).queueDepth(1).build();
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, shallow, backend);
        IndexInput all = fill(other, shallow);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      assertTrue(all.length() > 0);
      long before = shallow.stats().prefetches();
      Fixtures.inThreads(3, thread -> scan(in.clone(), thread * 600, thread * 600 + 500));
      scan(in, 0, BLOCKS);
      assertTrue(shallow.stats().prefetches() > before);
      Fixtures.awaitIdleThreads(shallow);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatIsClosedEndsItsScans(boolean byThreads) throws Exception {
    open(byThreads);
    Files.copy(folder.resolve("data"), folder.resolve("other"));
    for (int round = 1; round <= 5; round++) {
      IndexInput other = directory.openInput("other", IOContext.DEFAULT);
      int blocks = (int) cache.stats().blocksRead() + 50 * round;
      Fixtures.inThreads(
          3,
          thread -> {
            if (thread == 0) {
              Fixtures.awaitCount(() -> cache.stats().blocksRead(), blocks);
              other.close();
            } else {
              assertThrows(
                  AlreadyClosedException.class,
                  () -> {
                    while (true) {
                      scan(other.clone(), 0, BLOCKS);
                    }
                  });
            }
          });
    }
    scan(input, 0, 100);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCacheThatIsClosedLeavesScansToThemselves(boolean byThreads) throws Exception {
    open(byThreads);
    BlockCache mortal = Fixtures.tinyCache(CACHE_BLOCKS, BLOCK_BITS);
    try (Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, mortal, backend);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      Fixtures.inThreads(
          3,
          thread -> {
            if (thread == 0) {
              Fixtures.awaitCount(() -> mortal.stats().blocksRead(), CACHE_BLOCKS + 200);
              mortal.close();
            } else {
              while (!mortal.isClosed()) {
                scan(in.clone(), 0, BLOCKS);
              }
              scan(in.clone(), 0, 100);
            }
          });
    } finally {
      mortal.close();
      Fixtures.awaitIdleThreads(mortal);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorAheadIsMetByWhoComesToIt(boolean byThreads) throws IOException {
    open(byThreads);
    Path path = folder.resolve("data");
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      assertEquals(200 * BLOCK + 10, channel.truncate(200 * BLOCK + 10).size());
    }
    scan(input, 0, 200);
    EOFException e =
        assertThrows(EOFException.class, () -> check(input, 0, 200 << BLOCK_BITS, BLOCK));
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    assertTrue(e.getMessage().contains("position " + (200 * BLOCK + 10)), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScanThatIsClosedLeavesNothingBehind(boolean byThreads) throws IOException {
    open(byThreads);
    Files.copy(folder.resolve("data"), folder.resolve("other"));
    for (int blocks = RUN - 1; blocks < 60; blocks++) {
      try (IndexInput other = directory.openInput("other", IOContext.DEFAULT)) {
        scan(other, 0, blocks);
      }
    }
    scan(input, 0, 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64, 300})
  void smallCachesReadTheSame(int blocks) throws Exception {
    openForThreads();
    try (BlockCache small = Fixtures.tinyCache(blocks, BLOCK_BITS);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, small, backend);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      scan(in, 0, BLOCKS);
      scan(in, 0, BLOCKS);
      assertEquals(blocks >= 64, small.stats().prefetches() > 0);
      Fixtures.awaitIdleThreads(small);
    }
  }

  /** There the kernel reads ahead. */
  @Test
  void throughThePageCacheNothingIsReadAhead() throws IOException {
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
    hot = fill(directory, cache);
    input = directory.openInput("data", IOContext.DEFAULT);
    CacheStats before = cache.stats();
    scan(input, 0, BLOCKS);
    assertEquals(0, cache.stats().prefetchQueues());
    assertEquals(BLOCKS, cache.stats().loads() - before.loads());
  }
}
