/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is due is asked, and waiting for one's turn counts. */
class LoadTest {
  @Test
  void stallIsFeltByAllThatAreDueMeanwhile() throws Exception {
    long stallNanos = 300_000_000L;
    AtomicLong served = new AtomicLong();
    Load.Request request =
        number -> {
          served.incrementAndGet();
          long until = System.nanoTime() + (number == 0 ? stallNanos : 0);
          while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
          }
        };
    Histogram latencies = Load.open(1, Load.even(1_000), Load.End.after(0.1), request);
    // All were due in the first 100 ms, while the first took 300: a closed loop would show one.
    assertEquals(served.get(), latencies.getTotalCount());
    assertTrue(served.get() > 50 && served.get() <= 101, served + " served");
    assertTrue(latencies.getValueAtPercentile(50) >= 200_000_000, latencies.toString());
  }

  @Test
  void failureOfOneEndsAll() {
    Load.Request failing =
        number -> {
          if (number == 7) {
            throw new IOException("the device is gone");
          }
        };
    Executable open = () -> Load.open(4, Load.even(1_000), new Load.End(), failing);
    Executable closed = () -> Load.closed(4, number -> true, failing);
    for (Executable load : List.of(open, closed)) {
      assertEquals("the device is gone", assertThrows(IOException.class, load).getMessage());
    }
  }
}
