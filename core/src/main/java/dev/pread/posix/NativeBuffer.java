/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * A piece of native memory that one backend allocated for its calls. Backends extend it with what
 * they need beside the bytes (the address, room for errno).
 *
 * <p>Not thread-safe: one thread at a time. Its accessors take absolute offsets in bytes and never
 * move a position, so that nothing has to be reset between uses and nothing is allocated per read.
 */
public class NativeBuffer {

  private final ByteBuffer bytes;
  // The views of the whole buffer, made once: asLongBuffer() per read would be an object per read.
  private final LongBuffer longs;
  private final IntBuffer ints;
  private final FloatBuffer floats;

  /**
   * For backends.
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

  /** The usable size in bytes. */
  public final int size() {
    return bytes.capacity();
  }

  /** The bytes, in little-endian order. Position and limit span the whole and must stay so. */
  public final ByteBuffer bytes() {
    return bytes;
  }

  /** Copies {@code length} bytes from {@code offset} of this buffer into {@code dst}. */
  public final void get(int offset, byte[] dst, int dstOffset, int length) {
    bytes.get(offset, dst, dstOffset, length);
  }

  /** Copies {@code length} bytes of {@code src} to {@code offset} of this buffer. */
  public final void put(int offset, byte[] src, int srcOffset, int length) {
    bytes.put(offset, src, srcOffset, length);
  }

  /** Copies {@code length} little-endian longs from the start of this buffer. */
  public final void getLongs(long[] dst, int dstOffset, int length) {
    longs.get(0, dst, dstOffset, length);
  }

  /** Copies {@code length} little-endian ints from the start of this buffer. */
  public final void getInts(int[] dst, int dstOffset, int length) {
    ints.get(0, dst, dstOffset, length);
  }

  /** Copies {@code length} little-endian floats from the start of this buffer. */
  public final void getFloats(float[] dst, int dstOffset, int length) {
    floats.get(0, dst, dstOffset, length);
  }
}
