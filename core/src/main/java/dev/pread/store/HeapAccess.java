/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

/**
 * Loads values out of an input's own buffer: single bytes from its array, and all others through
 * the buffer, which is faster than either alone (docs/decisions/0002-heap-buffers-as-windows.md).
 */
final class HeapAccess extends Access {

  HeapAccess() {}

  @Override
  protected byte getByte(WindowedPreadInput from, int index) {
    return from.array[index];
  }

  @Override
  protected short getShort(WindowedPreadInput from, int index) {
    return from.memory.getShort(index);
  }

  @Override
  protected int getInt(WindowedPreadInput from, int index) {
    return from.memory.getInt(index);
  }

  @Override
  protected long getLong(WindowedPreadInput from, int index) {
    return from.memory.getLong(index);
  }

  @Override
  protected void getBytes(WindowedPreadInput from, int index, byte[] dst, int offset, int count) {
    from.memory.get(index, dst, offset, count);
  }

  @Override
  protected void getLongs(WindowedPreadInput from, int index, long[] dst, int offset, int count) {
    from.memory.position(index).asLongBuffer().get(dst, offset, count);
  }

  @Override
  protected void getInts(WindowedPreadInput from, int index, int[] dst, int offset, int count) {
    from.memory.position(index).asIntBuffer().get(dst, offset, count);
  }

  @Override
  protected void getFloats(WindowedPreadInput from, int index, float[] dst, int offset, int count) {
    from.memory.position(index).asFloatBuffer().get(dst, offset, count);
  }
}
