/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * All figures of one metric in a benchmark.
 *
 * @param metric of all of them
 * @param contenders those that have a figure
 * @param cells by conditions and then by contenders
 * @param ceilings what some of them can reach at most
 * @param duels each of ours against the best other; none if this metric is not compared
 */
record MetricSheet(
    Metric metric,
    List<Contender> contenders,
    List<Estimate> cells,
    List<Ceiling> ceilings,
    List<Duel> duels) {

  /**
   * What all figures under some conditions can reach at most.
   *
   * @param conditions of them
   * @param ceiling of them
   */
  record Ceiling(Map<String, String> conditions, Ceilings.Share ceiling) {}

  static MetricSheet of(
      Metric metric, List<Estimate> cells, List<Contender> contenders, Ceilings ceilings) {
    List<Ceiling> most = new ArrayList<>();
    List<Duel> duels = new ArrayList<>();
    for (Map<String, String> where : conditions(cells)) {
      ceilings.share(metric, where).ifPresent(share -> most.add(new Ceiling(where, share)));
      if (metric.compared() && metric.better() != Metric.Better.NEITHER) {
        List<Estimate> here =
            cells.stream()
                .filter(one -> one.median() >= 0 && one.cell().conditions().equals(where))
                .toList();
        Comparator<Estimate> order = Comparator.comparingDouble(Estimate::median);
        here.stream()
            .filter(one -> one.cell().contender().role() == Contender.Role.OTHER)
            .max(metric.better() == Metric.Better.LOWER ? order.reversed() : order)
            .ifPresent(
                best ->
                    here.stream()
                        .filter(one -> one.cell().contender().role() == Contender.Role.OURS)
                        .forEach(ours -> duels.add(Duel.of(ours, best))));
      }
    }
    List<Contender> shown =
        contenders.stream()
            .filter(who -> cells.stream().anyMatch(one -> one.cell().contender().equals(who)))
            .toList();
    return new MetricSheet(metric, shown, cells, most, duels);
  }

  private static List<Map<String, String>> conditions(List<Estimate> cells) {
    return cells.stream().map(one -> one.cell().conditions()).distinct().toList();
  }

  /** A figure, or null. */
  Estimate at(Map<String, String> where, Contender contender) {
    return cells.stream()
        .filter(one -> one.cell().contender().equals(contender))
        .filter(one -> one.cell().conditions().equals(where))
        .findFirst()
        .orElse(null);
  }

  /** What it is, and what is better. */
  @JsonProperty
  String title() {
    return Words.metric(metric) + Words.direction(metric);
  }
}
