/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Native buffers for the time of one call: system calls want native memory, readers want bytes in
 * the heap. They are pooled as {@link StripedPool} says.
 *
 * <p>Thread-safe.
 */
public final class ScratchPool {

  /** Bytes of each buffer: larger transfers are cut up. */
  public static final int BUFFER_SIZE = 64 * 1024;

  /** What direct I/O may ask for at most; a page, or four, which copies like, too. */
  private static final int ALIGNMENT = LargeBuffers.ALIGNMENT;

  private final StripedPool<NativeBuffer> pool;

  ScratchPool(Posix posix) {
    this.pool = new StripedPool<>(() -> posix.allocate(BUFFER_SIZE, ALIGNMENT));
  }

  /**
   * A buffer of {@link #BUFFER_SIZE} bytes with undefined contents, the caller's until given back.
   */
  public NativeBuffer take() {
    return pool.take();
  }

  /** Gives a buffer back, which the caller must not touch any more. */
  public void give(NativeBuffer buffer) {
    pool.give(buffer);
  }
}
