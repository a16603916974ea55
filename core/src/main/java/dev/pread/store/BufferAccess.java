/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/** Loads values out of the cache through byte buffers, which works on every Java version. */
public class BufferAccess extends Access {

  BufferAccess() {}

  @Override
  protected final byte getByte(WindowedPreadInput from, int index) {
    return from.memory.get(index);
  }

  @Override
  protected final short getShort(WindowedPreadInput from, int index) {
    return from.memory.getShort(index);
  }

  @Override
  protected final int getInt(WindowedPreadInput from, int index) {
    return from.memory.getInt(index);
  }

  @Override
  protected final long getLong(WindowedPreadInput from, int index) {
    return from.memory.getLong(index);
  }

  @Override
  protected final void getBytes(
      WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    ShortCopy.copy(from.memory, index, dst, offset, count);
  }

  @Override
  protected final void getLongs(
      WindowedPreadInput from, int index, long[] dst, int offset, int count) {
    from.chunk.getLongs(index, dst, offset, count);
  }

  @Override
  protected final void getInts(
      WindowedPreadInput from, int index, int[] dst, int offset, int count) {
    from.chunk.getInts(index, dst, offset, count);
  }

  @Override
  protected final void getFloats(
      WindowedPreadInput from, int index, float[] dst, int offset, int count) {
    from.chunk.getFloats(index, dst, offset, count);
  }
}
