/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * All figures of one metric in a benchmark. Where there are several numbers of threads (or depths
 * of a queue), these are the pivot: tables have them beside each other, and plots draw lines along
 * them. Unmodifiable.
 */
final class Figures {
  private static final List<String> PIVOTS = List.of("threads", "depth");

  private final Sheet sheet;
  private final Metric metric;
  private final Map<List<Object>, Estimate> cells = new LinkedHashMap<>();
  private final List<Map<String, String>> conditions;
  private final String pivot;

  Figures(Sheet sheet, Metric metric, List<Estimate> estimates) {
    this.sheet = sheet;
    this.metric = metric;
    for (Estimate one : estimates) {
      cells.putIfAbsent(List.of(one.cell().conditions(), one.cell().contender()), one);
    }
    conditions = sheet.inOrder(estimates.stream().map(one -> one.cell().conditions()).toList());
    pivot = PIVOTS.stream().filter(name -> values(name).count() > 1).findFirst().orElse(null);
  }

  private Stream<String> values(String name) {
    return sheet.values().getOrDefault(name, List.of()).stream()
        .filter(value -> conditions.stream().anyMatch(one -> value.equals(one.get(name))));
  }

  Metric metric() {
    return metric;
  }

  /** Those that have a figure. */
  List<Contender> contenders() {
    return sheet.contenders().stream()
        .filter(
            one -> cells.values().stream().anyMatch(cell -> cell.cell().contender().equals(one)))
        .toList();
  }

  /** All conditions under which there are figures, in order. */
  List<Map<String, String>> conditions() {
    return conditions;
  }

  /** All figures, by conditions and then by contenders. */
  List<Estimate> all() {
    return conditions.stream()
        .flatMap(one -> sheet.contenders().stream().map(contender -> at(one, contender)))
        .filter(Objects::nonNull)
        .toList();
  }

  /** A figure, or null. */
  Estimate at(Map<String, String> where, Contender contender) {
    return cells.get(List.of(where, contender));
  }

  /** The name of the condition that is beside each other, or null. */
  String pivot() {
    return pivot;
  }

  /** The values of the pivot; a single null if there is none. */
  List<String> pivotValues() {
    return pivot == null ? Stream.of((String) null).toList() : values(pivot).toList();
  }

  /** The conditions without the pivot. */
  List<Map<String, String>> groups() {
    List<Map<String, String>> groups = new ArrayList<>();
    for (Map<String, String> one : conditions) {
      Map<String, String> group = new LinkedHashMap<>(one);
      group.remove(pivot);
      groups.add(group);
    }
    return sheet.inOrder(groups);
  }

  /** All conditions of a group and a value of the pivot. */
  Map<String, String> with(Map<String, String> group, String value) {
    Map<String, String> all = new LinkedHashMap<>(group);
    if (pivot != null) {
      all.put(pivot, value);
    }
    return all;
  }

  /** The names of the conditions that differ between groups. */
  List<String> varying() {
    return sheet.varying().stream().filter(name -> !name.equals(pivot)).toList();
  }

  /** The best figure of a role, or of all but ceilings if the role is null; or null. */
  Estimate best(Map<String, String> where, Contender.Role role) {
    Comparator<Estimate> order = Comparator.comparingDouble(Estimate::median);
    return sheet.contenders().stream()
        .filter(one -> role == null ? one.role() != Contender.Role.CEILING : one.role() == role)
        .map(contender -> at(where, contender))
        .filter(Objects::nonNull)
        .max(metric.better() == Metric.Better.LOWER ? order.reversed() : order)
        .orElse(null);
  }

  /** Each of ours against the best other; none if this metric is not compared. */
  List<Duel> duels() {
    List<Duel> duels = new ArrayList<>();
    if (metric.compared() && metric.better() != Metric.Better.NEITHER) {
      for (Map<String, String> where : conditions) {
        Estimate other = best(where, Contender.Role.OTHER);
        for (Contender contender : sheet.contenders()) {
          Estimate ours = at(where, contender);
          if (contender.role() == Contender.Role.OURS
              && ours != null
              && other != null
              && ours.median() >= 0
              && other.median() >= 0) {
            duels.add(Duel.of(ours, other));
          }
        }
      }
    }
    return duels;
  }
}
