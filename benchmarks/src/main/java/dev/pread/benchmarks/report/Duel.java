/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

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
 *     be in a skewed cell
 */
record Duel(
    Map<String, String> conditions, String ours, String other, double ratio, Outcome outcome) {

  /** With fewer samples a test says nothing. */
  private static final int MIN_SAMPLES = 3;

  private static final double SIGNIFICANCE = 0.05;

  enum Outcome {
    WON,
    LEVEL,
    LOST,
    /** There are too few samples to judge by. */
    UNDECIDED
  }

  record Score(long won, long level, long lost, long undecided, String sentence) {
    static Score of(List<Duel> duels) {
      long won = count(duels, Outcome.WON);
      long level = count(duels, Outcome.LEVEL);
      long lost = count(duels, Outcome.LOST);
      long undecided = count(duels, Outcome.UNDECIDED);
      String cells = duels.size() + (duels.size() == 1 ? " cell" : " cells");
      String sentence =
          won + " of " + cells + " won, " + level + " level within their error, " + lost + " lost";
      String few = ", " + undecided + " undecided: too few samples to tell their error";
      return new Score(won, level, lost, undecided, sentence + (undecided == 0 ? "" : few));
    }

    private static long count(List<Duel> duels, Outcome outcome) {
      return duels.stream().filter(duel -> duel.outcome() == outcome).count();
    }
  }

  static Duel of(Cell ours, Cell other) {
    boolean isHigherBetter = ours.metric().better() == Metric.Better.HIGHER;
    Cell above = isHigherBetter ? ours : other;
    Cell below = isHigherBetter ? other : ours;
    double ratio = above.median() == below.median() ? 1 : above.median() / below.median();
    String name = ours.contender().name();
    String best = other.contender().name();
    Outcome outcome = outcome(above.figures(), below.figures(), ratio);
    return new Duel(ours.conditions(), name, best, ratio, outcome);
  }

  private static Outcome outcome(double[] above, double[] below, double ratio) {
    if (Math.min(above.length, below.length) < MIN_SAMPLES) {
      return Outcome.UNDECIDED;
    }
    double lead = lead(above, below);
    return lead > 0 && ratio > 1
        ? Outcome.WON
        : lead < 0 && ratio < 1 ? Outcome.LOST : Outcome.LEVEL;
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
}
