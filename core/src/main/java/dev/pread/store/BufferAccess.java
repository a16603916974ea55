/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/** Loads values out of the cache through byte buffers, which works on every Java version. */
class BufferAccess extends Access {

  /** Above this the bulk copy is faster. */
  private static final int MAX_SHORT_COPY = 32;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  BufferAccess() {}

  @Override
  protected byte getByte(WindowedPreadInput from, int index) {
    return from.memory.get(from.base + index);
  }

  @Override
  protected short getShort(WindowedPreadInput from, int index) {
    return from.memory.getShort(from.base + index);
  }

  @Override
  protected int getInt(WindowedPreadInput from, int index) {
    return from.memory.getInt(from.base + index);
  }

  @Override
  protected long getLong(WindowedPreadInput from, int index) {
    return from.memory.getLong(from.base + index);
  }

  /**
   * Copies {@code count} bytes to {@code dst[offset...]}. Most copies are short, since
   * decompression asks for a few bytes at a time; a bulk copy calls a stub, and two numbers that
   * overlap cost less.
   */
  @Override
  protected final void getBytes(
      WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
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
  protected void copy(WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    from.memory.get(from.base + index, dst, offset, count);
  }

  @Override
  protected void getLongs(WindowedPreadInput from, int index, long[] dst, int offset, int count) {
    from.chunk.getLongs(from.base + index, dst, offset, count);
  }

  @Override
  protected void getInts(WindowedPreadInput from, int index, int[] dst, int offset, int count) {
    from.chunk.getInts(from.base + index, dst, offset, count);
  }

  @Override
  protected void getFloats(WindowedPreadInput from, int index, float[] dst, int offset, int count) {
    from.chunk.getFloats(from.base + index, dst, offset, count);
  }
}
