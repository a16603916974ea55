/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Native buffers for the time of one call: system calls want native memory, readers want bytes in
 * the heap. They come in two sizes, since most reads are of a few bytes, and are pooled as {@link
 * StripedPool} says.
 *
 * <p>Thread-safe.
 */
public final class ScratchPool {

  /** Bytes of each buffer but the small ones: larger transfers are cut up. */
  public static final int BUFFER_SIZE = 64 * 1024;

  /** Bytes of the small ones. */
  static final int SMALL_SIZE = 8 * 1024;

  /** What direct I/O may ask for at most; a page, or four, which copies like, too. */
  private static final int ALIGNMENT = LargeBuffers.ALIGNMENT;

  /** What it asks for as a rule. */
  private static final int SMALL_ALIGNMENT = 4 * 1024;

  /** Of each size, beside what the places of a {@link StripedPool} hold: for 200 large ones. */
  static final int MOST_BYTES = 16 << 20;

  private final StripedPool<NativeBuffer> large;
  private final StripedPool<NativeBuffer> small;

  ScratchPool(Posix posix) {
    this.large = pool(posix, BUFFER_SIZE, ALIGNMENT);
    this.small = pool(posix, SMALL_SIZE, SMALL_ALIGNMENT);
  }

  private static StripedPool<NativeBuffer> pool(Posix posix, int size, int alignment) {
    // To be aligned takes as much memory again as the alignment.
    return new StripedPool<>(
        () -> posix.allocate(size, alignment), MOST_BYTES / (size + alignment));
  }

  /**
   * A buffer with undefined contents, the caller's until given back. It has {@link #BUFFER_SIZE}
   * bytes, or fewer where they are enough.
   *
   * @param count how many bytes are going to be transferred by way of it
   * @param alignment what the file asks for: {@link PosixFile#alignment}
   */
  public NativeBuffer take(long count, int alignment) {
    // What is read before the first byte, to begin at a multiple, has to fit, too.
    boolean isEnough = alignment <= SMALL_ALIGNMENT && count <= SMALL_SIZE - (alignment - 1);
    return (isEnough ? small : large).take();
  }

  /** Gives a buffer back, which the caller must not touch any more. */
  public void give(NativeBuffer buffer) {
    (buffer.size() == SMALL_SIZE ? small : large).give(buffer);
  }
}
