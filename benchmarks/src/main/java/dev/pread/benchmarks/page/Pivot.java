/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The conditions of a metric with the numbers of threads (or depths of a queue) beside each other,
 * where there are several of them: as tables of this field are laid out, and as lines are plotted.
 *
 * @param name of the condition beside each other, or null
 * @param values of it, in order; a single null if there is none
 * @param groups the other conditions
 */
record Pivot(String name, List<String> values, List<Map<String, String>> groups) {
  private static final List<String> NAMES = List.of("threads", "depth");

  static Pivot of(Sheet sheet, Metric metric) {
    List<Map<String, String>> all = sheet.conditions(metric);
    for (String name : NAMES) {
      List<String> values =
          sheet.values(name).stream()
              .filter(value -> all.stream().anyMatch(one -> value.equals(one.get(name))))
              .toList();
      if (values.size() > 1) {
        List<Map<String, String>> rest = all.stream().map(one -> without(one, name)).toList();
        return new Pivot(name, values, sheet.inOrder(rest));
      }
    }
    return new Pivot(null, Stream.of((String) null).toList(), all);
  }

  private static Map<String, String> without(Map<String, String> conditions, String name) {
    Map<String, String> rest = new LinkedHashMap<>(conditions);
    rest.remove(name);
    return rest;
  }

  /** Whether there is a condition beside each other. */
  boolean exists() {
    return name != null;
  }

  /** All conditions of a group and a value. */
  Map<String, String> at(Map<String, String> group, String value) {
    if (!exists()) {
      return group;
    }
    Map<String, String> conditions = new LinkedHashMap<>(group);
    conditions.put(name, value);
    return conditions;
  }

  /** The conditions that differ between groups. */
  List<String> varying(Sheet sheet) {
    return sheet.varying().stream().filter(other -> !Objects.equals(other, name)).toList();
  }
}
