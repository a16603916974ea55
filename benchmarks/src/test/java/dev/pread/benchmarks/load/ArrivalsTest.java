/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Poisson arrivals have the mean and the spread they are named after, and know of no service. */
class ArrivalsTest {
  private static final int SAMPLES = 200_000;

  private static double[] gaps(Arrivals arrivals) {
    double[] gaps = new double[SAMPLES];
    long before = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long now = arrivals.next();
      gaps[i] = now - before;
      before = now;
    }
    return gaps;
  }

  @Test
  void timesBetweenAreExponential() {
    double mean = 1e9 / 5_000;
    double[] gaps = gaps(Arrivals.poisson(5_000, 1));
    double sum = 0;
    double squares = 0;
    int beyondMean = 0;
    double neighbours = 0;
    for (int i = 0; i < SAMPLES; i++) {
      sum += gaps[i];
      squares += gaps[i] * gaps[i];
      beyondMean += gaps[i] > mean ? 1 : 0;
      neighbours += i == 0 ? 0 : (gaps[i] - mean) * (gaps[i - 1] - mean);
    }
    // The standard deviation of an exponential distribution is its mean, here to 1/450 of it.
    assertEquals(mean, sum / SAMPLES, mean / 100);
    double deviation = Math.sqrt(squares / SAMPLES - Math.pow(sum / SAMPLES, 2));
    assertEquals(mean, deviation, mean / 50);
    assertEquals(Math.exp(-1), beyondMean / (double) SAMPLES, 0.01);
    assertEquals(0, neighbours / SAMPLES / (mean * mean), 0.02, "no memory");
  }

  @Test
  void seedTellsThemAll() {
    Arrivals first = Arrivals.poisson(100, 7);
    Arrivals same = Arrivals.poisson(100, 7);
    Arrivals other = Arrivals.poisson(100, 8);
    long last = 0;
    for (int i = 0; i < 1_000; i++) {
      long next = first.next();
      assertTrue(next >= last);
      last = next;
      assertEquals(next, same.next());
      other.next();
    }
    assertNotEquals(first.origin(), other.origin());
    assertEquals(first.origin(), first.next());
  }

  /** Of a closed loop, a slow server would be asked less. */
  @Test
  void slowServiceIsAskedJustAsOften() throws Exception {
    long[] asked = new long[2];
    for (int i = 0; i < 2; i++) {
      long serviceNanos = i * 4_000_000L;
      OpenLoop loop =
          new OpenLoop(
              2,
              Arrivals.poisson(1_000, 3),
              number -> {
                long until = System.nanoTime() + serviceNanos;
                while (System.nanoTime() < until) {
                  LockSupport.parkNanos(until - System.nanoTime());
                }
              });
      OpenLoop.Detail detail = loop.runInDetail(OpenLoop.End.after(0.2));
      asked[i] = detail.latencies().getTotalCount();
      assertEquals(0, detail.unserved());
      if (i == 1) {
        // 200 requests of 4 ms by two threads: the queue at the end is twice as long as the time.
        assertTrue(detail.latencies().getMaxValue() > 100_000_000L, "waiting counts");
      }
    }
    Arrivals arrivals = Arrivals.poisson(1_000, 3);
    long due = 0;
    while (arrivals.next() < 190_000_000L) {
      due++;
    }
    assertTrue(Math.abs(asked[0] - asked[1]) <= 25, asked[0] + " and " + asked[1]);
    assertTrue(asked[1] >= due && asked[0] >= due, asked[0] + ", " + asked[1] + " of " + due);
  }

  @Test
  void evenOnesAreRegular() {
    Arrivals arrivals = Arrivals.even(1_000);
    assertEquals(0, arrivals.next());
    assertEquals(1_000_000, arrivals.next());
    assertEquals(2_000_000, arrivals.origin());
    assertEquals(2_000_000, arrivals.next());
  }

  @Test
  void rateMustBeOne() {
    assertThrows(IllegalArgumentException.class, () -> Arrivals.poisson(0, 1));
    assertThrows(IllegalArgumentException.class, () -> Arrivals.even(Double.NaN));
  }
}
