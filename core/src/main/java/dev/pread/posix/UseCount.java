/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the users of a resource so that it is released once, after it has been closed and the last
 * user has left, without a lock and without a single cache line that all cores write to.
 *
 * <p>The count is spread over stripes, a cache line apart, of which a thread uses the one its id
 * selects; on many cores a single counter would be written twice per read by all of them, which is
 * the very ceiling this library exists to remove. The spread count is safe for these reasons:
 *
 * <ul>
 *   <li>{@link #enter} adds to its stripe <em>before</em> it looks at {@code closed}; {@link
 *       #close} sets {@code closed} <em>before</em> it looks at the stripes. Both are volatile, so
 *       at least one sees the other: either the user backs off, or the closer sees the user.
 *   <li>A user subtracts from the stripe it added to, so no stripe is ever negative, and adding up
 *       the stripes one after the other can't miss a user that was there all the time.
 *   <li>After {@code closed} the number of real users only falls; whoever finds all stripes zero
 *       takes {@link #released} with a compare-and-set, so that one and only one releases.
 * </ul>
 */
final class UseCount {

  /** Returned by {@link #enter} if the resource is closed. */
  static final int CLOSED = -1;

  /** Returned by {@link #enter} if the resource is closed and the caller must release it now. */
  static final int CLOSED_AND_LAST = -2;

  /** Two cache lines of longs: neighbouring lines are fetched in pairs. */
  private static final int SPACING = 16;

  /**
   * The number of stripes, which is the same on few cores: threads that are descheduled between
   * entering and leaving do not matter, but two that run and share a stripe do (with 4 threads on 2
   * cores and 4 stripes, this costs 4 % of a 4 KiB read).
   */
  private static final int STRIPES = 16;

  private final AtomicLongArray users = new AtomicLongArray((STRIPES + 1) * SPACING);
  private final AtomicBoolean released = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * Registers a user.
   *
   * @return what {@link #leave} takes, or {@link #CLOSED} or {@link #CLOSED_AND_LAST}
   */
  int enter() {
    return enterStripe((int) Thread.currentThread().threadId());
  }

  /** Returns where a stripe is: none is beside the array's length, which all threads read. */
  private static int place(int stripe) {
    return (stripe + 1) * SPACING;
  }

  /** Registers a user on the stripe that {@code number} selects; tests call this directly. */
  int enterStripe(int number) {
    int stripe = number & (STRIPES - 1);
    users.getAndIncrement(place(stripe));
    if (!closed) {
      return stripe;
    }
    return leave(stripe) ? CLOSED_AND_LAST : CLOSED;
  }

  /** Removes a user, and returns whether the caller must release the resource now. */
  boolean leave(int stripe) {
    users.getAndDecrement(place(stripe));
    return closed && tryRelease();
  }

  /** Forbids new users, and returns whether the caller must release the resource now. */
  boolean close() {
    closed = true;
    return tryRelease();
  }

  boolean isOpen() {
    return !closed;
  }

  private boolean tryRelease() {
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      if (users.get(place(stripe)) != 0) {
        return false;
      }
    }
    return released.compareAndSet(false, true);
  }
}
