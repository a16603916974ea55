/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that threads mostly hold for microseconds and never during a read, also while they have a
 * block in motion that others wait for. A few hold it for longer: who ends a large extent, looks
 * for a run of slots, or takes memory from the system.
 *
 * <p>The JVM does not interrupt a virtual thread that computes. Where hundreds of them do, one that
 * has parked may get its next turn only after seconds, although the lock has long been free. So a
 * virtual thread tries again for a moment before it parks. That does not hold for one that has
 * waited for a condition and wants the lock back.
 */
public final class BriefLock extends ReentrantLock {

  private static final long serialVersionUID = 1;

  /** How long a virtual thread tries: long enough for a holder that loses its processor briefly. */
  private static final long MAX_SPIN_NANOS = 1_000_000;

  /** Creates a lock that nobody holds. */
  public BriefLock() {}

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
