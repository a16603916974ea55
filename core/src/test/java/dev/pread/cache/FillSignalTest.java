/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FillSignalTest {

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(Fixtures.TIMEOUT_SECONDS);

  private static boolean await(FillSignal signal, Slot slot, long version) {
    return signal.await(() -> slot.hasChangedFrom(version), TIMEOUT_NANOS);
  }

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
            barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (thread == 0) {
              for (int i = 0; i < round % 50; i++) {
                Thread.onSpinWait();
              }
              change(slot, round);
              signal.signal();
            } else {
              assertTrue(await(signal, slot, version));
              woken.incrementAndGet();
            }
            barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
          }
        });
    assertTrue(woken.get() == 2L * rounds, "" + woken);
  }

  /** Changes a slot's version, in all ways in turn. */
  private static void change(Slot slot, int round) {
    switch (round % 3) {
      case 0 -> slot.publish();
      case 1 -> assertTrue(slot.tryTake(slot.acquire()));
      default -> slot.restart();
    }
  }

  /** Slots share a signal: who has waited for one of them takes nobody's wait for another away. */
  @Test
  void waitersForOtherSlotsGoOnWaiting() throws Exception {
    for (int round = 0; round < 20; round++) {
      FillSignal signal = new FillSignal();
      Slot[] slots = {new Slot(0), new Slot(16)};
      Thread[] waiters = new Thread[2];
      List<Throwable> failures = new CopyOnWriteArrayList<>();
      for (int i = 0; i < 2; i++) {
        Slot slot = slots[i];
        long version = slot.acquire();
        waiters[i] =
            new Thread(
                () -> {
                  if (!await(signal, slot, version) || slot.acquire() == version) {
                    failures.add(new AssertionError("woken for nothing: " + slot));
                  }
                });
        waiters[i].start();
        awaitWaiting(waiters[i]);
      }
      for (int i = 0; i < 2; i++) {
        awaitWaiting(waiters[i]);
        slots[i].restart();
        signal.signal();
        waiters[i].join(TimeUnit.SECONDS.toMillis(Fixtures.TIMEOUT_SECONDS));
        assertFalse(waiters[i].isAlive(), "nobody woke it, round " + round);
      }
      assertEquals(List.of(), failures);
    }
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING
        && thread.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
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
            assertTrue(await(signal, slot, version));
            assertTrue(slot.acquire() != version, "it has changed");
            assertTrue(Thread.interrupted(), "it was interrupted");
          } else {
            synchronized (waiter) {
              while (waiter[0] == null) {
                waiter.wait();
              }
            }
            awaitWait(waiter[0]);
            waiter[0].interrupt();
            awaitWait(waiter[0]);
            slot.restart();
            signal.signal();
          }
        });
  }

  /** Waits until a thread waits that has taken notice of all interrupts there were. */
  private static void awaitWait(Thread thread) {
    Fixtures.await(
        "a thread that waits",
        () -> !thread.isInterrupted() && thread.getState() == Thread.State.TIMED_WAITING);
  }

  /** Its thread may have died of an Error that it could not deal with. */
  @Test
  void whoeverFillsASlotAndNeverComesBackIsNotWaitedForForEver() {
    FillSignal signal = new FillSignal();
    assertFalse(signal.await(() -> false, 1));
    Thread.currentThread().interrupt();
    assertFalse(signal.await(() -> false, 1));
    assertTrue(Thread.interrupted(), "and an interrupt is not lost");
  }

  @Test
  void aWaitEndsWhenItHasBecomePointless() throws Exception {
    FillSignal signal = new FillSignal();
    AtomicBoolean closed = new AtomicBoolean();
    Thread waiter =
        new Thread(
            () -> {
              boolean ignored = signal.await(closed::get, TIMEOUT_NANOS);
            });
    waiter.start();
    awaitWaiting(waiter);
    closed.set(true);
    signal.signal();
    waiter.join(TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NANOS));
    assertFalse(waiter.isAlive());
  }
}
