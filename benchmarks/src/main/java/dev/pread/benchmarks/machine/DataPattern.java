/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.apache.lucene.util.IOConsumer;

/**
 * Makes bytes that look random and tell where they are from: each aligned word of eight bytes is a
 * hash of its offset in the file. So a read is checked by two words, and no disk compresses the
 * file.
 */
public final class DataPattern {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CHUNK = 1 << 20;

  private DataPattern() {}

  /** Returns the word at an offset: the finalizer of Steele, Lea and Flood's SplitMix. */
  public static long word(long offset) {
    long z = (offset + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Makes the first words of an array those at an offset and behind it. */
  public static void fill(byte[] bytes, long offset) {
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      set(bytes, i, offset + i);
    }
  }

  /** Makes one word of an array that of an offset in the file. */
  public static void set(byte[] bytes, int at, long offset) {
    WORD.set(bytes, at, word(offset));
  }

  /** Checks the first and the last word of a read; offset and length are multiples of eight. */
  public static void check(byte[] bytes, long offset, int length) {
    int last = length - Long.BYTES;
    if ((long) WORD.get(bytes, 0) != word(offset)
        || (long) WORD.get(bytes, last) != word(offset + last)) {
      throw WrongResult.bytes(offset, length);
    }
  }

  public static void checkAll(byte[] bytes, long offset) {
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      if ((long) WORD.get(bytes, i) != word(offset + i)) {
        throw WrongResult.bytes(offset, bytes.length);
      }
    }
  }

  /** Writes a file without telling anybody how far it is. */
  public static void write(Path file, long length) throws IOException {
    write(file, length, offset -> {});
  }

  /**
   * Writes a file of them, unless it is there with this length, a multiple of eight, and the right
   * ends.
   *
   * @param progress is told how far it is
   */
  public static void write(Path file, long length, IOConsumer<Long> progress) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      if (out.length() == length && isWord(out, 0) && isWord(out, length - Long.BYTES)) {
        return;
      }
      out.setLength(0);
      byte[] bytes = new byte[CHUNK];
      for (long offset = 0; offset < length; offset += CHUNK) {
        progress.accept(offset);
        fill(bytes, offset);
        out.write(bytes, 0, (int) Math.min(CHUNK, length - offset));
      }
      out.getFD().sync();
    }
  }

  private static boolean isWord(RandomAccessFile file, long offset) throws IOException {
    file.seek(offset);
    return Long.reverseBytes(file.readLong()) == word(offset);
  }
}
