/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Backend;
import dev.pread.posix.Errno;
import dev.pread.posix.IoVector;
import dev.pread.posix.ScriptedCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A device that can't read one byte fails those who read that byte, and nobody else. */
class ErrorBehindTest {

  private static final int BLOCK = 512;
  private static final int LENGTH = 100 * BLOCK;

  /** Where the byte is that can't be read: behind the beginning of a block, and of a buffer. */
  private static final int BAD_POSITION = 50 * BLOCK + 300;

  @TempDir Path folder;

  private final AtomicInteger errors = new AtomicInteger();
  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final Backend backend =
      new Backend(
          ScriptedCalls.of(
              Fixtures.backend().calls(),
              (name, arguments) ->
                  switch (name) {
                    case "pread" -> error((long) arguments[4], (int) arguments[3]);
                    case "preadv" -> error((long) arguments[2], ((IoVector) arguments[1]).length());
                    // This is refused, so that all is read by the calls above.
                    case "preadNoWait" -> (Object) (long) -Errno.EAGAIN;
                    default -> null;
                  }));

  private Object error(long position, long length) {
    if (BAD_POSITION < position || position + length <= BAD_POSITION) {
      return null;
    }
    errors.incrementAndGet();
    return (long) -Errno.EIO;
  }

  @BeforeEach
  void write() throws IOException {
    Files.write(folder.resolve("f"), data);
  }

  private PreadDirectory directory(BlockCache cache) throws IOException {
    PreadConfig config = PreadConfig.builder().bufferSize(4096).cache(cache).build();
    return Fixtures.directory(folder, config, cache, backend);
  }

  private void check(IndexInput in) throws IOException {
    in.seek(BAD_POSITION - 100);
    assertEquals(data[BAD_POSITION - 100], in.readByte());
    byte[] read = new byte[99];
    in.readBytes(read, 0, read.length);
    assertArrayEquals(Arrays.copyOfRange(data, BAD_POSITION - 99, BAD_POSITION), read);
    Fixtures.assertNames(assertThrows(IOException.class, in::readByte), "EIO", folder.resolve("f"));
    assertEquals(BAD_POSITION, in.getFilePointer());
    assertThrows(IOException.class, () -> in.readBytes(read, 0, read.length));
    in.seek(BAD_POSITION - 50);
    assertThrows(IOException.class, () -> in.readBytes(read, 0, read.length));
    in.seek(BAD_POSITION + 1);
    in.readBytes(read, 0, read.length);
    assertArrayEquals(Arrays.copyOfRange(data, BAD_POSITION + 1, BAD_POSITION + 100), read);
  }

  @Test
  void ofBytesInABuffer() throws IOException {
    try (PreadDirectory directory = directory(Fixtures.NO_CACHE)) {
      for (IOContext context : new IOContext[] {IOContext.DEFAULT, Fixtures.MERGE}) {
        try (IndexInput in = directory.openInput("f", context)) {
          check(in);
          check(in.slice("slice", 0, BAD_POSITION + 200));
        }
      }
    }
  }

  /** Reads that jump, past the cache and then by its blocks, but for the one with the bad byte. */
  @Test
  void ofBytesInABufferThatIsFilledByBlocks() throws IOException {
    try (BlockCache cache = Fixtures.tinyCache(16, 9);
        PreadDirectory directory = directory(cache);
        IndexInput in = directory.openInput("f", Fixtures.MERGE)) {
      int start = BAD_POSITION / BLOCK * BLOCK - 8;
      for (int i = 0; i < 30; i++) {
        in.seek(i % 2 == 0 ? start : 0);
        byte[] read = new byte[8];
        in.readBytes(read, 0, 8);
        int from = i % 2 == 0 ? start : 0;
        assertArrayEquals(Arrays.copyOfRange(data, from, from + 8), read);
      }
      assertTrue(errors.get() > 0, "nobody came across the bad byte");
    }
  }
}
