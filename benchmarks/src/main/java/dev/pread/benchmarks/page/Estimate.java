/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;

/**
 * A cell's samples in short. The interval is that of Student's t around the mean, as JMH has it: it
 * takes samples for independent, which iterations of one process are not quite.
 *
 * @param n number of samples
 * @param median what tables show, and ratios are made of
 * @param mean the centre of the interval
 * @param half of the width of the 95 % confidence interval; not a number with fewer than 2 samples
 */
record Estimate(int n, double median, double mean, double half) {

  /** Of the confidence intervals of this package. */
  static final double CONFIDENCE = 0.95;

  private static final int USUAL = 64;

  /** Finding one takes long enough to be seen, and a page needs the same few a thousand times. */
  private static final double[] QUANTILES =
      IntStream.range(0, USUAL).mapToDouble(n -> n == 0 ? Double.NaN : computed(n)).toArray();

  static Estimate of(List<Double> samples) {
    DescriptiveStatistics statistics = new DescriptiveStatistics();
    samples.forEach(statistics::addValue);
    int n = samples.size();
    double half =
        n < 2 ? Double.NaN : quantile(n - 1) * statistics.getStandardDeviation() / Math.sqrt(n);
    return new Estimate(n, statistics.getPercentile(50), statistics.getMean(), half);
  }

  /** Student's t below which all but the upper half of the error lies. */
  static double quantile(double degreesOfFreedom) {
    int whole = (int) degreesOfFreedom;
    return whole == degreesOfFreedom && whole < USUAL
        ? QUANTILES[whole]
        : computed(degreesOfFreedom);
  }

  private static double computed(double degreesOfFreedom) {
    return new TDistribution(null, degreesOfFreedom)
        .inverseCumulativeProbability((1 + CONFIDENCE) / 2);
  }

  /** Whether there is an interval. */
  boolean hasInterval() {
    return !Double.isNaN(half);
  }

  double low() {
    return mean - half;
  }

  double high() {
    return mean + half;
  }

  /** Whether both intervals share a figure; false if there is none. */
  boolean overlaps(Estimate other) {
    return low() <= other.high() && other.low() <= high();
  }
}
