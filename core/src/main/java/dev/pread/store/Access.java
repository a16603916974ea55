/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.Chunk;

/**
 * Loads values out of the memory of a window. There is one way for each kind of memory and Java
 * version. Which is used never changes for a class of inputs, so that the compiler sees through it.
 *
 * <p>An index is counted from the window's first byte, and the caller has made sure that the whole
 * value lies inside the window. Values are little-endian, and need no alignment.
 */
public abstract class Access {

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

  /** Copies {@code count} bytes to {@code dst[offset...]}. */
  protected abstract void getBytes(
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
