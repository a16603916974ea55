/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Recorder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Records the figures of one contender under the same conditions.
 *
 * @param recorder takes them
 * @param benchmark like {@code workloads}
 * @param conditions by name
 * @param contender who was measured
 */
public record Figures(
    Recorder recorder, String benchmark, Map<String, String> conditions, Contender contender) {

  /** Adds a sample. */
  public void add(Metric metric, double sample) throws IOException {
    recorder.add(new Cell(benchmark, conditions, contender, metric, List.of(sample)));
  }

  /** Adds what the kernel counted; -1 stands for what it does not tell, and adds nothing. */
  public void addKnown(Metric metric, long count) throws IOException {
    if (count >= 0) {
      add(metric, (double) count);
    }
  }

  /**
   * Adds the percentiles of latencies.
   *
   * @param latencies in nanoseconds
   * @param unit that they are shown in, {@code us} or {@code ms}
   */
  public void addLatencies(Histogram latencies, String unit) throws IOException {
    if (latencies.getTotalCount() > 0) {
      double nanos = unit.equals("us") ? 1e3 : 1e6;
      add(Metric.listedCost("p50", unit), latencies.getValueAtPercentile(50) / nanos);
      add(Metric.listedCost("p75", unit), latencies.getValueAtPercentile(75) / nanos);
      add(Metric.cost("p99", unit), latencies.getValueAtPercentile(99) / nanos);
      add(Metric.cost("p99.9", unit), latencies.getValueAtPercentile(99.9) / nanos);
      add(Metric.listedCost("p99.99", unit), latencies.getValueAtPercentile(99.99) / nanos);
      add(Metric.listedCost("max", unit), latencies.getMaxValue() / nanos);
    }
  }
}
