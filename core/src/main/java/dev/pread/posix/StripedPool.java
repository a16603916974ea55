/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Keeps things that are needed for the time of one call and are dear to make.
 *
 * <p>They belong to the pool and not to threads: a thread local would hold one per virtual thread,
 * and one per clone is out of the question, since clones are never closed. A taker starts to look
 * at the place its thread id selects, so that threads seldom meet; it finds its own there, still in
 * its core's cache. Where all are taken a new one is made, and where all places are filled one that
 * comes back is left to the garbage collector: the pool bounds what is kept, never what can be
 * done.
 *
 * <p>Thread-safe.
 */
final class StripedPool<T> {

  private static final int PLACES =
      Integer.highestOneBit(Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, 256));

  /** How many places are tried before giving up. */
  private static final int PROBES = 4;

  /** Places lie a cache line apart, so that neighbours don't slow each other down. */
  private static final int SPACING = 16;

  private final Supplier<T> maker;
  private final AtomicReferenceArray<T> free = new AtomicReferenceArray<>(PLACES * SPACING);

  StripedPool(Supplier<T> maker) {
    this.maker = maker;
  }

  /** One that nobody else has, until it is given back. */
  T take() {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int place = ((home + i) & (PLACES - 1)) * SPACING;
      // A plain look first: an exchange writes to the line even where there is nothing to take.
      if (free.getPlain(place) != null) {
        T pooled = free.getAndSet(place, null);
        if (pooled != null) {
          return pooled;
        }
      }
    }
    return maker.get();
  }

  /** Gives one back, which the caller must not touch any more. */
  void give(T pooled) {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int place = ((home + i) & (PLACES - 1)) * SPACING;
      if (free.getPlain(place) == null && free.compareAndSet(place, null, pooled)) {
        return;
      }
    }
  }

  private static int home() {
    return (int) Thread.currentThread().threadId();
  }
}
