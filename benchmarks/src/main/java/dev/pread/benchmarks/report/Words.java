/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.machine.ByteSize;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes figures, metrics and conditions as people read them. */
final class Words {
  private Words() {}

  /** Writes three significant digits, and all digits before the point. */
  static String figure(double value) {
    if (Double.isInfinite(value)) {
      return "infinite";
    }
    boolean whole = Math.abs(value) >= 99.95 || value == Math.rint(value);
    return String.format(Locale.ROOT, whole ? "%,.0f" : "%.3g", value);
  }

  /** Writes a figure of a metric, without its unit unless that is scaled with it. */
  static String figure(Metric metric, double value) {
    return metric.unit().equals("bytes") ? ByteSize.format((long) value) : figure(value);
  }

  static String ratio(double ratio) {
    if (ratio >= 99.95) {
      return figure(ratio);
    }
    String format = ratio >= 9.995 ? "%.1f" : ratio < 0.0995 ? "%.3f" : "%.2f";
    return String.format(Locale.ROOT, format, ratio);
  }

  /** Writes conditions with their names, only those named. */
  static String conditions(Map<String, String> conditions, Collection<String> names) {
    return names.stream()
        .filter(conditions::containsKey)
        .map(name -> condition(name, conditions.get(name)))
        .collect(Collectors.joining(", "));
  }

  static String condition(String name, String value) {
    boolean isSize = name.equals("bytes") && value.matches("\\d{1,18}");
    return name + " " + (isSize ? ByteSize.format(Long.parseLong(value)) : value);
  }

  static String metric(Metric metric) {
    return metric.unit().isEmpty() ? metric.name() : metric.name() + ", " + metric.unit();
  }

  /** Returns the name and unit of a metric, and what is better. */
  static String title(Metric metric) {
    return metric(metric)
        + switch (metric.better()) {
          case HIGHER -> " (more is better)";
          case LOWER -> " (less is better)";
          case NEITHER -> "";
        };
  }
}
