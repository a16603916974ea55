/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * A piece of native memory that one backend allocated for its calls. Backends extend it with what
 * they need besides the bytes (the address, room for errno).
 *
 * <p>This class is not thread-safe: only one thread at a time may use an instance. Its accessors
 * take absolute offsets in bytes and never move a position, so that nothing has to be reset between
 * uses and nothing is allocated per read.
 */
public non-sealed class NativeBuffer implements ReadTarget {

  private final ByteBuffer bytes;
  // Views of the whole buffer, made once: calling asLongBuffer() on each read would make an object
  // each time.
  private final LongBuffer longs;
  private final IntBuffer ints;
  private final FloatBuffer floats;

  /**
   * Creates a buffer; backends call this.
   *
   * @param bytes a direct buffer over exactly the usable bytes
   */
  protected NativeBuffer(ByteBuffer bytes) {
    if (!bytes.isDirect()) {
      throw new IllegalArgumentException("a native buffer needs direct memory, got " + bytes);
    }
    this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.longs = this.bytes.asLongBuffer();
    this.ints = this.bytes.asIntBuffer();
    this.floats = this.bytes.asFloatBuffer();
  }

  /**
   * Returns direct memory of the JDK: exactly {@code size} bytes that start at a multiple of {@code
   * alignment}, a power of two.
   */
  protected static ByteBuffer alignedMemory(int size, int alignment) {
    ByteBuffer raw = ByteBuffer.allocateDirect(Math.addExact(size, alignment - 1));
    // alignedSlice would not do: it also cuts the end down to a multiple of the alignment.
    int start = -raw.alignmentOffset(0, alignment) & (alignment - 1);
    return raw.slice(start, size);
  }

  /** Returns the usable size in bytes. */
  public final int size() {
    return bytes.capacity();
  }

  /**
   * Returns the bytes, in little-endian order. Position and limit span the whole buffer and must
   * stay that way.
   */
  public final ByteBuffer bytes() {
    return bytes;
  }

  /**
   * Returns the address of the byte at {@code offset}, for calls that are given addresses within
   * other memory. It holds as long as this buffer is reachable.
   *
   * @throws UnsupportedOperationException if the backend has no such calls
   */
  public long address(int offset) {
    throw new UnsupportedOperationException("no call takes the address of " + this);
  }

  /** Copies {@code length} bytes from {@code offset} of this buffer into {@code dst}. */
  public final void get(int offset, byte[] dst, int dstOffset, int length) {
    bytes.get(offset, dst, dstOffset, length);
  }

  /** Copies {@code length} bytes of {@code src} to {@code offset} of this buffer. */
  public final void put(int offset, byte[] src, int srcOffset, int length) {
    bytes.put(offset, src, srcOffset, length);
  }

  /** Copies {@code length} little-endian longs from {@code offset} of this buffer. */
  public final void getLongs(int offset, long[] dst, int dstOffset, int length) {
    if ((offset & (Long.BYTES - 1)) == 0) {
      longs.get(offset / Long.BYTES, dst, dstOffset, length);
    } else {
      from(offset).asLongBuffer().get(dst, dstOffset, length);
    }
  }

  /** Copies {@code length} little-endian ints from {@code offset} of this buffer. */
  public final void getInts(int offset, int[] dst, int dstOffset, int length) {
    if ((offset & (Integer.BYTES - 1)) == 0) {
      ints.get(offset / Integer.BYTES, dst, dstOffset, length);
    } else {
      from(offset).asIntBuffer().get(dst, dstOffset, length);
    }
  }

  /** Copies {@code length} little-endian floats from {@code offset} of this buffer. */
  public final void getFloats(int offset, float[] dst, int dstOffset, int length) {
    if ((offset & (Float.BYTES - 1)) == 0) {
      floats.get(offset / Float.BYTES, dst, dstOffset, length);
    } else {
      from(offset).asFloatBuffer().get(dst, dstOffset, length);
    }
  }

  /**
   * Returns a view from {@code offset} on, for direct reads of values that are not aligned in their
   * file. These are rare, so the view may be a new object.
   */
  private ByteBuffer from(int offset) {
    return bytes.slice(offset, bytes.capacity() - offset).order(ByteOrder.LITTLE_ENDIAN);
  }
}
