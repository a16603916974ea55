/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The figures and curves of one benchmark, in the order in which reports show them, which is not
 * that in which they were measured: contenders by role, conditions by their values.
 *
 * @param benchmark the name
 * @param contenders ours first, then the others, then ceilings
 * @param values the values of each condition
 * @param figures by metric, those first that contenders are compared by
 * @param curves as they were recorded
 */
record Sheet(
    String benchmark,
    List<Contender> contenders,
    Map<String, List<String>> values,
    List<Figures> figures,
    List<Curve> curves) {

  /** One for each benchmark of a run, in the order in which they were run. */
  static List<Sheet> of(Run run) {
    Set<String> names = new LinkedHashSet<>();
    run.cells().forEach(cell -> names.add(cell.benchmark()));
    run.curves().forEach(curve -> names.add(curve.benchmark()));
    return names.stream().map(name -> of(name, run)).toList();
  }

  private static Sheet of(String name, Run run) {
    Map<Metric, List<Estimate>> byMetric = new LinkedHashMap<>();
    Set<Contender> contenders = new LinkedHashSet<>();
    Map<String, List<String>> values = new LinkedHashMap<>();
    run.cells().stream()
        .filter(cell -> cell.benchmark().equals(name))
        .forEach(
            cell -> {
              byMetric
                  .computeIfAbsent(cell.metric(), metric -> new ArrayList<>())
                  .add(Estimate.of(cell));
              contenders.add(cell.contender());
              collect(cell.conditions(), values);
            });
    List<Curve> curves =
        run.curves().stream().filter(curve -> curve.benchmark().equals(name)).toList();
    for (Curve curve : curves) {
      contenders.add(curve.contender());
      collect(curve.conditions(), values);
    }
    values.values().forEach(Sheet::sort);
    List<Figures> figures = new ArrayList<>();
    Sheet sheet =
        new Sheet(
            name,
            contenders.stream().sorted(Comparator.comparing(Contender::role)).toList(),
            values,
            figures,
            curves);
    byMetric.forEach((metric, estimates) -> figures.add(new Figures(sheet, metric, estimates)));
    figures.sort(Comparator.comparing(one -> !one.metric().compared()));
    return sheet;
  }

  private static void collect(Map<String, String> conditions, Map<String, List<String>> values) {
    conditions.forEach(
        (name, value) -> {
          List<String> known = values.computeIfAbsent(name, unknown -> new ArrayList<>());
          if (!known.contains(value)) {
            known.add(value);
          }
        });
  }

  /** Numbers are sorted by their size; names stay as they came up. */
  private static void sort(List<String> values) {
    if (values.stream().allMatch(Words::isCount)) {
      values.sort(Comparator.comparingLong(Long::parseLong));
    }
  }

  /** The conditions that are not the same everywhere. */
  List<String> varying() {
    return values.keySet().stream().filter(name -> values.get(name).size() > 1).toList();
  }

  /** The conditions that are the same everywhere, in words. */
  String common() {
    return values.entrySet().stream()
        .filter(one -> one.getValue().size() == 1)
        .map(one -> Words.condition(one.getKey(), one.getValue().get(0)))
        .collect(Collectors.joining(", "));
  }

  /** Returns conditions without repetitions, sorted: the first one changes least often. */
  List<Map<String, String>> inOrder(Collection<Map<String, String>> conditions) {
    Comparator<Map<String, String>> order = Comparator.comparingInt(one -> 0);
    for (Map.Entry<String, List<String>> entry : values.entrySet()) {
      order =
          order.thenComparingInt(
              one -> entry.getValue().indexOf(one.getOrDefault(entry.getKey(), "")));
    }
    return conditions.stream().distinct().sorted(order).toList();
  }

  /** All duels of all metrics. */
  List<Duel> duels() {
    return figures.stream().flatMap(one -> one.duels().stream()).toList();
  }
}
