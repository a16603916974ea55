/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Small reads that are announced in batches, past a cache that is full. */
@Timeout(120)
class AnnouncedReadTest {

  private static final int BLOCK = 16 << 10;
  private static final int PAGE = 4 << 10;
  private static final int BLOCKS = 64;
  private static final int LENGTH = 400 * BLOCK + 1234;

  @TempDir Path folder;

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final ByteBuffer expected = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
  private final BlockCache cache = new BlockCache((long) BLOCKS * BLOCK, BLOCK);
  private final Backend backend = new Backend(Fixtures.nativeCalls());
  private DirectPreadDirectory directory;
  private IndexInput input;

  @BeforeEach
  void open() throws Exception {
    Fixtures.assumeDirectIo(Files.write(folder.resolve("data"), data));
    Assumptions.assumeTrue(backend.readAheadEngine().equals("aio"), "no asynchronous reads here");
    directory = Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend);
    input = directory.openInput("data", IOContext.DEFAULT);
    input.readBytes(new byte[2 * BLOCKS * BLOCK], 0, 2 * BLOCKS * BLOCK);
    // This was a scan. What has been read ahead of it is none of what is counted.
    Fixtures.settle(cache);
  }

  @AfterEach
  void close() throws Exception {
    input.close();
    directory.close();
    Fixtures.checkAllSlotsCanBeHad(cache);
    cache.close();
    assertEquals(0, backend.openFiles());
  }

  private void check(IndexInput in, long offset, int position, int bytes) throws IOException {
    byte[] read = new byte[bytes];
    in.seek(position);
    in.readBytes(read, 0, bytes);
    int from = (int) offset + position;
    assertArrayEquals(Arrays.copyOfRange(data, from, from + bytes), read);
    assertEquals(position + bytes, in.getFilePointer());
  }

  @Test
  void aBatchIsReadByPagesAndEvictsNothing() throws IOException {
    long evictions = cache.stats().evictions();
    long bytes = cache.stats().bytesRead();
    for (int i = 0; i < 16; i++) {
      LuceneCalls.prefetch(input, (200L + i) * BLOCK + 100L * i, 400);
    }
    for (int i = 0; i < 16; i++) {
      check(input, 0, (200 + i) * BLOCK + 100 * i, 400);
    }
    assertEquals(evictions, cache.stats().evictions());
    assertEquals(bytes + 16 * PAGE, cache.stats().bytesRead());
    assertEquals(0, cache.stats().prefetchesDropped());
  }

  /** Who reads need not be the input that has announced it. */
  @Test
  void largeReadsOfOtherInputsFindThePagesToo() throws IOException {
    IndexInput clone = input.clone();
    IndexInput slice = input.slice("part", 100 * BLOCK, 200 * BLOCK);
    IndexInput other = input.clone();
    long bytes = cache.stats().bytesRead();
    long bypasses = cache.stats().bypasses();
    LuceneCalls.prefetch(input, 200 * BLOCK, PAGE);
    check(clone, 0, 200 * BLOCK, PAGE);
    LuceneCalls.prefetch(input, 210 * BLOCK + PAGE, 2 * PAGE);
    check(slice, 100 * BLOCK, 110 * BLOCK + PAGE, 2 * PAGE);
    LuceneCalls.prefetch(input, 220 * BLOCK, PAGE);
    byte[] read = new byte[PAGE];
    LuceneCalls.readBytes((RandomAccessInput) input, 220 * BLOCK, read, 0, PAGE);
    assertArrayEquals(Arrays.copyOfRange(data, 220 * BLOCK, 220 * BLOCK + PAGE), read);
    LuceneCalls.prefetch(other, 230 * BLOCK, PAGE);
    LuceneCalls.updateIOContext(other, IOContext.DEFAULT);
    check(other, 0, 230 * BLOCK, PAGE);
    assertEquals(bypasses, cache.stats().bypasses());
    assertEquals(bytes + 5 * PAGE, cache.stats().bytesRead());
  }

  @Test
  void valuesOfAllKindsAlsoAcrossTwoPagesAndBlocks() throws IOException {
    int block = 200;
    for (int at : new int[] {1000, PAGE - 3, 2 * PAGE - 401, BLOCK - 5}) {
      for (int kind = 0; kind < 5; kind++) {
        int position = block * BLOCK + at;
        block += 2;
        long bytes = cache.stats().bytesRead();
        LuceneCalls.prefetch(input, position, 400);
        input.seek(position);
        for (int i = 0; i < 40; i++) {
          switch (kind) {
            case 0 -> assertEquals(expected.getLong(position + 8 * i), input.readLong());
            case 1 -> assertEquals(expected.getInt(position + 4 * i), input.readInt());
            case 2 -> assertEquals(expected.getShort(position + 2 * i), input.readShort());
            case 3 -> assertEquals(expected.get(position + i), input.readByte());
            default -> {
              float[] floats = new float[2];
              input.readFloats(floats, 0, 2);
              assertEquals(
                  expected.getInt(position + 8 * i + 4), Float.floatToRawIntBits(floats[1]));
            }
          }
        }
        assertTrue(cache.stats().bytesRead() - bytes <= 2 * PAGE, "no block came in");
      }
    }
  }

  @Test
  void aSliceSeesNothingBeyondItsEnds() throws IOException {
    int start = 250 * BLOCK + 777;
    IndexInput slice = input.slice("part", start, 1000);
    LuceneCalls.prefetch(slice, 0, 1000);
    check(slice, start, 0, 1000);
    assertThrows(EOFException.class, slice::readByte);
    slice.seek(990);
    assertThrows(EOFException.class, () -> slice.readBytes(new byte[11], 0, 11));
    check(slice, start, 990, 10);
  }

  @Test
  void theEndOfTheFile() throws IOException {
    LuceneCalls.prefetch(input, LENGTH - 300, 300);
    check(input, 0, LENGTH - 300, 300);
    assertThrows(EOFException.class, input::readByte);
  }

  @Test
  void aClosedInputDoesNotReadOnInItsPage() throws IOException {
    IndexInput other = directory.openInput("data", IOContext.DEFAULT);
    IndexInput clone = other.clone();
    LuceneCalls.prefetch(clone, 300 * BLOCK, 1000);
    clone.seek(300 * BLOCK);
    assertEquals(data[300 * BLOCK], clone.readByte());
    other.close();
    assertThrows(AlreadyClosedException.class, clone::readByte);
    LuceneCalls.prefetch(input, 300 * BLOCK, 1000);
    check(input, 0, 300 * BLOCK, 1000);
  }

  @Test
  void aFileThatIsWrittenAgainIsAnotherOne() throws IOException {
    byte[] before = Arrays.copyOf(data, 100 * BLOCK);
    for (int round = 0; round < 3; round++) {
      byte[] now = before.clone();
      Arrays.fill(now, 50 * BLOCK, 51 * BLOCK, (byte) round);
      Files.write(folder.resolve("again"), now);
      try (IndexInput again = directory.openInput("again", IOContext.DEFAULT)) {
        // What has been announced may be read or not by the time the file is closed.
        for (int i = 0; i < 12; i++) {
          LuceneCalls.prefetch(again, (50L + i) * BLOCK, 500);
        }
        again.seek(50 * BLOCK);
        assertEquals((byte) round, again.readByte());
      }
    }
  }

  @Test
  void threadsWithClonesAndSlices() throws Exception {
    Fixtures.inThreads(
        6,
        thread -> {
          Random random = new Random(Fixtures.SEED + thread);
          long offset = thread % 2 == 0 ? 0 : 10_001L * thread;
          IndexInput in =
              (offset == 0 ? input : input.slice("part", offset, LENGTH - offset)).clone();
          int[] positions = new int[20];
          int[] sizes = new int[20];
          for (int round = 0; round < 300; round++) {
            int size = 1 + random.nextInt(20);
            for (int i = 0; i < size; i++) {
              sizes[i] = 1 + random.nextInt(random.nextBoolean() ? 5000 : 400);
              positions[i] = random.nextInt((int) in.length() - sizes[i]);
              LuceneCalls.prefetch(in, positions[i], sizes[i]);
            }
            for (int i = 0; i < size; i++) {
              check(in, offset, positions[i], sizes[i]);
            }
          }
        });
  }
}
