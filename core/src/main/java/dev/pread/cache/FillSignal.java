/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where threads wait for a block that another thread is reading. Slots share a few signals, so
 * waiters may wake for nothing; they look again.
 *
 * <p>Nobody is ever missed: who waits says so before it looks at the version, who fills changes the
 * version before it looks whether somebody waits, and both are volatile.
 */
final class FillSignal {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Whether anybody waits: changed under the lock, read without. */
  private volatile boolean awaited;

  private int waiting;

  /** Returns when {@code slot} no longer has {@code version}; interrupts don't matter. */
  void await(Slot slot, long version) {
    lock.lock();
    try {
      waiting++;
      awaited = true;
      try {
        while ((long) Guard.VERSION.getVolatile(slot) == version) {
          changed.awaitUninterruptibly();
        }
      } finally {
        waiting--;
        awaited = waiting > 0;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Wakes who waits; to be called after the version has changed. */
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
