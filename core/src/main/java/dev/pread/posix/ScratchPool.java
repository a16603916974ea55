/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Native buffers for the time of one call: system calls want native memory, readers want bytes in
 * the heap.
 *
 * <p>Buffers belong to the pool and not to threads: a thread local would hold one per virtual
 * thread, and one per clone is out of the question, since clones are never closed. A taker starts
 * to look at the place its thread id selects, so that threads seldom meet; it finds its own buffer
 * there, still in its core's cache. Where all are taken a new one is made, and where all places are
 * filled one that comes back is left to the garbage collector: the pool bounds what is kept, never
 * what can be done.
 */
public final class ScratchPool {

  /** Bytes of each buffer: larger transfers are cut up. */
  public static final int BUFFER_SIZE = 64 * 1024;

  /** One page, which also satisfies the cache line alignment that copies like. */
  private static final int ALIGNMENT = 4096;

  private static final int PLACES =
      Integer.highestOneBit(Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, 256));

  /** How many places are tried before giving up. */
  private static final int PROBES = 4;

  /** Places lie a cache line apart, so that neighbours don't slow each other down. */
  private static final int SPACING = 16;

  private final Posix posix;
  private final AtomicReferenceArray<NativeBuffer> free =
      new AtomicReferenceArray<>(PLACES * SPACING);

  ScratchPool(Posix posix) {
    this.posix = posix;
  }

  /**
   * A buffer of {@link #BUFFER_SIZE} bytes with undefined contents, the caller's until given back.
   */
  public NativeBuffer take() {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int place = ((home + i) & (PLACES - 1)) * SPACING;
      // A plain look first: an exchange writes to the line even where there is nothing to take.
      if (free.getPlain(place) != null) {
        NativeBuffer buffer = free.getAndSet(place, null);
        if (buffer != null) {
          return buffer;
        }
      }
    }
    return posix.allocate(BUFFER_SIZE, ALIGNMENT);
  }

  /** Gives a buffer back, which the caller must not touch any more. */
  public void give(NativeBuffer buffer) {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int place = ((home + i) & (PLACES - 1)) * SPACING;
      if (free.getPlain(place) == null && free.compareAndSet(place, null, buffer)) {
        return;
      }
    }
  }

  private static int home() {
    return (int) Thread.currentThread().threadId();
  }
}
