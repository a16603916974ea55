/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pread.benchmarks.machine.ByteSize;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes figures, metrics and conditions as people read them. */
final class Words {
  private static final long KIBI = 1024;

  private Words() {}

  /** Writes three significant digits, and all digits before the point. */
  static String figure(double value) {
    double size = Math.abs(value);
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return Double.isNaN(value) ? "-" : "infinite";
    }
    if (size >= 1e12 || (size < 1e-4 && size > 0)) {
      return format("%.2e", value);
    }
    return format(size >= 99.95 || value == Math.rint(value) ? "%,.0f" : "%.3g", value);
  }

  /** Writes a figure of a metric, without its unit unless that is scaled with it. */
  static String figure(Metric metric, double value) {
    return metric.unit().equals("bytes") ? ByteSize.format((long) value) : figure(value);
  }

  static String ratio(double ratio) {
    if (Double.isNaN(ratio) || Double.isInfinite(ratio) || ratio >= 99.95) {
      return figure(ratio);
    }
    return format(ratio >= 9.995 ? "%.1f" : ratio < 0.0995 ? "%.3f" : "%.2f", ratio);
  }

  /** The name and unit of a metric. */
  static String metric(Metric metric) {
    return metric.unit().isEmpty() ? metric.name() : metric.name() + ", " + metric.unit();
  }

  /** Writes a condition's value: sizes of whole KiB as such. */
  static String value(String name, String value) {
    if (name.toLowerCase(Locale.ROOT).contains("bytes") && isCount(value)) {
      long bytes = Long.parseLong(value);
      return bytes >= KIBI && bytes % KIBI == 0 ? ByteSize.format(bytes) : value + " B";
    }
    return value;
  }

  /** Writes conditions with their names, only those named. */
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

  /** The name and unit of a metric, and what is better. */
  static String title(Metric metric) {
    return metric(metric)
        + switch (metric.better()) {
          case HIGHER -> " (more is better)";
          case LOWER -> " (less is better)";
          case NEITHER -> "";
        };
  }

  /** Writes the facts about a run as text: maps within maps by joined names, sizes in units. */
  static Map<String, String> facts(Run.About about) {
    return facts(new JsonMapper().convertValue(about, Map.class));
  }

  private static Map<String, String> facts(Map<?, ?> facts) {
    Map<String, String> lines = new LinkedHashMap<>();
    facts.forEach(
        (key, value) -> {
          String name = String.valueOf(key);
          if (value instanceof Map<?, ?> map) {
            facts(map).forEach((inner, text) -> lines.put(name + "." + inner, text));
          } else if (value instanceof Collection<?> list) {
            lines.put(name, list.stream().map(String::valueOf).collect(Collectors.joining(" ")));
          } else if (value instanceof Number number && name.endsWith("Bytes")) {
            lines.put(name, ByteSize.format(number.longValue()));
          } else {
            lines.put(name, String.valueOf(value));
          }
        });
    return lines;
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
