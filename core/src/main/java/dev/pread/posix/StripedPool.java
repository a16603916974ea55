/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Pools objects that are needed for the time of one call and are expensive to make.
 *
 * <p>They belong to the pool, not to threads: a thread-local variable would hold one per virtual
 * thread, and one per clone is out of the question, since clones are never closed. A thread starts
 * looking at the place its id selects, so that threads seldom meet; it finds its own object there,
 * still in its core's cache.
 *
 * <p>There are a few places per processor, enough for threads that compute. Many more threads may
 * be in a system call at the same time, waiting for the disk; what they give back goes on a stack,
 * which all share. An object that comes back is left to the garbage collector only if the stack is
 * full, and a new one is made only if the whole pool is empty. So no thread ever waits, and the
 * pool bounds what is kept, never what can be done.
 *
 * <p>This class is thread-safe.
 */
final class StripedPool<T> {

  private static final int PLACES =
      Integer.highestOneBit(Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, 256));

  /** How many places are tried before the stack. */
  private static final int PROBES = 4;

  /** Places lie a cache line apart, so that neighbours don't slow each other down. */
  private static final int SPACING = 16;

  private final Supplier<T> maker;
  private final int mostStacked;
  private final AtomicReferenceArray<T> free = new AtomicReferenceArray<>((PLACES + 1) * SPACING);
  private final AtomicReference<Stacked<T>> stack =
      new AtomicReference<>(new Stacked<>(null, null, 0));

  /**
   * An entry of the stack, whose lowest entry holds nothing and stays. An entry is made anew for
   * each push: if the top is the same, so is the stack.
   */
  private record Stacked<T>(T pooled, Stacked<T> below, int height) {}

  /**
   * @param mostStacked how many are kept besides those in the places
   */
  StripedPool(Supplier<T> maker, int mostStacked) {
    this.maker = maker;
    this.mostStacked = mostStacked;
  }

  /** Returns an object that nobody else has until it is given back. */
  T take() {
    T pooled = takeFromPlaces(PROBES);
    if (pooled == null) {
      pooled = pop();
    }
    if (pooled == null) {
      // A look at all places costs nothing compared with making one.
      pooled = takeFromPlaces(PLACES);
    }
    return pooled == null ? maker.get() : pooled;
  }

  private T takeFromPlaces(int probes) {
    int home = home();
    for (int i = 0; i < probes; i++) {
      int place = place(home + i);
      // A plain look comes first: an exchange writes to the line even where there is nothing to
      // take.
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
    while (top.below != null && !stack.compareAndSet(top, top.below)) {
      top = stack.get();
    }
    return top.pooled;
  }

  /** Gives an object back; the caller must not touch it any more. */
  void give(T pooled) {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int place = place(home + i);
      if (free.getPlain(place) == null && free.compareAndSet(place, null, pooled)) {
        return;
      }
    }
    push(pooled);
  }

  private void push(T pooled) {
    Stacked<T> top;
    do {
      top = stack.get();
    } while (top.height < mostStacked
        && !stack.compareAndSet(top, new Stacked<>(pooled, top, top.height + 1)));
  }

  /** Returns where a place is: none is beside the array's length, which all threads read. */
  private static int place(int number) {
    return ((number & (PLACES - 1)) + 1) * SPACING;
  }

  private static int home() {
    return (int) Thread.currentThread().threadId();
  }
}
