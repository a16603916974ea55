/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Blocks to write whose first and last words are those of {@link DataPattern} and whose rest is the
 * same in all: cheap to make, and a block that is lost, doubled or moved is seen. One thread.
 */
final class Blocks {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] block;

  /**
   * @param size of all but the last, a multiple of eight and at least 16
   */
  Blocks(int size) {
    block = new byte[size];
    for (int i = 0; i < size; i += Long.BYTES) {
      WORD.set(block, i, DataPattern.word(i));
    }
  }

  /** The block at an offset; valid until the next is asked for. */
  byte[] at(long offset, int length) {
    WORD.set(block, 0, DataPattern.word(offset));
    WORD.set(block, length - Long.BYTES, DataPattern.word(offset + length - Long.BYTES));
    return block;
  }

  /**
   * Reads a file that was written of them, byte by byte and in another way than any that is
   * measured.
   *
   * @throws WrongBytesException if it has other bytes or another length
   */
  static void verify(Path file, long length, int size) throws IOException {
    if (Files.size(file) != length) {
      throw new WrongBytesException(Math.min(length, Files.size(file)), 0);
    }
    Blocks expected = new Blocks(size);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      for (long offset = 0; offset < length; offset += size) {
        int part = (int) Math.min(size, length - offset);
        byte[] found = in.readNBytes(part);
        if (!Arrays.equals(found, 0, found.length, expected.at(offset, part), 0, part)) {
          throw new WrongBytesException(offset, part);
        }
      }
    }
  }
}
