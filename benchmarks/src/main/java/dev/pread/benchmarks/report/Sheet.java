/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures and curves of one benchmark, in the order in which reports show them, which is not
 * that in which they were measured: contenders by role, conditions by their values. Where there are
 * several numbers of threads (or depths of a queue), these are the pivot: tables have them beside
 * each other, and plots draw lines along them.
 *
 * @param contenders ours first, then the others, then ceilings
 * @param figures by metric, those first that contenders are compared by
 */
record Sheet(
    String benchmark,
    List<Contender> contenders,
    @JsonIgnore Map<String, List<String>> values,
    List<MetricSheet> figures,
    List<Curve> curves) {
  private static final List<String> PIVOTS = List.of("threads", "depth");

  /** Returns a sheet for each benchmark of a run, in the order in which they were run. */
  static List<Sheet> of(Run run) {
    Set<String> names = new LinkedHashSet<>();
    run.cells().forEach(cell -> names.add(cell.benchmark()));
    run.curves().forEach(curve -> names.add(curve.benchmark()));
    return names.stream().map(name -> of(name, run)).toList();
  }

  private static Sheet of(String name, Run run) {
    List<Cell> cells = run.cells().stream().filter(one -> one.benchmark().equals(name)).toList();
    List<Curve> curves = run.curves().stream().filter(one -> one.benchmark().equals(name)).toList();
    List<Contender> contenders =
        Stream.concat(cells.stream().map(Cell::contender), curves.stream().map(Curve::contender))
            .distinct()
            .sorted(Comparator.comparing(Contender::role))
            .toList();
    Map<String, List<String>> values =
        values(
            Stream.concat(
                    cells.stream().map(Cell::conditions), curves.stream().map(Curve::conditions))
                .toList());
    Comparator<Map<String, String>> order = order(values);
    Map<Metric, List<Cell>> byMetric =
        cells.stream()
            .sorted(
                Comparator.comparing(Cell::conditions, order)
                    .thenComparingInt(cell -> contenders.indexOf(cell.contender())))
            .collect(Collectors.groupingBy(Cell::metric));
    Ceilings ceilings = Ceilings.of(run);
    List<MetricSheet> figures =
        cells.stream()
            .map(Cell::metric)
            .distinct()
            .sorted(Comparator.comparing(metric -> !metric.compared()))
            .map(metric -> MetricSheet.of(metric, byMetric.get(metric), contenders, ceilings))
            .toList();
    List<Curve> inOrder =
        curves.stream().sorted(Comparator.comparing(Curve::conditions, order)).toList();
    return new Sheet(name, contenders, values, figures, inOrder);
  }

  /** Sorts the values of each condition: numbers by their size, and names as they came up. */
  private static Map<String, List<String>> values(Collection<Map<String, String>> conditions) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (Map<String, String> one : conditions) {
      one.keySet().forEach(name -> values.putIfAbsent(name, List.of()));
    }
    values.replaceAll(
        (name, none) -> {
          List<String> some =
              conditions.stream()
                  .map(one -> one.get(name))
                  .filter(Objects::nonNull)
                  .distinct()
                  .toList();
          return some.stream().allMatch(Words::isCount)
              ? some.stream().sorted(Comparator.comparingLong(Long::parseLong)).toList()
              : some;
        });
    return values;
  }

  /** Compares conditions so that the first one changes least often. */
  private static Comparator<Map<String, String>> order(Map<String, List<String>> values) {
    Comparator<Map<String, String>> order = Comparator.comparingInt(one -> 0);
    for (Map.Entry<String, List<String>> entry : values.entrySet()) {
      order =
          order.thenComparingInt(
              one -> entry.getValue().indexOf(one.getOrDefault(entry.getKey(), "")));
    }
    return order;
  }

  /** Names the conditions that are not the same everywhere. */
  @JsonProperty
  List<String> varying() {
    return values.keySet().stream().filter(name -> values.get(name).size() > 1).toList();
  }

  /** Describes the conditions that are the same everywhere. */
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

  /**
   * Says what each value of each condition is called, without and with the name of the condition.
   */
  @JsonProperty
  Map<String, Map<String, List<String>>> words() {
    Map<String, Map<String, List<String>>> words = new LinkedHashMap<>();
    values.forEach(
        (name, some) -> {
          Map<String, List<String>> of = new LinkedHashMap<>();
          words.put(name, of);
          for (String value : some) {
            of.put(value, List.of(Words.value(name, value), Words.condition(name, value)));
          }
        });
    return words;
  }

  List<Duel> duels() {
    return figures.stream().flatMap(one -> one.duels().stream()).toList();
  }

  @JsonProperty
  Duel.Score score() {
    return Duel.Score.of(duels());
  }

  /** Describes the worst loss; empty if there is none. */
  @JsonProperty
  String worst() {
    return duels().stream()
        .filter(duel -> duel.outcome() == Duel.Outcome.LOST)
        .min(Comparator.comparingDouble(Duel::ratio))
        .map(duel -> duel.sentence(varying()))
        .orElse("");
  }
}
