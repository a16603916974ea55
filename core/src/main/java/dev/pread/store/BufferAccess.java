/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/** Loads values out of the cache through byte buffers, which works on every Java version. */
public class BufferAccess extends Access {

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

  @Override
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
