/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of one benchmark in the order of reports, whatever turns were taken: contenders by
 * role, and conditions by their values. Where there are several numbers of threads (or depths of a
 * queue), these are the pivot: tables have them beside each other, and plots draw lines along them.
 *
 * @param contenders ours first, then the others, then ceilings
 * @param values of each condition: numbers by their size, and names as they came up
 * @param figures by metric, those first that contenders are compared by
 */
record Sheet(
    String benchmark,
    List<Contender> contenders,
    Map<String, List<String>> values,
    List<MetricSheet> figures) {
  private static final List<String> PIVOTS = List.of("threads", "depth");

  /** All figures of one metric; each of ours duels with the best other. */
  record MetricSheet(
      Metric metric, List<Contender> contenders, List<Cell> cells, List<Duel> duels) {

    static MetricSheet of(Metric metric, List<Cell> cells, List<Contender> contenders) {
      List<Duel> duels = new ArrayList<>();
      cells.stream()
          .collect(Collectors.groupingBy(Cell::conditions, LinkedHashMap::new, Collectors.toList()))
          .forEach((where, here) -> duels.addAll(duels(metric, here)));
      List<Contender> shown = new ArrayList<>(contenders);
      shown.retainAll(cells.stream().map(Cell::contender).toList());
      return new MetricSheet(metric, shown, cells, duels);
    }

    private static List<Duel> duels(Metric metric, List<Cell> cells) {
      if (!metric.compared() || metric.better() == Metric.Better.NEITHER) {
        return List.of();
      }
      Comparator<Cell> order = Comparator.comparingDouble(Cell::median);
      return of(Contender.Role.OTHER, cells)
          .max(metric.better() == Metric.Better.LOWER ? order.reversed() : order)
          .map(best -> of(Contender.Role.OURS, cells).map(ours -> Duel.of(ours, best)).toList())
          .orElse(List.of());
    }

    private static Stream<Cell> of(Contender.Role role, List<Cell> cells) {
      return cells.stream().filter(one -> one.median() >= 0 && one.contender().role() == role);
    }

    Cell at(Map<String, String> where, Contender contender) {
      return cells.stream()
          .filter(one -> one.contender().equals(contender) && one.conditions().equals(where))
          .findFirst()
          .orElse(null);
    }

    @JsonProperty
    String title() {
      return Words.title(metric);
    }
  }

  /** Returns a sheet for each benchmark of a run, in the order in which they were run. */
  static List<Sheet> of(Run run) {
    return run.cells().stream().map(Cell::benchmark).distinct().map(name -> of(name, run)).toList();
  }

  private static Sheet of(String name, Run run) {
    List<Cell> cells = run.cells().stream().filter(one -> one.benchmark().equals(name)).toList();
    Map<String, List<String>> values = new LinkedHashMap<>();
    cells.stream()
        .map(Cell::conditions)
        .flatMap(where -> where.entrySet().stream())
        .distinct()
        .forEach(
            one ->
                values.computeIfAbsent(one.getKey(), key -> new ArrayList<>()).add(one.getValue()));
    values.values().stream()
        .filter(some -> some.stream().allMatch(value -> value.matches("\\d{1,18}")))
        .forEach(some -> some.sort(Comparator.comparingLong(Long::parseLong)));
    Comparator<Map<String, String>> order = Comparator.comparingInt(where -> 0);
    for (Map.Entry<String, List<String>> one : values.entrySet()) {
      order = order.thenComparingInt(where -> one.getValue().indexOf(where.get(one.getKey())));
    }
    List<Contender> contenders =
        cells.stream()
            .map(Cell::contender)
            .distinct()
            .sorted(Comparator.comparing(Contender::role))
            .toList();
    List<MetricSheet> figures = new ArrayList<>();
    cells.stream()
        .sorted(Comparator.comparing(Cell::conditions, order))
        .collect(Collectors.groupingBy(Cell::metric, LinkedHashMap::new, Collectors.toList()))
        .forEach((metric, some) -> figures.add(MetricSheet.of(metric, some, contenders)));
    figures.sort(Comparator.comparing(one -> !one.metric().compared()));
    return new Sheet(name, contenders, values, figures);
  }

  @JsonProperty
  List<String> varying() {
    return values.keySet().stream().filter(name -> values.get(name).size() > 1).toList();
  }

  @JsonProperty
  String common() {
    return values.entrySet().stream()
        .filter(one -> one.getValue().size() == 1)
        .map(one -> Words.condition(one.getKey(), one.getValue().get(0)))
        .collect(Collectors.joining(", "));
  }

  /** Names the condition whose values are beside each other, or null. */
  @JsonProperty
  String pivot() {
    return PIVOTS.stream().filter(varying()::contains).findFirst().orElse(null);
  }

  List<Duel> duels() {
    return figures.stream().flatMap(one -> one.duels().stream()).toList();
  }

  @JsonProperty
  Duel.Score score() {
    return Duel.Score.of(duels());
  }
}
