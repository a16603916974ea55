/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * Lets threads wait for a block that another thread is reading. Slots share a few signals, so
 * threads may wake for nothing; then they look again.
 *
 * <p>No waiting thread is ever missed: it says that it waits before it looks at the version ({@link
 * Guard#hasChangedFrom}), the thread that fills the slot changes the version before it looks
 * whether anybody waits, and both fields are volatile. Nor does a thread wait for ever: should the
 * thread that fills the slot never come back, the wait ends after a while.
 */
final class FillSignal {

  private final BriefLock lock = new BriefLock();
  private final Condition changed = lock.newCondition();

  /** Whether anybody waits. It is changed under the lock and read without it. */
  private volatile boolean awaited;

  private int waiting;

  /**
   * Waits for something to happen. An interrupt does not end the wait.
   *
   * @param isOver says whether it has happened, or waiting has become pointless; it is asked at
   *     first, and after each {@link #signal}
   * @param nanos how long to wait at most
   * @return false if it has not happened in all this time
   */
  boolean await(BooleanSupplier isOver, long nanos) {
    boolean interrupted = false;
    lock.lock();
    try {
      waiting++;
      awaited = true;
      long left = nanos;
      while (!isOver.getAsBoolean()) {
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

  /**
   * Wakes one of the threads that wait, if there are any, to look whether waiting has become
   * pointless.
   *
   * @return whether there was one
   */
  boolean wakeOne() {
    if (!awaited) {
      return false;
    }
    lock.lock();
    try {
      changed.signal();
      return waiting > 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Wakes the threads that wait. This has to be called after the version has changed, or when
   * waiting has become pointless.
   */
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
