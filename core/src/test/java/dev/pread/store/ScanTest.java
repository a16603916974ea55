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
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.LongSupplier;
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
  private Backend backend;
  private Directory directory;
  private IndexInput hot;
  private IndexInput input;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.write(folder.resolve("data"), data);
    Files.write(folder.resolve("hot"), new byte[CACHE_BLOCKS * BLOCK]);
  }

  /** Reads ahead by queues, which tests can rely on: a block that is announced is on its way. */
  private void openForQueues() throws IOException {
    Fixtures.assumeDirectIo(folder.resolve("data"));
    backend = new Backend(Fixtures.nativeCalls());
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
    hot = fill(directory);
    input = directory.openInput("data", IOContext.DEFAULT);
  }

  /** Leaves no slot free, so that a read brings in what is wanted and nothing around it. */
  private static IndexInput fill(Directory directory) throws IOException {
    IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
    hot.readBytes(new byte[(int) hot.length()], 0, (int) hot.length());
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

  private static void assertEventually(long expected, LongSupplier actual) {
    // A thread that reads ahead counts when the block can be had already.
    Fixtures.awaitCount(actual, Math.toIntExact(expected));
    assertEquals(expected, actual.getAsLong());
  }

  @Test
  void onlyTheFirstBlocksAreMissedAndNoneIsReadTwice() throws IOException {
    openForQueues();
    CacheStats before = cache.stats();
    scan(input, 0, BLOCKS - 1);
    check(input, 0, (BLOCKS - 1L) << BLOCK_BITS, BLOCK - 100);
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
    Files.write(folder.resolve("large"), new byte[(64 * 32) << blockBits]);
    try (BlockCache large = Fixtures.tinyCache(64 * 32, blockBits);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, large, backend);
        IndexInput all = other.openInput("large", IOContext.DEFAULT);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      all.readBytes(new byte[(int) all.length()], 0, (int) all.length());
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
    assertTrue(cache.stats().loads() - before.loads() > reads);
    assertEquals(before.prefetches(), cache.stats().prefetches());
  }

  @Test
  void aScanByThreadsReadsNoBlockTwice() throws IOException {
    openForThreads();
    CacheStats before = cache.stats();
    scan(input, 0, BLOCKS - 1);
    assertTrue(cache.stats().prefetches() > before.prefetches());
    check(input, 0, (BLOCKS - 1L) << BLOCK_BITS, BLOCK - 100);
    assertEventually(BLOCKS, () -> cache.stats().blocksRead() - before.blocksRead());
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
    assertTrue(e.getMessage().contains("position " + 200 * BLOCK), e.getMessage());
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
  @ValueSource(ints = {1, 2, 3, 64, 127, 128, 300})
  void cachesThatAreTooSmallReadTheSame(int blocks) throws IOException {
    openForThreads();
    try (BlockCache small = Fixtures.tinyCache(blocks, BLOCK_BITS);
        Directory other = Fixtures.direct(folder, PreadConfig.DEFAULT, small, backend);
        IndexInput in = other.openInput("data", IOContext.DEFAULT)) {
      for (int round = 0; round < 2; round++) {
        scan(in, 0, BLOCKS - 1);
      }
      assertEquals(blocks >= 128, small.stats().prefetches() > 0);
    }
  }

  /** There the kernel reads ahead. */
  @Test
  void throughThePageCacheNothingIsReadAhead() throws IOException {
    backend = new Backend(Fixtures.faults());
    directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
    hot = fill(directory);
    input = directory.openInput("data", IOContext.DEFAULT);
    scan(input, 0, BLOCKS - 1);
    assertEquals(0, cache.stats().prefetches());
    assertTrue(cache.stats().loads() >= BLOCKS - 1);
  }
}
