/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.commons.math3.stat.StatUtils;
import org.junit.jupiter.api.Test;

/** Poisson arrivals have the mean and the spread they are named after. */
class ArrivalsTest {
  private static final int SAMPLES = 200_000;

  @Test
  void timesBetweenAreExponential() {
    Arrivals arrivals = Arrivals.poisson(5_000, 1);
    double[] gaps = new double[SAMPLES];
    long before = arrivals.next();
    for (int i = 0; i < SAMPLES; i++) {
      long now = arrivals.next();
      gaps[i] = now - before;
      before = now;
    }
    // The standard deviation of an exponential distribution is its mean, here to 1/450 of it.
    double mean = 1e9 / 5_000;
    assertEquals(mean, StatUtils.mean(gaps), mean / 100);
    assertEquals(mean, Math.sqrt(StatUtils.variance(gaps)), mean / 50);
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
