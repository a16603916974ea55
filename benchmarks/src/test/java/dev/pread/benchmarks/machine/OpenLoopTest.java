/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What is due is asked, and waiting for one's turn counts. */
class OpenLoopTest {

  @Test
  void stallIsFeltByAllThatAreDueMeanwhile() throws Exception {
    long stallNanos = 300_000_000L;
    AtomicLong served = new AtomicLong();
    OpenLoop loop =
        new OpenLoop(
            1,
            Arrivals.even(1_000),
            number -> {
              served.incrementAndGet();
              if (number == 0) {
                long until = System.nanoTime() + stallNanos;
                while (System.nanoTime() < until) {
                  LockSupport.parkNanos(until - System.nanoTime());
                }
              }
            });
    OpenLoop.Detail outcome = loop.runInDetail(OpenLoop.End.after(0.1));
    // All were due in the first 100 ms, while the first took 300: a closed loop would show one.
    assertEquals(served.get(), outcome.latencies().getTotalCount());
    assertTrue(served.get() > 50 && served.get() <= 101, served + " served");
    assertTrue(outcome.latencies().getValueAtPercentile(50) >= 200_000_000, outcome.toString());
    assertEquals(0, outcome.unserved());
  }

  @Test
  void endMayComeFromOutside() throws Exception {
    OpenLoop.End end = new OpenLoop.End();
    CountDownLatch enough = new CountDownLatch(20);
    Thread ender =
        new Thread(
            () -> {
              try {
                enough.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              end.now();
            });
    ender.start();
    OpenLoop.Detail outcome =
        new OpenLoop(3, Arrivals.even(500), number -> enough.countDown()).runInDetail(end);
    ender.join();
    assertTrue(outcome.latencies().getTotalCount() >= 20, outcome.toString());
  }

  @Test
  void failureOfOneEndsAll() {
    OpenLoop loop =
        new OpenLoop(
            4,
            Arrivals.even(1_000),
            number -> {
              if (number == 7) {
                throw new IOException("the device is gone");
              }
            });
    IOException e = assertThrows(IOException.class, () -> loop.runInDetail(new OpenLoop.End()));
    assertEquals("the device is gone", e.getMessage());
  }
}
