/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.inference.TestUtils;

/**
 * Sets one of ours against the best of the others under the same conditions.
 *
 * <p>It is level if 1 is within the 95 % confidence interval of the ratio: that of Welch's t-test
 * on the logarithms of the samples (B. L. Welch, Biometrika 34, 1947; for ratios of performance
 * figures see T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time, ISMM 2013). Times
 * and rates spread by factors, so that their logarithms are about symmetric. The bootstrap of
 * medians is not used: with the 3 to 10 samples of a cell it can only return values near those it
 * has, and its intervals are too narrow. Samples of zero have no logarithm: such cells are judged
 * by Welch's test on the figures themselves.
 *
 * @param ratio of the medians, turned so that above 1 ours is the better one; infinite if the worse
 *     figure is infinitely worse
 * @param outcome by the test, if the ratio is on the same side of 1 as the means, which it may not
 *     be in a skewed cell; with too few samples, the ratio alone decides
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

  /** With fewer samples a test says nothing. */
  private static final int MIN_SAMPLES = 3;

  private static final double SIGNIFICANCE = 0.05;

  enum Outcome {
    WON,
    LEVEL,
    LOST
  }

  /** Counts how many duels ended how, and how many of them rest on too few samples. */
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
    double lead = judged ? lead(above.figures(), below.figures()) : ratio - 1;
    Outcome outcome =
        lead > 0 && ratio > 1 ? Outcome.WON : lead < 0 && ratio < 1 ? Outcome.LOST : Outcome.LEVEL;
    String name = ours.contender().name();
    String best = other.contender().name();
    return new Duel(metric, ours.conditions(), name, best, ratio, outcome, judged);
  }

  /** Returns the difference of the means if it is significant, else 0. */
  private static double lead(double[] above, double[] below) {
    if (Math.min(StatUtils.min(above), StatUtils.min(below)) > 0) {
      above = Arrays.stream(above).map(Math::log).toArray();
      below = Arrays.stream(below).map(Math::log).toArray();
    }
    double difference = StatUtils.mean(above) - StatUtils.mean(below);
    // Counts that are the same in each run have no spread at all, which the test cannot take.
    double spread = StatUtils.variance(above) + StatUtils.variance(below);
    return spread <= Math.ulp(difference) || TestUtils.tTest(above, below, SIGNIFICANCE)
        ? difference
        : 0;
  }

  /** Says the ratio, who it was, and under which conditions. */
  String sentence(List<String> varying) {
    String where = Words.conditions(conditions, varying);
    String who = " (" + ours + " against " + other + ", " + metric.name();
    return Words.ratio(ratio) + who + (where.isEmpty() ? ")" : ", " + where + ")");
  }
}
