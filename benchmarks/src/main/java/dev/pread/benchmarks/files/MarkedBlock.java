/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Makes the blocks that files are written of: they are cheap to make, and show one that is lost,
 * doubled or moved. The first and the last word are those of {@link DataPattern} at its place, the
 * rest is always alike. It is not thread-safe.
 */
final class MarkedBlock {
  private final byte[] bytes;

  MarkedBlock(int length) {
    bytes = new byte[length];
    DataPattern.fill(bytes, 0);
  }

  /** Returns the block at an offset, a multiple of its length; it is valid until the next call. */
  byte[] at(long offset) {
    int last = bytes.length - Long.BYTES;
    DataPattern.set(bytes, 0, offset);
    DataPattern.set(bytes, last, offset + last);
    return bytes;
  }

  /**
   * Reads a file that was written, byte by byte and in another way than any that is measured.
   *
   * @param length it has to have; the last block may be a part of one
   * @throws WrongResult if it has other bytes or another length
   */
  void verify(Path file, long length) throws IOException {
    if (Files.size(file) != length) {
      throw WrongResult.bytes(Math.min(length, Files.size(file)), 0);
    }
    try (InputStream in = Files.newInputStream(file)) {
      for (long offset = 0; offset < length; offset += bytes.length) {
        int expected = (int) Math.min(bytes.length, length - offset);
        byte[] found = in.readNBytes(expected);
        if (!Arrays.equals(found, 0, found.length, at(offset), 0, expected)) {
          throw WrongResult.bytes(offset, expected);
        }
      }
    }
  }
}
