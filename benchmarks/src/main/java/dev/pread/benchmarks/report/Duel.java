/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Metric;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One of ours against the best of the others under the same conditions.
 *
 * @param ours the figure of ours
 * @param other the figure of the best of the others
 * @param ratio of the medians, turned so that above 1 ours is the better one; infinite if the worse
 *     figure is infinitely worse
 * @param outcome won or lost, or level if the confidence intervals overlap
 */
record Duel(Estimate ours, Estimate other, double ratio, Outcome outcome) {

  /** Who won. */
  enum Outcome {
    WON,
    LEVEL,
    LOST
  }

  static Duel of(Estimate ours, Estimate other) {
    boolean higher = ours.cell().metric().better() == Metric.Better.HIGHER;
    double ratio =
        ours.median() == other.median()
            ? 1
            : higher ? ours.median() / other.median() : other.median() / ours.median();
    boolean betterMean = (ours.mean() > other.mean()) == higher;
    boolean hasIntervals = ours.hasInterval() && other.hasInterval();
    // A few outliers can put the means the other way round than the medians.
    boolean unclear = hasIntervals && (ours.overlaps(other) || betterMean != (ratio > 1));
    Outcome outcome =
        ratio == 1 || unclear ? Outcome.LEVEL : ratio > 1 ? Outcome.WON : Outcome.LOST;
    return new Duel(ours, other, ratio, outcome);
  }

  /** Whether one of them has a single sample, so that the figures alone decide. */
  boolean single() {
    return !ours.hasInterval() || !other.hasInterval();
  }

  Metric metric() {
    return ours.cell().metric();
  }

  Map<String, String> conditions() {
    return ours.cell().conditions();
  }

  /** The ratio, who it was, and under which conditions. */
  String sentence(Sheet sheet) {
    String where = Words.conditions(conditions(), sheet.varying());
    String names = ours.cell().contender().name() + " against " + other.cell().contender().name();
    return Words.ratio(ratio)
        + (" (" + names + ", " + metric().name())
        + (where.isEmpty() ? "" : ", " + where)
        + ")";
  }

  /** The best of ours in each cell, as if one could choose. */
  static Collection<Duel> bestOfOurs(List<Duel> duels) {
    return duels.stream()
        .collect(
            Collectors.toMap(
                duel -> List.of(duel.metric(), duel.conditions()),
                Function.identity(),
                BinaryOperator.maxBy(Comparator.comparingDouble(Duel::ratio)),
                LinkedHashMap::new))
        .values();
  }
}
