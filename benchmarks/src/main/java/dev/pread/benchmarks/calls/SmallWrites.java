/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.lucene.store.IndexOutput;

/**
 * Many small writes of mixed sizes, from single bytes to {@value #MAX_PIECE}, the same ones for
 * every seed. One thread.
 */
final class SmallWrites {
  private static final int TEMPLATE = 1 << 16;
  private static final int MAX_PIECE = 256;
  private static final byte[] BYTES = template();

  private final long length;
  private final SplittableRandom random;

  /**
   * @param length in all, in bytes
   * @param seed of their sizes
   */
  SmallWrites(long length, long seed) {
    this.length = length;
    this.random = new SplittableRandom(seed);
  }

  private static byte[] template() {
    byte[] bytes = new byte[TEMPLATE];
    for (int i = 0; i < TEMPLATE; i++) {
      bytes[i] = (byte) DataPattern.word(i);
    }
    return bytes;
  }

  private int nextPiece(long left) {
    return (int) Math.min(left, 1 + random.nextInt(MAX_PIECE));
  }

  /**
   * Writes all of them.
   *
   * @param ask whether to ask for the position after every write
   * @return how many there were
   * @throws WrongBytesException if a position is not that of the bytes written
   */
  long write(IndexOutput out, boolean ask) throws IOException {
    long writes = 0;
    int from = 0;
    for (long written = 0; written < length; writes++) {
      int piece = nextPiece(length - written);
      from = (from + piece) & (TEMPLATE / 2 - 1);
      if (piece == 1) {
        out.writeByte(BYTES[from]);
      } else {
        out.writeBytes(BYTES, from, piece);
      }
      written += piece;
      if (ask && out.getFilePointer() != written) {
        throw new WrongBytesException(written, piece);
      }
    }
    if (out.getFilePointer() != length) {
      throw new WrongBytesException(length, 0);
    }
    return writes;
  }

  /** Compares a file with what these writes make. */
  void verify(Path file) throws IOException {
    if (Files.size(file) != length) {
      throw new WrongBytesException(Files.size(file), 0);
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), TEMPLATE)) {
      int from = 0;
      for (long read = 0; read < length; ) {
        int piece = nextPiece(length - read);
        from = (from + piece) & (TEMPLATE / 2 - 1);
        byte[] found = in.readNBytes(piece);
        if (!Arrays.equals(found, 0, found.length, BYTES, from, from + piece)) {
          throw new WrongBytesException(read, piece);
        }
        read += piece;
      }
    }
  }
}
