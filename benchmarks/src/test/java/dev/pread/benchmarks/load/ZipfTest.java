/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The distribution of samples against the exact one, by Pearson's test. The seed is fixed. */
class ZipfTest {
  private static final int SAMPLES = 2_000_000;

  /** So many standard deviations of chi-square above its mean come about once in 30 000 seeds. */
  private static final double DEVIATIONS = 4;

  @ParameterizedTest
  @CsvSource({
    "1, 0.99",
    "2, 0.99",
    "3, 1",
    "100, 0.2",
    "100, 0.99",
    "100, 1",
    "1000, 0.999999999",
    "1000, 1.5",
    "1000, 3",
    "100000, 0.99",
    "10000000, 0.99",
    "10000000, 1.2"
  })
  void samplesHaveTheExactDistribution(int n, double s) {
    // The first ranks each by itself, the others in intervals that double.
    int[] ends = ends(n);
    double[] expected = new double[ends.length];
    int cell = 0;
    double sum = 0;
    for (int rank = 1; rank <= n; rank++) {
      cell += rank > ends[cell] ? 1 : 0;
      double weight = Math.pow(rank, -s);
      expected[cell] += weight;
      sum += weight;
    }
    long[] seen = new long[ends.length];
    Zipf zipf = new Zipf(n, s);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < SAMPLES; i++) {
      long rank = zipf.next(random);
      assertTrue(rank >= 1 && rank <= n, "rank " + rank);
      int index = Arrays.binarySearch(ends, (int) rank);
      seen[index < 0 ? -index - 1 : index]++;
    }
    double chiSquare = 0;
    int used = 0;
    for (int i = 0; i < ends.length; i++) {
      double mean = expected[i] / sum * SAMPLES;
      if (mean >= 5) {
        chiSquare += (seen[i] - mean) * (seen[i] - mean) / mean;
        used++;
      }
    }
    double freedom = used - 1;
    assertTrue(
        chiSquare <= freedom + DEVIATIONS * Math.sqrt(2 * freedom),
        "chi-square " + chiSquare + " with " + freedom + " degrees of freedom");
  }

  private static int[] ends(int n) {
    int[] ends = new int[200];
    int count = 0;
    long end = 0;
    while (end < n) {
      end = end < 100 ? end + 1 : end * 2;
      ends[count++] = (int) Math.min(n, end);
    }
    return Arrays.copyOf(ends, count);
  }

  @Test
  void oneOfTheTailComesToo() {
    Zipf zipf = new Zipf(10_000_000, 0.99);
    SplittableRandom random = new SplittableRandom(2);
    long largest = 0;
    for (int i = 0; i < 100_000; i++) {
      largest = Math.max(largest, zipf.next(random));
    }
    assertTrue(largest > 9_900_000, "largest " + largest);
  }

  @Test
  void senselessArgumentsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Zipf(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new Zipf(10, 0));
    assertThrows(IllegalArgumentException.class, () -> new Zipf(10, Double.NaN));
    assertEquals(1, new Zipf(1, 2).next(new SplittableRandom(3)));
  }
}
