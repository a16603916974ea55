/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Keeps things that are needed for the time of one call and are dear to make.
 *
 * <p>They belong to the pool and not to threads: a thread local would hold one per virtual thread,
 * and one per clone is out of the question, since clones are never closed. A taker starts to look
 * at the place its thread id selects, so that threads seldom meet; it finds its own there, still in
 * its core's cache.
 *
 * <p>There are a few places per processor, enough for threads that compute. Many more may be in a
 * system call at the same time, waiting for the disk; what they bring back goes on a stack, which
 * all share. Only where that is as high as it may be, one that comes back is left to the garbage
 * collector, and only where the whole pool is empty a new one is made: nobody ever waits, and the
 * pool bounds what is kept, never what can be done.
 *
 * <p>Thread-safe.
 */
final class StripedPool<T> {

  private static final int PLACES =
      Integer.highestOneBit(Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, 256));

  /** How many places are tried before the stack is. */
  private static final int PROBES = 4;

  /** Places lie a cache line apart, so that neighbours don't slow each other down. */
  private static final int SPACING = 16;

  private final Supplier<T> maker;
  private final int mostStacked;
  private final AtomicReferenceArray<T> free = new AtomicReferenceArray<>(PLACES * SPACING);
  private final AtomicReference<Stacked<T>> stack = new AtomicReference<>();

  /** One on the stack. Made anew for each push: a top that is the same is the same stack. */
  private record Stacked<T>(T pooled, Stacked<T> below, int height) {}

  /**
   * @param mostStacked how many are kept beside those in the places
   */
  StripedPool(Supplier<T> maker, int mostStacked) {
    this.maker = maker;
    this.mostStacked = mostStacked;
  }

  /** One that nobody else has, until it is given back. */
  T take() {
    T pooled = takeFromPlaces(PROBES);
    if (pooled == null) {
      pooled = pop();
    }
    if (pooled == null) {
      // A look at all places costs nothing beside making one.
      pooled = takeFromPlaces(PLACES);
    }
    return pooled == null ? maker.get() : pooled;
  }

  private T takeFromPlaces(int probes) {
    int home = home();
    for (int i = 0; i < probes; i++) {
      int place = ((home + i) & (PLACES - 1)) * SPACING;
      // A plain look first: an exchange writes to the line even where there is nothing to take.
      if (free.getPlain(place) != null) {
        T pooled = free.getAndSet(place, null);
        if (pooled != null) {
          return pooled;
        }
      }
    }
    return null;
  }

  private T pop() {
    Stacked<T> top = stack.get();
    while (top != null && !stack.compareAndSet(top, top.below)) {
      top = stack.get();
    }
    return top == null ? null : top.pooled;
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
    push(pooled);
  }

  private void push(T pooled) {
    Stacked<T> top;
    int height;
    do {
      top = stack.get();
      height = top == null ? 0 : top.height;
    } while (height < mostStacked
        && !stack.compareAndSet(top, new Stacked<>(pooled, top, height + 1)));
  }

  private static int home() {
    return (int) Thread.currentThread().threadId();
  }
}
