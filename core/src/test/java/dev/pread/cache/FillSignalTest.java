/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FillSignalTest {

  /** A waiter that is missed once waits for ever, since nobody signals a second time. */
  @Test
  void nobodyIsMissed() throws Exception {
    FillSignal signal = new FillSignal();
    Slot slot = new Slot(0);
    AtomicLong woken = new AtomicLong();
    int rounds = 5000;
    CyclicBarrier barrier = new CyclicBarrier(3);
    Fixtures.inThreads(
        3,
        thread -> {
          for (int round = 0; round < rounds; round++) {
            long version = slot.acquire();
            barrier.await(Fixtures.PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (thread == 0) {
              for (int i = 0; i < round % 50; i++) {
                Thread.onSpinWait();
              }
              slot.restart();
              signal.signal();
            } else {
              signal.await(slot, version);
              woken.incrementAndGet();
            }
            barrier.await(Fixtures.PATIENCE_SECONDS, TimeUnit.SECONDS);
          }
        });
    assertTrue(woken.get() == 2L * rounds, "" + woken);
  }

  @Test
  void anInterruptNeitherEndsAWaitNorIsLost() throws Exception {
    FillSignal signal = new FillSignal();
    Slot slot = new Slot(0);
    long version = slot.acquire();
    Thread[] waiter = new Thread[1];
    Fixtures.inThreads(
        2,
        thread -> {
          if (thread == 0) {
            synchronized (waiter) {
              waiter[0] = Thread.currentThread();
              waiter.notifyAll();
            }
            signal.await(slot, version);
            assertTrue(slot.acquire() != version, "it has changed");
            assertTrue(Thread.interrupted(), "it was interrupted");
          } else {
            synchronized (waiter) {
              while (waiter[0] == null) {
                waiter.wait();
              }
            }
            waiter[0].interrupt();
            Thread.sleep(20);
            slot.restart();
            signal.signal();
          }
        });
  }
}
