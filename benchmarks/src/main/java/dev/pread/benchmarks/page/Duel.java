/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One of ours against the best of the others under the same conditions.
 *
 * @param metric by which they are compared
 * @param conditions of both
 * @param ours the one of ours
 * @param other the best of the others
 * @param result how it ended
 */
record Duel(
    Metric metric, Map<String, String> conditions, Contender ours, Contender other, Result result) {

  /** Who won. */
  enum Outcome {
    WON,
    LEVEL,
    LOST
  }

  /**
   * How it ended.
   *
   * @param ratio of the medians, turned so that above 1 ours is the better one; infinite if the
   *     worse figure is infinitely worse
   * @param outcome won or lost, or level if the confidence intervals overlap
   * @param single whether one of them has a single sample, and so no interval: then the figures
   *     alone decide
   */
  record Result(double ratio, Outcome outcome, boolean single) {}

  double ratio() {
    return result.ratio();
  }

  Outcome outcome() {
    return result.outcome();
  }

  boolean single() {
    return result.single();
  }

  /** The ratio, who it was, and under which conditions. */
  String sentence(Sheet sheet) {
    String where = Words.conditions(conditions, sheet.varying());
    return Words.ratio(ratio())
        + " ("
        + ours.name()
        + " against "
        + other.name()
        + ", "
        + metric.name()
        + (where.isEmpty() ? "" : ", " + where)
        + ")";
  }

  /** All of a metric: none if it is not compared. */
  static List<Duel> of(Sheet sheet, Metric metric) {
    List<Duel> duels = new ArrayList<>();
    if (!metric.compared() || metric.better() == Metric.Better.NEITHER) {
      return duels;
    }
    for (Map<String, String> conditions : sheet.conditions(metric)) {
      Optional<Contender> best = best(sheet, metric, conditions, Contender.Role.OTHER);
      if (best.isEmpty()) {
        continue;
      }
      Estimate other = sheet.estimate(metric, conditions, best.get());
      for (Contender ours : sheet.contenders()) {
        Estimate figure = sheet.estimate(metric, conditions, ours);
        if (ours.role() == Contender.Role.OURS
            && figure != null
            && figure.median() >= 0
            && other.median() >= 0) {
          duels.add(new Duel(metric, conditions, ours, best.get(), judge(metric, figure, other)));
        }
      }
    }
    return duels;
  }

  /** All of all compared metrics. */
  static List<Duel> of(Sheet sheet) {
    return sheet.metrics().stream().flatMap(metric -> of(sheet, metric).stream()).toList();
  }

  /** The best of ours in each, as if one could choose. */
  static List<Duel> bestOfOurs(List<Duel> duels) {
    Map<List<Object>, Duel> best = new LinkedHashMap<>();
    for (Duel duel : duels) {
      best.merge(
          List.of(duel.metric(), duel.conditions()),
          duel,
          (one, two) -> one.ratio() >= two.ratio() ? one : two);
    }
    return List.copyOf(best.values());
  }

  /** The best median of a role, or of all but ceilings if the role is null. */
  static Optional<Contender> best(
      Sheet sheet, Metric metric, Map<String, String> conditions, Contender.Role role) {
    Comparator<Contender> order =
        Comparator.comparingDouble(
            contender -> sheet.estimate(metric, conditions, contender).median());
    return sheet.contenders().stream()
        .filter(one -> role == null ? one.role() != Contender.Role.CEILING : one.role() == role)
        .filter(contender -> sheet.estimate(metric, conditions, contender) != null)
        .max(metric.better() == Metric.Better.LOWER ? order.reversed() : order);
  }

  private static Result judge(Metric metric, Estimate ours, Estimate other) {
    double ratio =
        metric.better() == Metric.Better.HIGHER
            ? quotient(ours.median(), other.median())
            : quotient(other.median(), ours.median());
    boolean single = !ours.hasInterval() || !other.hasInterval();
    boolean more = ours.mean() > other.mean();
    boolean betterMean = more == (metric.better() == Metric.Better.HIGHER);
    // A few outliers can put the means the other way round than the medians.
    boolean unclear = ours.overlaps(other) || betterMean != (ratio > 1);
    boolean level = ratio == 1 || (!single && unclear);
    Outcome outcome = level ? Outcome.LEVEL : ratio > 1 ? Outcome.WON : Outcome.LOST;
    return new Result(ratio, outcome, single);
  }

  private static double quotient(double above, double below) {
    return above == below ? 1 : above / below;
  }
}
