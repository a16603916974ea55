/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * A cell's samples in short. The interval is that of Student's t around the mean, as JMH has it: it
 * takes samples for independent, which iterations of one process are not quite.
 *
 * @param cell with the samples
 * @param median what tables show, and ratios are made of
 * @param mean the centre of the interval
 * @param half of the width of the 95 % confidence interval; not a number with fewer than 2 samples
 */
record Estimate(
    @JsonUnwrapped @JsonIgnoreProperties({"benchmark", "metric"}) Cell cell,
    double median,
    double mean,
    double half) {

  /** The confidence of all intervals in reports. */
  static final double CONFIDENCE = 0.95;

  /** Finding a quantile takes long, and a page needs the same few a thousand times. */
  private static final Map<Double, Double> QUANTILES = new ConcurrentHashMap<>();

  static Estimate of(Cell cell) {
    double[] samples = samples(cell);
    double error = Math.sqrt(StatUtils.variance(samples) / samples.length);
    double half = samples.length < 2 ? Double.NaN : quantile(samples.length - 1.0) * error;
    return new Estimate(cell, cell.median(), StatUtils.mean(samples), half);
  }

  static double[] samples(Cell cell) {
    return cell.samples().stream().mapToDouble(sample -> sample).toArray();
  }

  /** Student's t below which all but the upper half of the error lies. */
  static double quantile(double degreesOfFreedom) {
    return QUANTILES.computeIfAbsent(
        degreesOfFreedom,
        freedom -> new TDistribution(null, freedom).inverseCumulativeProbability(0.975));
  }
}
