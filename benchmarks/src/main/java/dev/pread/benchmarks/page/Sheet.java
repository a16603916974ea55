/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cells and curves of one benchmark, in the order in which reports show them, which is not that
 * in which they were measured: contenders by role, conditions by their values. Unmodifiable.
 */
final class Sheet {
  private final String benchmark;
  private final Map<Key, Cell> cells = new LinkedHashMap<>();
  private final Map<Key, Estimate> estimates = new LinkedHashMap<>();
  private final List<Curve> curves = new ArrayList<>();
  private final Map<String, List<String>> values = new LinkedHashMap<>();
  private final List<Contender> contenders = new ArrayList<>();
  private final Map<Metric, Set<Contender>> byMetric = new LinkedHashMap<>();

  private record Key(Metric metric, Map<String, String> conditions, Contender contender) {}

  private Sheet(String benchmark, Collection<Cell> cells, Collection<Curve> curves) {
    this.benchmark = benchmark;
    Set<Contender> all = new LinkedHashSet<>();
    for (Cell cell : cells) {
      Key key = new Key(cell.metric(), cell.conditions(), cell.contender());
      if (this.cells.putIfAbsent(key, cell) == null) {
        estimates.put(key, Estimate.of(cell.samples()));
      }
      all.add(cell.contender());
      byMetric.computeIfAbsent(cell.metric(), metric -> new HashSet<>()).add(cell.contender());
      collect(cell.conditions());
    }
    for (Curve curve : curves) {
      this.curves.add(curve);
      all.add(curve.contender());
      collect(curve.conditions());
    }
    contenders.addAll(all);
    contenders.sort(Comparator.comparing(Contender::role));
    values.values().forEach(Sheet::sort);
  }

  /** One for each benchmark of a run, in the order in which they were run. */
  static List<Sheet> of(Run run) {
    Set<String> names = new LinkedHashSet<>();
    run.cells().forEach(cell -> names.add(cell.benchmark()));
    run.curves().forEach(curve -> names.add(curve.benchmark()));
    return names.stream()
        .map(
            name ->
                new Sheet(
                    name,
                    run.cells().stream().filter(cell -> cell.benchmark().equals(name)).toList(),
                    run.curves().stream().filter(curve -> curve.benchmark().equals(name)).toList()))
        .toList();
  }

  private void collect(Map<String, String> conditions) {
    conditions.forEach(
        (name, value) -> {
          List<String> known = values.computeIfAbsent(name, unknown -> new ArrayList<>());
          if (!known.contains(value)) {
            known.add(value);
          }
        });
  }

  /** Numbers by their size; names stay as they came up. */
  private static void sort(List<String> values) {
    if (values.stream().allMatch(Sheet::isCount)) {
      values.sort(Comparator.comparingLong(Long::parseLong));
    }
  }

  static boolean isCount(String value) {
    return value.matches("[0-9]{1,18}");
  }

  String benchmark() {
    return benchmark;
  }

  /** Ours first, then the others, then ceilings. */
  List<Contender> contenders() {
    return Collections.unmodifiableList(contenders);
  }

  /** Those that have a figure of this metric. */
  List<Contender> contenders(Metric metric) {
    Set<Contender> present = byMetric.getOrDefault(metric, Set.of());
    return contenders.stream().filter(present::contains).toList();
  }

  /** Those that contenders are compared by, then the others, as they came up. */
  List<Metric> metrics() {
    return cells.keySet().stream()
        .map(Key::metric)
        .distinct()
        .sorted(Comparator.comparing((Metric metric) -> !metric.compared()))
        .toList();
  }

  /** The values of a condition; none if there is no such condition. */
  List<String> values(String condition) {
    return Collections.unmodifiableList(values.getOrDefault(condition, List.of()));
  }

  /** The conditions that are not the same everywhere. */
  List<String> varying() {
    return values.keySet().stream().filter(name -> values.get(name).size() > 1).toList();
  }

  /** The conditions that are the same everywhere. */
  Map<String, String> common() {
    Map<String, String> common = new LinkedHashMap<>();
    values.forEach(
        (name, all) -> {
          if (all.size() == 1) {
            common.put(name, all.get(0));
          }
        });
    return common;
  }

  /** The conditions under which there are figures of a metric. */
  List<Map<String, String>> conditions(Metric metric) {
    return inOrder(
        cells.keySet().stream()
            .filter(key -> key.metric().equals(metric))
            .map(Key::conditions)
            .toList());
  }

  /** Without repetitions, and by values: the first condition changes least often. */
  List<Map<String, String>> inOrder(Collection<Map<String, String>> conditions) {
    Comparator<Map<String, String>> order = Comparator.comparingInt(one -> 0);
    for (Map.Entry<String, List<String>> entry : values.entrySet()) {
      order =
          order.thenComparingInt(
              one -> entry.getValue().indexOf(one.getOrDefault(entry.getKey(), "")));
    }
    return conditions.stream().distinct().sorted(order).toList();
  }

  /** A cell, or null. */
  Cell cell(Metric metric, Map<String, String> conditions, Contender contender) {
    return cells.get(new Key(metric, conditions, contender));
  }

  /** A cell in short, or null. */
  Estimate estimate(Metric metric, Map<String, String> conditions, Contender contender) {
    return estimates.get(new Key(metric, conditions, contender));
  }

  /** How many samples cells of a metric have: one number if all have the same. */
  List<Integer> sampleNumbers(Metric metric) {
    return estimates.keySet().stream()
        .filter(key -> key.metric().equals(metric))
        .map(key -> estimates.get(key).n())
        .distinct()
        .toList();
  }

  List<Curve> curves() {
    return Collections.unmodifiableList(curves);
  }

  int size() {
    return cells.size();
  }
}
