/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.posix.Backend;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files with more blocks than the cache can number are read, past it; smaller ones in it. */
class HugeFileTest {

  private static final int TAIL = 100_000;

  /** The most blocks of a file that is in the cache. */
  private static final long MAX_BLOCKS = 1L << 30;

  @TempDir Path folder;

  private final Backend backend = new Backend(Fixtures.faults());
  private final byte[] tail = Fixtures.randomBytes(Fixtures.SEED, TAIL);

  @AfterEach
  void nothingStaysOpen() throws Exception {
    assertEquals(0, backend.openFiles());
    assertEquals(0, Fixtures.descriptorsIn(folder));
  }

  /** A file of zeros that takes no room, but for what it ends with. */
  private void createSparse(long length) throws IOException {
    Path path = folder.resolve("huge");
    Files.deleteIfExists(path);
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(tail), length - TAIL);
    } catch (IOException e) {
      Assumptions.abort("no file of " + length + " bytes on the file system: " + e);
    }
    assertEquals(length, Files.size(path));
  }

  @ParameterizedTest
  @CsvSource({"9, false", "12, false", "12, true"})
  void isReadPastTheCacheFromSomeSizeOn(int blockBits, boolean direct) throws Exception {
    for (long blocks :
        new long[] {
          2 * MAX_BLOCKS + 1, 2 * MAX_BLOCKS, 2 * MAX_BLOCKS - 1, MAX_BLOCKS + 1, MAX_BLOCKS
        }) {
      createSparse((blocks << blockBits) - 100);
      try (BlockCache cache = Fixtures.tinyCache(1 << 14, blockBits);
          Directory directory =
              direct
                  ? Fixtures.direct(folder, PreadConfig.DEFAULT, cache, backend)
                  : Fixtures.directory(folder, PreadConfig.DEFAULT, cache, backend)) {
        for (IOContext context : List.of(IOContext.DEFAULT, Fixtures.MERGE)) {
          try (IndexInput input = directory.openInput("huge", context)) {
            read(input, (blocks << blockBits) - 100);
          }
        }
        assertEquals(
            blocks <= MAX_BLOCKS, cache.stats().blocksRead() > 0, "of " + blocks + " blocks");
      }
    }
  }

  private void read(IndexInput input, long length) throws IOException {
    assertEquals(length, input.length());
    long start = length - TAIL;
    LuceneCalls.prefetch(input, length - 1, 1);
    byte[] read = new byte[TAIL];
    input.seek(start);
    input.readBytes(read, 0, TAIL);
    assertArrayEquals(tail, read);
    assertThrows(EOFException.class, input::readByte);
    RandomAccessInput slice = input.randomAccessSlice(start - 5000, TAIL + 5000);
    assertEquals(0, slice.readByte(4999));
    assertEquals(tail[TAIL - 1], slice.readByte(TAIL + 4999));
    IndexInput clone = input.clone();
    for (int at : new int[] {TAIL - 5000, 3, TAIL / 2, TAIL - 1}) {
      clone.seek(start + at);
      assertEquals(tail[at], clone.readByte());
      assertEquals(start + at + 1, clone.getFilePointer());
    }
    byte[] some = new byte[3000];
    clone.seek(start + 777);
    clone.readBytes(some, 0, some.length);
    assertArrayEquals(Arrays.copyOfRange(tail, 777, 3777), some);
    clone.seek(length / 2);
    assertEquals(0, clone.readLong());
    assertEquals(length / 2 + Long.BYTES, clone.getFilePointer());
  }
}
