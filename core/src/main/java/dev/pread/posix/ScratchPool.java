/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * A pool of scratch buffers in native memory, which are borrowed for one call: system calls need
 * native memory, while readers want bytes on the heap. The buffers come in two sizes, since most
 * reads are of a few bytes, and are pooled as {@link StripedPool} describes.
 *
 * <p>This class is thread-safe.
 */
public final class ScratchPool {

  /** The size in bytes of each buffer but the small ones; larger transfers are split. */
  public static final int BUFFER_SIZE = 64 * 1024;

  /** The size of the small buffers in bytes. */
  static final int SMALL_SIZE = 8 * 1024;

  /**
   * The largest alignment that direct I/O may require, a multiple of 4 KiB, which is good for
   * copies, too.
   */
  private static final int ALIGNMENT = LargeBuffers.ALIGNMENT;

  /** The alignment that direct I/O usually requires. */
  private static final int SMALL_ALIGNMENT = 4 * 1024;

  /**
   * The most bytes that are kept of each size, besides what the places of a {@link StripedPool}
   * hold: enough for 200 large buffers.
   */
  static final int MAX_BYTES = 16 << 20;

  private final StripedPool<NativeBuffer> large;
  private final StripedPool<NativeBuffer> small;

  ScratchPool(SystemCalls calls) {
    this.large = pool(calls, BUFFER_SIZE, ALIGNMENT);
    this.small = pool(calls, SMALL_SIZE, SMALL_ALIGNMENT);
  }

  private static StripedPool<NativeBuffer> pool(SystemCalls calls, int size, int alignment) {
    // Aligning a buffer takes as much additional memory as the alignment.
    return new StripedPool<>(() -> calls.allocate(size, alignment), MAX_BYTES / (size + alignment));
  }

  /**
   * Returns a buffer with undefined contents, which is the caller's until it is given back. It has
   * {@link #BUFFER_SIZE} bytes, or fewer if they are enough.
   *
   * @param count how many bytes are going to be transferred through it
   * @param alignment what the file requires: {@link PosixFile#alignment}
   */
  public NativeBuffer take(long count, int alignment) {
    // What is read before the first byte, so that the read begins aligned, has to fit, too.
    boolean isEnough = alignment <= SMALL_ALIGNMENT && count <= SMALL_SIZE - (alignment - 1);
    return (isEnough ? small : large).take();
  }

  /** Gives a buffer back; the caller must not touch it any more. */
  public void give(NativeBuffer buffer) {
    (buffer.size() == SMALL_SIZE ? small : large).give(buffer);
  }
}
