/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Collects what one contender showed under some conditions, as it comes: a child sends it as JSON
 * to whoever knows the contender's name and records it. It is not thread-safe.
 */
public record Figures(Map<String, String> conditions, List<Sample> samples) {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING).build();

  public record Sample(Metric metric, double value) {}

  /** Begins with conditions that are the components of a record, and no samples. */
  public static Figures under(Record conditions) {
    return new Figures(map(conditions), new ArrayList<>());
  }

  /** Returns the components of a record by their names, in order. */
  public static Map<String, String> map(Record record) {
    return JSON.convertValue(record, new TypeReference<LinkedHashMap<String, String>>() {});
  }

  public void add(Metric metric, double value) {
    samples.add(new Sample(metric, value));
  }

  /** Adds what the kernel counted; -1 stands for what it does not tell, and adds nothing. */
  public void addKnown(Metric metric, long count) {
    if (count >= 0) {
      add(metric, (double) count);
    }
  }

  /** Adds the percentiles of latencies in nanoseconds, shown as {@code us} or {@code ms}. */
  public void addLatencies(Histogram latencies, String unit) {
    double nanos = unit.equals("us") ? 1e3 : 1e6;
    if (latencies.getTotalCount() > 0) {
      add(Metric.listedCost("p50", unit), latencies.getValueAtPercentile(50) / nanos);
      add(Metric.listedCost("p75", unit), latencies.getValueAtPercentile(75) / nanos);
      add(Metric.cost("p99", unit), latencies.getValueAtPercentile(99) / nanos);
      add(Metric.cost("p99.9", unit), latencies.getValueAtPercentile(99.9) / nanos);
      add(Metric.listedCost("p99.99", unit), latencies.getValueAtPercentile(99.99) / nanos);
      add(Metric.listedCost("max", unit), latencies.getMaxValue() / nanos);
    }
  }

  /** Adds how long all threads waited for something, of which there are nanoseconds. */
  public void addPauses(String what, Histogram pauses) {
    add(Metric.listedCost(what + " p50", "us"), pauses.getValueAtPercentile(50) / 1e3);
    add(Metric.cost(what + " p99", "us"), pauses.getValueAtPercentile(99) / 1e3);
    add(Metric.listedCost(what + " max", "us"), pauses.getMaxValue() / 1e3);
  }
}
