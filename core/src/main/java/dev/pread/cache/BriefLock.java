/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that threads hold for microseconds, also while they have a block in motion that others
 * wait for.
 *
 * <p>The JVM does not interrupt a virtual thread that computes. Where hundreds of them do, one that
 * has parked gets its next turn after seconds, although the lock has long been free. So a virtual
 * thread tries again for a moment before it parks.
 */
final class BriefLock extends ReentrantLock {

  private static final long serialVersionUID = 1;

  /** How long a virtual thread tries: long enough for a holder that loses its processor briefly. */
  private static final long MAX_SPIN_NANOS = 1_000_000;

  @Override
  public void lock() {
    if (!tryLock() && !(Thread.currentThread().isVirtual() && tryForAMoment())) {
      super.lock();
    }
  }

  private boolean tryForAMoment() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < MAX_SPIN_NANOS) {
      Thread.onSpinWait();
      if (tryLock()) {
        return true;
      }
    }
    return false;
  }
}
