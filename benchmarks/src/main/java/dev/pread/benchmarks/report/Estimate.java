/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Cell;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;

/**
 * A cell's samples in short. The interval is that of Student's t around the mean, as JMH has it: it
 * takes samples for independent, which iterations of one process are not quite.
 *
 * @param cell with the samples
 * @param median what tables show, and ratios are made of
 * @param mean the centre of the interval
 * @param half of the width of the 95 % confidence interval; not a number with fewer than 2 samples
 */
record Estimate(Cell cell, double median, double mean, double half) {

  /** The confidence of all intervals in reports. */
  static final double CONFIDENCE = 0.95;

  /** Finding a quantile takes long, and a page needs the same few a thousand times. */
  private static final Map<Double, Double> QUANTILES = new ConcurrentHashMap<>();

  static Estimate of(Cell cell) {
    DescriptiveStatistics samples = new DescriptiveStatistics();
    cell.samples().forEach(samples::addValue);
    long n = samples.getN();
    double half =
        n < 2
            ? Double.NaN
            : quantile(n - 1.0) * samples.getStandardDeviation() / Math.sqrt((double) n);
    return new Estimate(cell, cell.median(), samples.getMean(), half);
  }

  /** Student's t below which all but the upper half of the error lies. */
  static double quantile(double degreesOfFreedom) {
    return QUANTILES.computeIfAbsent(
        degreesOfFreedom,
        freedom -> new TDistribution(null, freedom).inverseCumulativeProbability(0.975));
  }

  /** Whether there is an interval. */
  boolean hasInterval() {
    return !Double.isNaN(half);
  }

  /** Whether both intervals share a figure; false if there is none. */
  boolean overlaps(Estimate other) {
    return mean - half <= other.mean + other.half && other.mean - other.half <= mean + half;
  }
}
