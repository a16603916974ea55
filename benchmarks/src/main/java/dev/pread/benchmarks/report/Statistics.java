/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Arrays;

/** The two averages that suit figures of unequal size and noisy rounds. */
public final class Statistics {
  private Statistics() {}

  /** The middle value, or the mean of the middle two; not a number if there is none. */
  public static double median(double[] values) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The geometric mean, the one that fits ratios; not a number if there is none. */
  public static double geometricMean(double[] values) {
    double logs = 0;
    for (double value : values) {
      logs += Math.log(value);
    }
    return values.length == 0 ? Double.NaN : Math.exp(logs / values.length);
  }
}
