/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.function.ToLongFunction;

/**
 * A stretch of native memory with the views that bulk reads need, for every alignment of their
 * first byte. The views are made once: a view per read would be an object per read.
 *
 * <p>It is thread-safe, since nothing but the contents of the memory ever changes, and what is read
 * there is worth something only under a {@link Guard}.
 */
public final class Chunk {

  /** A chunk without any memory. */
  public static final Chunk EMPTY = new Chunk(ByteBuffer.allocateDirect(0));

  private final ByteBuffer bytes;

  /** The address of the first byte, once it has been asked for. Any thread may find it out. */
  private long address;

  private final LongBuffer[] longs = new LongBuffer[Long.BYTES];
  private final IntBuffer[] ints = new IntBuffer[Integer.BYTES];
  private final FloatBuffer[] floats = new FloatBuffer[Float.BYTES];

  /**
   * Creates a chunk of a buffer's memory.
   *
   * @param memory a direct buffer; all of it is used, whatever its position and limit
   */
  public Chunk(ByteBuffer memory) {
    this.bytes = memory.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < longs.length; i++) {
      longs[i] = from(i).asLongBuffer();
    }
    for (int i = 0; i < ints.length; i++) {
      ints[i] = from(i).asIntBuffer();
      floats[i] = from(i).asFloatBuffer();
    }
  }

  private ByteBuffer from(int index) {
    int start = Math.min(index, bytes.capacity());
    return bytes.slice(start, bytes.capacity() - start).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns all bytes, in little-endian order, in a buffer for absolute reads only. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /**
   * Returns the address of the first byte.
   *
   * @param finder finds the address the first time
   */
  public long address(ToLongFunction<ByteBuffer> finder) {
    long known = address;
    if (known == 0) {
      known = finder.applyAsLong(bytes);
      address = known;
    }
    return known;
  }

  /** Copies {@code count} longs from byte {@code index} on. */
  public void getLongs(int index, long[] dst, int dstOffset, int count) {
    int shift = index & (Long.BYTES - 1);
    longs[shift].get((index - shift) >> 3, dst, dstOffset, count);
  }

  /** Copies {@code count} ints from byte {@code index} on. */
  public void getInts(int index, int[] dst, int dstOffset, int count) {
    int shift = index & (Integer.BYTES - 1);
    ints[shift].get((index - shift) >> 2, dst, dstOffset, count);
  }

  /** Copies {@code count} floats from byte {@code index} on. */
  public void getFloats(int index, float[] dst, int dstOffset, int count) {
    int shift = index & (Float.BYTES - 1);
    floats[shift].get((index - shift) >> 2, dst, dstOffset, count);
  }
}
