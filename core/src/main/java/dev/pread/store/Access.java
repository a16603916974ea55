/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.Chunk;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * How values are loaded out of the memory of a window. There is one way for each kind of memory and
 * Java version. Which is used never changes for a class of inputs, so that the compiler sees
 * through it.
 *
 * <p>An index is counted from the window's first byte, and the caller has made sure that the whole
 * value lies inside the window. Values are little-endian, and need no alignment.
 */
public abstract class Access {

  /** Above this the bulk copy is faster. */
  private static final int MAX_SHORT_COPY = 32;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  /** Creates a way to load values. */
  protected Access() {}

  /** Returns the address of a chunk's first byte; 0 if this access needs none. */
  protected long address(Chunk chunk) {
    return 0;
  }

  /** Loads a byte. */
  protected abstract byte getByte(WindowedPreadInput from, int index);

  /** Loads a short. */
  protected abstract short getShort(WindowedPreadInput from, int index);

  /** Loads an int. */
  protected abstract int getInt(WindowedPreadInput from, int index);

  /** Loads a long. */
  protected abstract long getLong(WindowedPreadInput from, int index);

  /**
   * Copies {@code count} bytes to {@code dst[offset...]}. Most copies are short, since
   * decompression asks for a few bytes at a time; a bulk copy calls a stub, and two numbers that
   * overlap cost less.
   */
  final void getBytes(WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    if (count > MAX_SHORT_COPY) {
      copy(from, index, dst, offset, count);
      return;
    }
    Objects.checkFromIndexSize(offset, count, dst.length);
    if (count >= Long.BYTES) {
      int last = count - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        LONG.set(dst, offset + i, getLong(from, index + i));
      }
      LONG.set(dst, offset + last, getLong(from, index + last));
    } else if (count >= Integer.BYTES) {
      int last = count - Integer.BYTES;
      INT.set(dst, offset, getInt(from, index));
      INT.set(dst, offset + last, getInt(from, index + last));
    } else if (count >= Short.BYTES) {
      int last = count - Short.BYTES;
      SHORT.set(dst, offset, getShort(from, index));
      SHORT.set(dst, offset + last, getShort(from, index + last));
    } else if (count == 1) {
      dst[offset] = getByte(from, index);
    }
  }

  /** Copies {@code count} bytes, and not just a few, to {@code dst[offset...]}. */
  protected abstract void copy(
      WindowedPreadInput from, int index, byte[] dst, int offset, int count);

  /** Copies {@code count} longs to {@code dst[offset...]}. */
  protected abstract void getLongs(
      WindowedPreadInput from, int index, long[] dst, int offset, int count);

  /** Copies {@code count} ints to {@code dst[offset...]}. */
  protected abstract void getInts(
      WindowedPreadInput from, int index, int[] dst, int offset, int count);

  /** Copies {@code count} floats to {@code dst[offset...]}. */
  protected abstract void getFloats(
      WindowedPreadInput from, int index, float[] dst, int offset, int count);
}
