/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.FaultSystemCalls.Function;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.Arrays;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of a few bytes at random, which are not worth a block of a full cache. */
class BypassTest extends BackendTestCase {

  private static final int BLOCK_BITS = 12;
  private static final int BLOCK = 1 << BLOCK_BITS;
  private static final int BLOCKS = 8;

  private final byte[] data = Fixtures.randomBytes(7, 100 * BLOCK);
  private final ByteBuffer expected = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);

  BypassTest() {
    faults.withoutRecord();
  }

  /** The ways to read a lot, by the cursor and elsewhere. */
  enum Bulk {
    BYTES,
    LONGS,
    INTS,
    FLOATS,
    BYTES_AT
  }

  @BeforeEach
  void writeFiles() throws IOException {
    Files.write(folder.resolve("hot"), new byte[BLOCKS * BLOCK]);
    Files.write(folder.resolve("f"), data);
  }

  private void readAndCheck(IndexInput in, int position, Bulk how) throws IOException {
    int count = 8;
    if (how != Bulk.BYTES_AT) {
      in.seek(position);
    }
    switch (how) {
      case BYTES, BYTES_AT -> {
        byte[] bytes = new byte[count];
        if (how == Bulk.BYTES) {
          in.readBytes(bytes, 0, count);
        } else {
          LuceneCalls.readBytes((RandomAccessInput) in, position, bytes, 0, count);
        }
        assertArrayEquals(Arrays.copyOfRange(data, position, position + count), bytes);
      }
      case LONGS -> {
        long[] longs = new long[count];
        in.readLongs(longs, 0, count);
        for (int i = 0; i < count; i++) {
          assertEquals(expected.getLong(position + i * Long.BYTES), longs[i]);
        }
        assertEquals(position + count * Long.BYTES, in.getFilePointer());
      }
      case INTS -> {
        int[] ints = new int[count];
        in.readInts(ints, 0, count);
        for (int i = 0; i < count; i++) {
          assertEquals(expected.getInt(position + i * Integer.BYTES), ints[i]);
        }
        assertEquals(position + count * Integer.BYTES, in.getFilePointer());
      }
      case FLOATS -> {
        float[] floats = new float[count];
        in.readFloats(floats, 0, count);
        for (int i = 0; i < count; i++) {
          assertEquals(expected.getInt(position + i * 4), Float.floatToRawIntBits(floats[i]));
        }
        assertEquals(position + count * Float.BYTES, in.getFilePointer());
      }
    }
  }

  private long calls() {
    return faults.count(Function.PREAD) + faults.count(Function.PREADV);
  }

  private IndexInput openWhenFull(Directory directory, IOContext context, IndexInput hot)
      throws IOException {
    hot.readBytes(new byte[BLOCKS * BLOCK], 0, BLOCKS * BLOCK);
    return directory.openInput("f", context);
  }

  @ParameterizedTest
  @EnumSource
  void aFullCacheIsLeftAloneUntilABlockIsMissedAgainAndAgain(Bulk how) throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, Fixtures.RANDOM, hot)) {
      int reads = 0;
      while (cache.stats().evictions() == 0) {
        readAndCheck(in, 20 * BLOCK + 100 * reads + 1, how);
        reads++;
        assertTrue(reads < 20, "the block never came in: " + cache.stats());
      }
      assertTrue(reads > 1, "the first miss evicted a block: " + cache.stats());
      assertEquals(reads - 1, cache.stats().bypasses());
      assertEquals(1, cache.stats().evictions());
      long calls = calls();
      readAndCheck(in, 20 * BLOCK + 11, how);
      assertEquals(calls, calls(), "the block is in the cache");
    }
  }

  @Test
  void withoutTheHintABlockComesInAtOnce() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, IOContext.DEFAULT, hot)) {
      readAndCheck(in, 20 * BLOCK + 1, Bulk.BYTES);
      assertEquals(1, cache.stats().evictions());
      assertEquals(0, cache.stats().bypasses());
    }
  }

  @Test
  void whileThereIsRoomABlockComesInAtOnce() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(1000, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput in = directory.openInput("f", Fixtures.RANDOM)) {
      readAndCheck(in, 20 * BLOCK + 1, Bulk.BYTES);
      assertEquals(0, cache.stats().bypasses());
      assertEquals(1, cache.stats().loads());
    }
  }

  /** A few bytes of the device cost as much as a block. */
  @Test
  void directIoBringsBlocksInForAFewBytes() throws IOException {
    faults.simulateDirect(512);
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, Fixtures.RANDOM, hot)) {
      readAndCheck(in, 20 * BLOCK + 1, Bulk.FLOATS);
      assertEquals(1, cache.stats().evictions());
      assertEquals(0, cache.stats().bypasses());
    }
  }

  /** How blocks of four times 4 KiB are read, with a full cache. */
  private void largeReads(boolean isDirect, IOContext context, LargeReads reads)
      throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS / 4, BLOCK_BITS + 2);
        Directory directory =
            isDirect
                ? Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend)
                : Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, context, hot)) {
      reads.run(in, cache);
    }
  }

  @FunctionalInterface
  private interface LargeReads {
    void run(IndexInput in, BlockCache cache) throws IOException;
  }

  private void readLarge(IndexInput in, int position, int length) throws IOException {
    byte[] bytes = new byte[length];
    in.seek(position);
    in.readBytes(bytes, 0, length);
    assertArrayEquals(Arrays.copyOfRange(data, position, position + length), bytes);
  }

  /** What is wanted comes from the file, and not the whole block. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void largeReadsThatJumpLeaveAFullCacheAlone(boolean isDirect) throws IOException {
    faults.simulateDirect(512);
    largeReads(
        isDirect,
        IOContext.DEFAULT,
        (in, cache) -> {
          long loads = cache.stats().loads();
          readLarge(in, 21 * BLOCK, BLOCK);
          readLarge(in, 41 * BLOCK + 7, BLOCK);
          readLarge(in, 81 * BLOCK + 7, BLOCK);
          assertEquals(3, cache.stats().bypasses());
          assertEquals(loads, cache.stats().loads());
          readLarge(in, 61 * BLOCK, BLOCK - 1);
          assertEquals(3, cache.stats().bypasses(), "a small one");
        });
  }

  /** Otherwise a scan would take a call for each, and a merge that leaves some out two. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100, 3 * BLOCK})
  void largeReadsThatGoOnComeFromTheCache(int gap) throws IOException {
    faults.simulateDirect(512);
    largeReads(
        true,
        IOContext.DEFAULT,
        (in, cache) -> {
          readLarge(in, 21 * BLOCK, BLOCK);
          readLarge(in, 22 * BLOCK + gap, BLOCK);
          readLarge(in, 23 * BLOCK + 2 * gap, BLOCK);
          assertEquals(1, cache.stats().bypasses());
          readLarge(in, 3 * BLOCK, BLOCK);
          assertEquals(2, cache.stats().bypasses(), "back");
        });
  }

  @Test
  void whatIsSaidToFollowEachOtherDoesNotJump() throws IOException {
    Assumptions.assumeTrue(
        LuceneContext.isSequential(Fixtures.SEQUENTIAL),
        "this version of Lucene has no word for it");
    largeReads(
        false,
        Fixtures.SEQUENTIAL,
        (in, cache) -> {
          readLarge(in, 21 * BLOCK, BLOCK);
          readLarge(in, 81 * BLOCK, BLOCK);
          assertEquals(0, cache.stats().bypasses());
        });
  }

  @Test
  void whatIsAnnouncedComesFromTheCache() throws IOException {
    faults.simulateDirect(512);
    largeReads(
        true,
        Fixtures.RANDOM,
        (in, cache) -> {
          LuceneCalls.prefetch(in, 21 * BLOCK, BLOCK);
          readLarge(in, 21 * BLOCK, BLOCK);
          assertEquals(0, cache.stats().bypasses());
        });
  }

  /** The cursor that goes on where it was will want the rest of the block, too. */
  @Test
  void readingOnIsNotAtRandom() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, Fixtures.RANDOM, hot)) {
      in.seek(21 * BLOCK - 1);
      assertEquals(data[21 * BLOCK - 1], in.readByte());
      byte[] bytes = new byte[8];
      in.readBytes(bytes, 0, bytes.length);
      assertArrayEquals(Arrays.copyOfRange(data, 21 * BLOCK, 21 * BLOCK + 8), bytes);
      assertEquals(0, cache.stats().bypasses());
    }
  }

  /** What has a place of its own evicts nothing. */
  @Test
  void aBlockWhosePlaceIsKeptComesInAtOnce() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(40, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
      Files.write(folder.resolve("wide"), Arrays.copyOf(data, 40 * BLOCK));
      try (IndexInput in = directory.openInput("wide", Fixtures.RANDOM)) {
        readAndCheck(in, 1, Bulk.BYTES);
        assertTrue(cache.stats().blocks() < 40, cache.stats().toString());
        readAndCheck(in, 39 * BLOCK + 1, Bulk.BYTES);
        assertEquals(0, cache.stats().bypasses());
        assertEquals(0, cache.stats().evictions());
        assertEquals(2, cache.stats().misses());
      }
    }
  }

  @Test
  void wholeBlocksAreNotAFewBytes() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, Fixtures.RANDOM, hot)) {
      byte[] bytes = new byte[BLOCK];
      in.seek(5 * BLOCK);
      in.readBytes(bytes, 0, BLOCK);
      assertArrayEquals(Arrays.copyOfRange(data, 5 * BLOCK, 6 * BLOCK), bytes);
      assertEquals(0, cache.stats().bypasses());
    }
  }

  /** A slice of a compound file has a hint of its own. */
  @Test
  void aSliceFollowsItsOwnHint() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(BLOCKS, BLOCK_BITS);
        Directory directory = Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend);
        IndexInput hot = directory.openInput("hot", IOContext.DEFAULT);
        IndexInput in = openWhenFull(directory, IOContext.DEFAULT, hot)) {
      IndexInput slice = LuceneCalls.slice(in, "vectors", 3 * BLOCK, 40L * BLOCK, Fixtures.RANDOM);
      byte[] bytes = new byte[8];
      slice.clone().readBytes(bytes, 0, bytes.length);
      assertArrayEquals(Arrays.copyOfRange(data, 3 * BLOCK, 3 * BLOCK + 8), bytes);
      assertEquals(1, cache.stats().bypasses());
      assertTrue(cache.stats().evictions() == 0, cache.stats().toString());
    }
  }
}
