/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lock on which virtual threads try again for a moment. */
class BriefLockTest {

  private final BriefLock lock = new BriefLock();
  private int count;

  private void count() {
    lock.lock();
    try {
      count++;
    } finally {
      lock.unlock();
    }
  }

  /** Counts one, and one more while it has the lock already. */
  private void countTwice() {
    lock.lock();
    try {
      count++;
      count();
    } finally {
      lock.unlock();
    }
  }

  @Test
  void oneThreadHasItWhateverItsKind() throws InterruptedException {
    int rounds = 20_000;
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Runnable work =
          () -> {
            for (int round = 0; round < rounds; round++) {
              countTwice();
            }
          };
      threads.add(i % 2 == 0 ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(2 * 8 * rounds, count);
    assertFalse(lock.isLocked());
  }

  @Test
  void aVirtualThreadThatTriesInVainWaits() throws InterruptedException {
    Thread waiting;
    lock.lock();
    try {
      waiting = Thread.ofVirtual().start(this::count);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (waiting.getState() != Thread.State.WAITING) {
        assertTrue(System.nanoTime() - deadline < 0, () -> "still " + waiting.getState());
        Thread.sleep(1);
      }
      assertEquals(0, count);
    } finally {
      lock.unlock();
    }
    waiting.join();
    assertEquals(1, count);
  }
}
