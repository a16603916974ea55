/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Makes copies out of a buffer that are mostly short: decompression asks for a few bytes at a time.
 * The buffer's own bulk copy makes the shortest ones byte by byte, with all its checks for each,
 * and calls a stub for the others; copying two numbers that overlap costs less. (This is only used
 * where there is no {@code MemorySegment} to copy from.)
 */
final class ShortCopy {

  /** Above this the stub is faster. */
  private static final int MAX_BYTES = 32;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private ShortCopy() {}

  /**
   * Copies {@code src[from, from + count)} to {@code dst[offset...]}.
   *
   * @param src a buffer in little-endian order
   */
  static void copy(ByteBuffer src, int from, byte[] dst, int offset, int count) {
    if (count > MAX_BYTES) {
      src.get(from, dst, offset, count);
      return;
    }
    Objects.checkFromIndexSize(offset, count, dst.length);
    if (count >= Long.BYTES) {
      int last = count - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        LONG.set(dst, offset + i, src.getLong(from + i));
      }
      LONG.set(dst, offset + last, src.getLong(from + last));
    } else if (count >= Integer.BYTES) {
      int last = count - Integer.BYTES;
      INT.set(dst, offset, src.getInt(from));
      INT.set(dst, offset + last, src.getInt(from + last));
    } else if (count >= Short.BYTES) {
      int last = count - Short.BYTES;
      SHORT.set(dst, offset, src.getShort(from));
      SHORT.set(dst, offset + last, src.getShort(from + last));
    } else if (count == 1) {
      dst[offset] = src.get(from);
    }
  }
}
