/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Compares a figure B with a figure A of the same metric: the same cell in another run, or another
 * contender in the same one.
 *
 * <p>The figure is the ratio of the medians; its 95 % confidence interval is that of Welch's t-test
 * on the logarithms of the samples (B. L. Welch, Biometrika 34, 1947; for ratios of performance
 * figures see T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time, ISMM 2013). Times
 * and rates spread by factors, so that their logarithms are about symmetric, and the interval of
 * their means is then one for the ratio of the medians. The bootstrap of medians is not used: with
 * the 3 to 10 samples of a cell it can only return values near those it has, and its intervals are
 * too narrow. Where a skewed cell has its ratio of medians outside of that interval, the interval
 * is extended to it, so that it claims less, never more. Samples of zero have no logarithm: such
 * cells are judged by Welch's test on the figures themselves, and shown without an interval.
 *
 * @param ratio of the medians, B to A; not a number if both have other signs
 * @param low end of the interval; not a number if there is none
 * @param high end of the interval; not a number if there is none
 */
record Change(Cell a, Cell b, double ratio, double low, double high, Verdict verdict) {
  /** With fewer samples an interval says nothing. */
  static final int MIN_SAMPLES = 3;

  /** What B is. */
  enum Verdict {
    BETTER,
    WORSE,
    /** A change of a figure that has no better side. */
    DIFFERENT,
    NO_DIFFERENCE,
    TOO_FEW_SAMPLES;

    @Override
    @JsonValue
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  static Change of(Cell a, Cell b) {
    double ratio = quotient(b.median(), a.median());
    double[] ofA = a.figures();
    double[] ofB = b.figures();
    Metric.Better better = a.metric().better();
    if (Math.min(ofA.length, ofB.length) < MIN_SAMPLES) {
      return new Change(a, b, ratio, Double.NaN, Double.NaN, Verdict.TOO_FEW_SAMPLES);
    }
    if (Math.min(StatUtils.min(ofA), StatUtils.min(ofB)) <= 0) {
      return new Change(a, b, ratio, Double.NaN, Double.NaN, verdict(better, welch(ofA, ofB)));
    }
    double[] logs = welch(logs(ofA), logs(ofB));
    // Extended to the ratio of the medians, the interval must still be clear of no change.
    logs[0] = Math.min(logs[0], Math.log(ratio));
    logs[1] = Math.max(logs[1], Math.log(ratio));
    return new Change(a, b, ratio, Math.exp(logs[0]), Math.exp(logs[1]), verdict(better, logs));
  }

  private static Verdict verdict(Metric.Better better, double[] difference) {
    boolean more = difference[0] > 0;
    if (!more && !(difference[1] < 0)) {
      return Verdict.NO_DIFFERENCE;
    }
    return switch (better) {
      case NEITHER -> Verdict.DIFFERENT;
      case HIGHER -> more ? Verdict.BETTER : Verdict.WORSE;
      case LOWER -> more ? Verdict.WORSE : Verdict.BETTER;
    };
  }

  /** Formats the ratio, and the interval if there is one. */
  String figure() {
    String text = Words.ratio(ratio);
    return Double.isNaN(low)
        ? text
        : text + " [" + Words.ratio(low) + ", " + Words.ratio(high) + "]";
  }

  private static double quotient(double above, double below) {
    return above == below ? 1 : (above < 0) != (below < 0) ? Double.NaN : above / below;
  }

  private static double[] logs(double[] samples) {
    return Arrays.stream(samples).map(Math::log).toArray();
  }

  /** Returns the interval of the difference of two means, B less A. */
  private static double[] welch(double[] a, double[] b) {
    double difference = StatUtils.mean(b) - StatUtils.mean(a);
    double ofA = StatUtils.variance(a) / a.length;
    double ofB = StatUtils.variance(b) / b.length;
    double square = ofA + ofB;
    // Counts that are the same in each run have no spread at all.
    if (square <= Math.ulp(Math.abs(StatUtils.mean(a)) + Math.abs(StatUtils.mean(b)))) {
      return new double[] {difference, difference};
    }
    double freedom = square * square / (ofA * ofA / (a.length - 1) + ofB * ofB / (b.length - 1));
    double half = Cell.quantile(freedom) * Math.sqrt(square);
    return new double[] {difference - half, difference + half};
  }
}
