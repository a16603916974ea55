/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Sets one of ours against the best of the others under the same conditions.
 *
 * <p>It is level if 1 is within the 95 % confidence interval of the ratio: that of Welch's t-test on
 * the logarithms of the samples (B. L. Welch, Biometrika 34, 1947; for ratios of performance figures
 * see T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time, ISMM 2013). Times and
 * rates spread by factors, so that their logarithms are about symmetric. The bootstrap of medians is
 * not used: with the 3 to 10 samples of a cell it can only return values near those it has, and its
 * intervals are too narrow. Samples of zero have no logarithm: such cells are judged by Welch's test
 * on the figures themselves.
 *
 * @param ratio of the medians, turned so that above 1 ours is the better one; infinite if the worse
 *     figure is infinitely worse
 * @param outcome by the interval, if the ratio is on the same side of 1, which it may not be in a
 *     skewed cell; with too few samples, the ratio alone decides
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

  /** With fewer samples an interval says nothing. */
  private static final int MIN_SAMPLES = 3;

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
    Metric metric = ours.metric();
    boolean isHigherBetter = metric.better() == Metric.Better.HIGHER;
    Cell above = isHigherBetter ? ours : other;
    Cell below = isHigherBetter ? other : ours;
    double ratio = above.median() == below.median() ? 1 : above.median() / below.median();
    boolean judged = Math.min(above.samples().size(), below.samples().size()) >= MIN_SAMPLES;
    double[] lead =
        judged
            ? interval(above.figures(), below.figures())
            : new double[] {ratio - 1, ratio - 1};
    Outcome outcome =
        lead[0] > 0 && ratio > 1
            ? Outcome.WON
            : lead[1] < 0 && ratio < 1 ? Outcome.LOST : Outcome.LEVEL;
    String name = ours.contender().name();
    String best = other.contender().name();
    return new Duel(metric, ours.conditions(), name, best, ratio, outcome, judged);
  }

  /** Returns an interval that is above 0 where the first figures are above the second. */
  private static double[] interval(double[] above, double[] below) {
    boolean haveLogs = Math.min(StatUtils.min(above), StatUtils.min(below)) > 0;
    return haveLogs ? welch(logs(above), logs(below)) : welch(above, below);
  }

  private static double[] logs(double[] samples) {
    return Arrays.stream(samples).map(Math::log).toArray();
  }

  /** Returns the interval of the difference of two means. */
  private static double[] welch(double[] above, double[] below) {
    double difference = StatUtils.mean(above) - StatUtils.mean(below);
    double ofAbove = StatUtils.variance(above) / above.length;
    double ofBelow = StatUtils.variance(below) / below.length;
    double square = ofAbove + ofBelow;
    // Counts that are the same in each run have no spread at all.
    if (square <= Math.ulp(Math.abs(StatUtils.mean(above)) + Math.abs(StatUtils.mean(below)))) {
      return new double[] {difference, difference};
    }
    double freedom =
        square
            * square
            / (ofAbove * ofAbove / (above.length - 1) + ofBelow * ofBelow / (below.length - 1));
    double half = Cell.quantile(freedom) * Math.sqrt(square);
    return new double[] {difference - half, difference + half};
  }

  /** Says the ratio, who it was, and under which conditions. */
  String sentence(List<String> varying) {
    String where = Words.conditions(conditions, varying);
    String who = " (" + ours + " against " + other + ", " + metric.name();
    return Words.ratio(ratio) + who + (where.isEmpty() ? ")" : ", " + where + ")");
  }
}
