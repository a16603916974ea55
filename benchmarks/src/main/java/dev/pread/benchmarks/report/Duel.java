/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Map;

/**
 * One of ours against the best of the others under the same conditions.
 *
 * @param metric of both
 * @param conditions of both
 * @param ours name of ours
 * @param other name of the best of the others
 * @param ratio of the medians, turned so that above 1 ours is the better one; infinite if the worse
 *     figure is infinitely worse
 * @param outcome as the change from the other to ours is judged; with too few samples for that, the
 *     ratio alone decides
 * @param judged whether there were enough samples
 */
record Duel(
    @JsonIgnore Metric metric,
    Map<String, String> conditions,
    String ours,
    String other,
    double ratio,
    Outcome outcome,
    @JsonIgnore boolean judged) {

  /** Who won. */
  enum Outcome {
    WON,
    LEVEL,
    LOST
  }

  static Duel of(Estimate ours, Estimate other) {
    Change change = Change.of(other, ours);
    Metric metric = ours.cell().metric();
    double ratio = metric.better() == Metric.Better.HIGHER ? change.ratio() : 1 / change.ratio();
    boolean judged = change.verdict() != Change.Verdict.TOO_FEW_SAMPLES;
    Outcome outcome =
        ratio == 1 || change.verdict() == Change.Verdict.NO_DIFFERENCE
            ? Outcome.LEVEL
            : (judged ? change.verdict() == Change.Verdict.BETTER : ratio > 1)
                ? Outcome.WON
                : Outcome.LOST;
    String name = ours.cell().contender().name();
    String best = other.cell().contender().name();
    return new Duel(metric, ours.cell().conditions(), name, best, ratio, outcome, judged);
  }

  /** The ratio, who it was, and under which conditions. */
  String sentence(Sheet sheet) {
    String where = Words.conditions(conditions, sheet.varying());
    return Words.ratio(ratio)
        + (" (" + ours + " against " + other + ", " + metric.name())
        + (where.isEmpty() ? ")" : ", " + where + ")");
  }
}
