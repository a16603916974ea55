/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Where threads wait for a block that another thread is reading. Slots share a few signals, so
 * waiters may wake for nothing; they look again.
 *
 * <p>Nobody is ever missed: who waits says so before it looks at the version, who fills changes the
 * version before it looks whether somebody waits, and both are volatile. And nobody waits for ever:
 * should whoever fills the slot never come back, the wait ends after a while.
 */
final class FillSignal {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Whether anybody waits: changed under the lock, read without. */
  private volatile boolean awaited;

  private int waiting;

  /**
   * Waits until {@code slot} no longer has {@code version}; interrupts don't matter.
   *
   * @param pointless says, after each {@link #signal}, whether to wait no longer
   * @param nanos how long to wait at most
   * @return false if the slot still has that version after all this time
   */
  boolean await(Slot slot, long version, BooleanSupplier pointless, long nanos) {
    boolean interrupted = false;
    lock.lock();
    try {
      waiting++;
      awaited = true;
      long left = nanos;
      while ((long) Guard.VERSION.getVolatile(slot) == version && !pointless.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        long start = System.nanoTime();
        try {
          changed.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        left -= System.nanoTime() - start;
      }
      return true;
    } finally {
      waiting--;
      awaited = waiting > 0;
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Wakes who waits; to be called after the version has changed, or waiting became pointless. */
  void signal() {
    if (awaited) {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
