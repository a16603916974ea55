/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Holds one figure of one contender under one set of conditions, with every raw sample. Cells of
 * the same benchmark, conditions and metric are compared with each other. A cell is unmodifiable.
 *
 * @param benchmark like {@code grid}
 * @param conditions by name, in the order reports show them, such as {@code regime=fits}, {@code
 *     threads=4}; the same names in all cells of a benchmark
 * @param samples one for each round, iteration or run, in order; never empty
 */
public record Cell(
    String benchmark,
    Map<String, String> conditions,
    Contender contender,
    Metric metric,
    List<Double> samples) {

  /** Takes copies, since rounds use their maps again, and refuses what could not be shown. */
  public Cell {
    conditions = Collections.unmodifiableMap(new LinkedHashMap<>(conditions));
    samples = List.copyOf(samples);
    if (samples.isEmpty() || !samples.stream().allMatch(Double::isFinite)) {
      throw new IllegalArgumentException(
          samples + " are no figures: " + benchmark + " " + conditions + " " + contender.name());
    }
  }

  double[] figures() {
    return samples.stream().mapToDouble(sample -> sample).toArray();
  }

  /** Returns the middle sample, or the mean of the middle two. */
  public double median() {
    return StatUtils.percentile(figures(), 50);
  }

  double mean() {
    return StatUtils.mean(figures());
  }

  /**
   * Returns half of the width of the 95 % confidence interval; not a number with fewer than 2
   * samples. It is that of Student's t around the mean, as JMH has it: it takes samples for
   * independent, which iterations of one process are not quite.
   */
  double half() {
    int count = samples.size();
    return count < 2
        ? Double.NaN
        : new TDistribution(null, count - 1.0).inverseCumulativeProbability(0.975)
            * Math.sqrt(StatUtils.variance(figures()) / count);
  }
}
