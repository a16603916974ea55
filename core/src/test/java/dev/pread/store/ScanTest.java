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
import dev.pread.posix.ScriptedCalls;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
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

  /** How many blocks are missed before any is read ahead. */
  private static final int RUN = 4;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, BLOCKS * BLOCK - 100);
  private final BlockCache cache = Fixtures.tinyCache(CACHE_BLOCKS, BLOCK_BITS);
  private Backend backend = new Backend(Fixtures.faults());
  private Directory directory;
  private IndexInput hot;

  /** How many reads a queue has begun. */
  private int begun;

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
                  begun += name.equals("ioSubmit") ? (int) arguments[3] : 0;
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
    if (directory != null) {
      input.close();
      hot.close();
      directory.close();
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

  @Test
  void onlyTheFirstBlocksAreMissedAndNoneIsReadTwice() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    scan(input, 0, BLOCKS);
    input.seek(input.length());
    assertThrows(EOFException.class, input::readByte);
    assertEquals(RUN, cache.stats().loads() - before.loads());
    assertEquals(BLOCKS, cache.stats().blocksRead() - before.blocksRead());
    // An announcement is a sixty-fourth of the cache.
    int ahead = CACHE_BLOCKS / 64;
    int announcements = (BLOCKS - RUN + ahead - 1) / ahead;
    assertEquals(announcements, cache.stats().prefetches() - before.prefetches());
    assertEquals(0, cache.stats().prefetchesDropped());
  }

  @Test
  void announcementsGrow() throws IOException {
    openForQueues();
    int blockBits = 14;
    int blocks = BLOCKS >> (blockBits - BLOCK_BITS);
    Files.write(folder.resolve("hot"), new byte[(64 * 32) << blockBits]);
    try (BlockCache large = Fixtures.tinyCache(64 * 32, blockBits);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, large, backend);
        IndexInput all = fill(other, large);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      assertTrue(all.length() > 0);
      long before = large.stats().prefetches();
      for (int block = 0; block < blocks; block++) {
        check(in, 0, (long) block << blockBits, 1000);
      }
      int announcements = 0;
      int end = RUN;
      for (int size = 4; end < blocks; size = Math.min(2 * size, 32)) {
        end += size;
        announcements++;
      }
      assertEquals(announcements, large.stats().prefetches() - before);
    }
  }

  @Test
  void readsAtRandomAreNotReadAhead() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    int reads = 0;
    for (int i = 0; i < 100; i++) {
      int block = i * 373 % (BLOCKS - RUN);
      for (int next = 0; next < RUN - 1; next++) {
        check(input, 0, (long) (block + next) << BLOCK_BITS, 10);
        reads++;
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
    assertTrue(cache.stats().loads() - before.loads() > reads);
    assertEquals(before.prefetches(), cache.stats().prefetches());
  }

  @Test
  void aScanByThreadsReadsTheSame() throws IOException {
    openForThreads();
    scan(input, 0, BLOCKS);
    scan(input.clone(), 0, BLOCKS);
  }

  /** Blocks that are there already are no reason to stop, nor are they read again. */
  @Test
  void aScanGoesOnOverWhatIsThere() throws IOException {
    openForQueues();
    scan(input, 20, 23);
    scan(input, 30, 33);
    CacheStats before = cache.stats();
    scan(input, 0, 100);
    assertEquals(RUN, cache.stats().loads() - before.loads());
    scan(input, 1000, 1100);
    assertEquals(2 * RUN, cache.stats().loads() - before.loads());
  }

  /** The next announcement is made when the reader comes to the first block of the last one. */
  @Test
  void anAnnouncementBeginsAtOnceAndBeforeItIsNeeded() throws IOException {
    openForQueues();
    for (int block = 14; block >= 10; block -= 2) {
      scan(input, block, block + 1);
    }
    int before = begun;
    scan(input, 0, RUN);
    assertEquals(before + 4, begun, "of the blocks from 4 to 9, 11, 13, and 15 to 19");
    assertTrue(isThere(19));
    assertFalse(isThere(20));
    scan(input, RUN, RUN + 1);
    assertEquals(before + 5, begun);
    assertTrue(isThere(35));
    assertFalse(isThere(36));
  }

  /** Returns whether a block is in the cache, or on its way. */
  private boolean isThere(int block) {
    return ((PreadIndexInput) input).isCached((long) block << BLOCK_BITS, 1);
  }

  @Test
  void aJumpEndsAScan() throws IOException {
    openForQueues();
    scan(input, 0, 30);
    assertTrue(isThere(36));
    scan(input, 1000, 1001);
    // By the time the first reader comes back, the blocks are there.
    scan(input.clone(), 30, 52);
    scan(input, 30, 52);
    assertFalse(isThere(1001));
  }

  /** What others have the device do is no sign of a scan. */
  @Test
  void whatLuceneAnnouncesIsNotMissed() throws IOException {
    openForQueues();
    isSlow = true;
    long before = cache.stats().prefetches();
    for (int first = 0; first < 1900; first += 100) {
      for (int block = first; block < first + 12; block++) {
        LuceneCalls.prefetch(input, (long) block << BLOCK_BITS, 1);
      }
      scan(input, first, first + 12);
    }
    assertEquals(before + 19 * 12, cache.stats().prefetches());
  }

  @Test
  void absoluteReadsInOrderAreAScanToo() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    for (int block = 0; block < 500; block++) {
      int at = block << BLOCK_BITS;
      assertEquals(data[at], ((RandomAccessInput) input).readByte(at));
    }
    assertEquals(RUN, cache.stats().loads() - before.loads());
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
    assertFalse(((PreadIndexInput) input).isCached(131 * BLOCK, 1));
  }

  @Test
  void aCloneIsAReaderOfItsOwn() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    scan(input, 0, 30);
    IndexInput clone = input.clone();
    IndexInput slice = input.slice("part", 0, input.length());
    // When a clone comes to a block that its original waits for, it is there and not on its way.
    scan(input.clone(), 36, 37);
    scan(clone, 36, 37);
    scan(clone, 1000, 1002);
    scan(slice, 1500, 1502);
    scan(input, 30, 200);
    scan(clone, 1002, 1100);
    assertEquals(2 * RUN + 2, cache.stats().loads() - before.loads());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorAheadIsMetByWhoComesToIt(boolean byThreads) throws IOException {
    if (byThreads) {
      openForThreads();
    } else {
      openForQueues();
    }
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
    if (byThreads) {
      openForThreads();
    } else {
      openForQueues();
    }
    Files.copy(folder.resolve("data"), folder.resolve("other"));
    for (int blocks = 1; blocks < 40; blocks++) {
      try (IndexInput other = directory.openInput("other", IOContext.DEFAULT)) {
        scan(other, 0, blocks);
      }
    }
    scan(input, 0, 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 63, 64, 127, 300})
  void smallCachesReadTheSame(int blocks) throws IOException {
    openForThreads();
    try (BlockCache small = Fixtures.tinyCache(blocks, BLOCK_BITS);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, small, backend);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      scan(in, 0, BLOCKS);
      scan(in, 0, BLOCKS);
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
    assertEquals(before.prefetches(), cache.stats().prefetches());
    assertEquals(BLOCKS, cache.stats().loads() - before.loads());
  }
}
