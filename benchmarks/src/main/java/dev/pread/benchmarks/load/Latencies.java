/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import org.HdrHistogram.Histogram;

/**
 * How long requests took, in nanoseconds, to three digits.
 *
 * @param count of requests
 * @param p50 the median
 * @param p99 99th percentile
 * @param p999 99.9th percentile
 * @param max the longest
 */
public record Latencies(long count, double p50, double p99, double p999, double max) {
  private static final int DIGITS = 3;

  /** An empty histogram that grows as it has to; one thread. */
  public static Histogram histogram() {
    return new Histogram(DIGITS);
  }

  public static Latencies of(Iterable<Histogram> histograms) {
    Histogram sum = histogram();
    histograms.forEach(sum::add);
    return new Latencies(
        sum.getTotalCount(),
        sum.getValueAtPercentile(50),
        sum.getValueAtPercentile(99),
        sum.getValueAtPercentile(99.9),
        sum.getMaxValue());
  }
}
