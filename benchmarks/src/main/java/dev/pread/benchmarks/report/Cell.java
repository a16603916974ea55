/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.stat.StatUtils;

/**
 * One figure of one contender under one set of conditions, with every raw sample. Cells of the same
 * benchmark, conditions and metric are compared with each other. Unmodifiable.
 *
 * @param benchmark like {@code grid}
 * @param conditions by name, in the order reports show them, such as {@code regime=fits}, {@code
 *     threads=4}; the same names in all cells of a benchmark
 * @param contender who was measured
 * @param metric what was measured
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
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("no samples: " + benchmark + " " + conditions);
    }
    for (double sample : samples) {
      if (Double.isNaN(sample) || Double.isInfinite(sample)) {
        throw new IllegalArgumentException(
            sample + " is no figure: " + benchmark + " " + conditions + " " + contender.name());
      }
    }
  }

  /** What tells it from the other cells of a run. */
  public Object key() {
    return List.of(benchmark, conditions, contender, metric);
  }

  /** The middle sample, or the mean of the middle two. */
  public double median() {
    return StatUtils.percentile(samples.stream().mapToDouble(sample -> sample).toArray(), 50);
  }
}
