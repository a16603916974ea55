/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Metric;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures and conditions as people read them. */
final class Words {
  private static final List<String> BINARY = List.of("B", "KiB", "MiB", "GiB", "TiB");
  private static final double KIBI = 1024;

  private Words() {}

  /** About three significant digits, and all digits before the point. */
  static String figure(double value) {
    double size = Math.abs(value);
    if (Double.isNaN(value)) {
      return "-";
    }
    if (size >= 1e12 || (size < 1e-4 && size > 0)) {
      return Double.isInfinite(value) ? "infinite" : format("%.2e", value);
    }
    if (value == Math.rint(value)) {
      return format("%,.0f", value);
    }
    return format(size >= 99.95 ? "%,.0f" : size >= 9.995 ? "%.1f" : decimals(size), value);
  }

  private static String decimals(double size) {
    return size >= 0.9995 ? "%.2f" : size >= 0.0995 ? "%.3f" : size >= 0.00995 ? "%.4f" : "%.6f";
  }

  /** A figure of a metric, without its unit unless that is scaled with it. */
  static String figure(Metric metric, double value) {
    return metric.unit().equals("bytes") ? bytes(value) : figure(value);
  }

  static String bytes(double value) {
    int unit = 0;
    double scaled = value;
    while (Math.abs(scaled) >= KIBI && unit < BINARY.size() - 1) {
      scaled /= KIBI;
      unit++;
    }
    return figure(scaled) + " " + BINARY.get(unit);
  }

  static String ratio(double ratio) {
    if (Double.isNaN(ratio) || Double.isInfinite(ratio)) {
      return figure(ratio);
    }
    String format = ratio >= 9.995 ? "%.1f" : ratio < 0.0995 ? "%.3f" : "%.2f";
    return format(ratio >= 99.95 ? "%,.0f" : format, ratio);
  }

  /** The name and unit of a metric. */
  static String metric(Metric metric) {
    return metric.unit().isEmpty() ? metric.name() : metric.name() + ", " + metric.unit();
  }

  /** A condition's value: sizes of whole KiB as such. */
  static String value(String name, String value) {
    if (name.toLowerCase(Locale.ROOT).contains("bytes") && isCount(value)) {
      long bytes = Long.parseLong(value);
      return bytes >= KIBI && bytes % (long) KIBI == 0 ? bytes((double) bytes) : value + " B";
    }
    return value;
  }

  /** Conditions with their names, only those named. */
  static String conditions(Map<String, String> conditions, Collection<String> names) {
    return names.stream()
        .filter(conditions::containsKey)
        .map(name -> condition(name, conditions.get(name)))
        .collect(Collectors.joining(", "));
  }

  static String condition(String name, String value) {
    String text = value(name, value);
    if (isCount(value) && text.equals(value) && name.endsWith("s")) {
      return value + " " + (value.equals("1") ? name.substring(0, name.length() - 1) : name);
    }
    return text.endsWith("B") && !text.equals(value) ? text : name + " " + text;
  }

  static boolean isCount(String value) {
    return value.matches("[0-9]{1,18}");
  }

  /** What is better, for titles. */
  static String direction(Metric metric) {
    return switch (metric.better()) {
      case HIGHER -> " (more is better)";
      case LOWER -> " (less is better)";
      case NEITHER -> "";
    };
  }

  /** Facts about a run as lines: maps within maps by joined names, sizes in their own units. */
  static Map<String, String> facts(Map<String, Object> facts) {
    Map<String, String> lines = new LinkedHashMap<>();
    collect("", facts, lines);
    return lines;
  }

  private static void collect(String prefix, Map<?, ?> facts, Map<String, String> lines) {
    facts.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> map) {
            collect(prefix + name + ".", map, lines);
          } else {
            lines.put(prefix + name, fact(String.valueOf(name), value));
          }
        });
  }

  private static String fact(String name, Object value) {
    if (value instanceof Collection<?> list) {
      return list.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
    if (value instanceof Number number && name.endsWith("Bytes")) {
      return bytes(number.doubleValue());
    }
    return String.valueOf(value);
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
