/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongPredicate;

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

  /**
   * Checks the first and the last word of a read.
   *
   * @param offset of the read in the file, a multiple of eight
   * @param length of the read, a multiple of eight
   * @throws WrongResult if it is not what is there
   */
  public static void check(byte[] bytes, long offset, int length) {
    int last = length - Long.BYTES;
    if ((long) WORD.get(bytes, 0) != word(offset)
        || (long) WORD.get(bytes, last) != word(offset + last)) {
      throw WrongResult.bytes(offset, length);
    }
  }

  /**
   * Checks every word of a read.
   *
   * @param offset of the read in the file, a multiple of eight
   * @throws WrongResult if one is not what is there
   */
  public static void checkAll(byte[] bytes, long offset) {
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      if ((long) WORD.get(bytes, i) != word(offset + i)) {
        throw WrongResult.bytes(offset, bytes.length);
      }
    }
  }

  /** Writes a file without telling anybody how far it is. */
  public static void write(Path file, long length) throws IOException {
    write(file, length, offset -> true);
  }

  /**
   * Writes a file of them; one of that length whose ends are right already is left as it is. A
   * stopped call leaves no file.
   *
   * @param length in bytes, a multiple of eight
   */
  public static void write(Path file, long length, Progress progress, StopSignal stop)
      throws IOException {
    progress.start("writing " + file.getFileName());
    write(
        file,
        length,
        offset -> {
          progress.update(offset / (double) length, ByteSize.format(offset));
          return !stop.requested();
        });
    progress.wipe();
  }

  private static void write(Path file, long length, LongPredicate goOn) throws IOException {
    if (isThere(file, length)) {
      return;
    }
    byte[] bytes = new byte[CHUNK];
    long offset = 0;
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      for (; offset < length && goOn.test(offset); offset += CHUNK) {
        fill(bytes, offset);
        out.write(bytes, 0, (int) Math.min(CHUNK, length - offset));
      }
      out.getFD().sync();
    }
    if (offset < length) {
      Files.delete(file);
    }
  }

  private static boolean isThere(Path file, long length) throws IOException {
    if (!Files.exists(file) || Files.size(file) != length) {
      return false;
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long first = Long.reverseBytes(in.readLong());
      in.seek(length - Long.BYTES);
      long last = Long.reverseBytes(in.readLong());
      return first == word(0) && last == word(length - Long.BYTES);
    }
  }
}
