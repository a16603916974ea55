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
 * All figures of one metric in a benchmark.
 *
 * @param cells by conditions and then by contenders
 * @param ceilings what some of them can reach at most
 * @param duels each of ours against the best other; none if this metric is not compared
 */
record MetricSheet(
    Metric metric,
    List<Contender> contenders,
    List<Cell> cells,
    List<Ceiling> ceilings,
    List<Duel> duels) {

  /** What all figures under some conditions can reach at most. */
  record Ceiling(Map<String, String> conditions, Ceilings.Share ceiling) {}

  /**
   * @param cells in order
   * @param contenders of the benchmark, in order
   */
  static MetricSheet of(
      Metric metric, List<Cell> cells, List<Contender> contenders, Ceilings ceilings) {
    List<Ceiling> most = new ArrayList<>();
    List<Duel> duels = new ArrayList<>();
    cells.stream()
        .collect(Collectors.groupingBy(Cell::conditions, LinkedHashMap::new, Collectors.toList()))
        .forEach(
            (where, here) -> {
              ceilings.share(metric, where).ifPresent(share -> most.add(new Ceiling(where, share)));
              duels.addAll(duels(metric, here));
            });
    List<Contender> shown =
        contenders.stream()
            .filter(who -> cells.stream().anyMatch(cell -> cell.contender().equals(who)))
            .toList();
    return new MetricSheet(metric, shown, cells, most, duels);
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
