/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;

/**
 * Sets one of ours against the best of the others under the same conditions.
 *
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

  enum Outcome {
    WON,
    LEVEL,
    LOST
  }

  /**
   * Counts how many duels ended how.
   *
   * @param sentence like {@code 40 of 64 cells won, 10 level within their error, 14 lost}
   * @param caution what to know about cells with few samples; empty if there is nothing
   */
  record Score(long won, long level, long lost, String sentence, String caution) {
    static Score of(List<Duel> duels) {
      long won = count(duels, Outcome.WON);
      long level = count(duels, Outcome.LEVEL);
      long lost = count(duels, Outcome.LOST);
      String cells = duels.size() + (duels.size() == 1 ? " cell" : " cells");
      String sentence =
          won + " of " + cells + " won, " + level + " level within their error, " + lost + " lost";
      long few = duels.stream().filter(duel -> !duel.judged()).count();
      String caution =
          few + " of them rest on too few samples: there is no error to judge them by.";
      return new Score(won, level, lost, sentence, few == 0 ? "" : caution);
    }

    private static long count(List<Duel> duels, Outcome outcome) {
      return duels.stream().filter(duel -> duel.outcome() == outcome).count();
    }
  }

  static Duel of(Cell ours, Cell other) {
    Change change = Change.of(other, ours);
    Metric metric = ours.metric();
    double ratio = metric.better() == Metric.Better.HIGHER ? change.ratio() : 1 / change.ratio();
    boolean judged = change.verdict() != Change.Verdict.TOO_FEW_SAMPLES;
    boolean better = judged ? change.verdict() == Change.Verdict.BETTER : ratio > 1;
    Outcome outcome =
        ratio == 1 || change.verdict() == Change.Verdict.NO_DIFFERENCE
            ? Outcome.LEVEL
            : better ? Outcome.WON : Outcome.LOST;
    String name = ours.contender().name();
    String best = other.contender().name();
    return new Duel(metric, ours.conditions(), name, best, ratio, outcome, judged);
  }

  /** Says the ratio, who it was, and under which conditions. */
  String sentence(List<String> varying) {
    String where = Words.conditions(conditions, varying);
    String who = " (" + ours + " against " + other + ", " + metric.name();
    return Words.ratio(ratio) + who + (where.isEmpty() ? ")" : ", " + where + ")");
  }
}
