/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Cell;
import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.stat.StatUtils;

/**
 * A cell of one run, A, and the same one of another, B.
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
 * @param a the figure in the first run
 * @param b the figure in the second run
 * @param ratio of the medians, B to A; not a number if both have other signs
 * @param low end of the interval; not a number if there is none
 * @param high end of the interval; not a number if there is none
 * @param verdict what became of the cell
 */
record Change(Estimate a, Estimate b, double ratio, double low, double high, Verdict verdict) {
  /** With fewer samples an interval says nothing. */
  static final int MIN_SAMPLES = 3;

  /** What became of the cell. */
  enum Verdict {
    BETTER,
    WORSE,
    /** Of a figure without a better side. */
    DIFFERENT,
    NO_DIFFERENCE,
    TOO_FEW_SAMPLES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  static Change of(Estimate a, Estimate b) {
    double ratio = quotient(b.median(), a.median());
    List<Double> ofA = a.cell().samples();
    List<Double> ofB = b.cell().samples();
    if (Math.min(ofA.size(), ofB.size()) < MIN_SAMPLES) {
      return new Change(a, b, ratio, Double.NaN, Double.NaN, Verdict.TOO_FEW_SAMPLES);
    }
    boolean positive = StatUtils.min(array(ofA)) > 0 && StatUtils.min(array(ofB)) > 0;
    if (!positive) {
      double[] difference = welch(array(ofA), array(ofB));
      return new Change(a, b, ratio, Double.NaN, Double.NaN, verdict(a.cell(), difference));
    }
    double[] logs = welch(logs(ofA), logs(ofB));
    // Extended to the ratio of the medians, the interval must still be clear of no change.
    logs[0] = Math.min(logs[0], Math.log(ratio));
    logs[1] = Math.max(logs[1], Math.log(ratio));
    return new Change(a, b, ratio, Math.exp(logs[0]), Math.exp(logs[1]), verdict(a.cell(), logs));
  }

  private static Verdict verdict(Cell cell, double[] difference) {
    boolean more = difference[0] > 0;
    if (!more && !(difference[1] < 0)) {
      return Verdict.NO_DIFFERENCE;
    }
    return switch (cell.metric().better()) {
      case NEITHER -> Verdict.DIFFERENT;
      case HIGHER -> more ? Verdict.BETTER : Verdict.WORSE;
      case LOWER -> more ? Verdict.WORSE : Verdict.BETTER;
    };
  }

  /** By how much, whatever the direction: for sorting. */
  double size() {
    return ratio > 0 ? Math.abs(Math.log(ratio)) : Double.POSITIVE_INFINITY;
  }

  /** The ratio, and the interval if there is one. */
  String figure() {
    String text = Words.ratio(ratio);
    return Double.isNaN(low)
        ? text
        : text + " [" + Words.ratio(low) + ", " + Words.ratio(high) + "]";
  }

  private static double quotient(double above, double below) {
    return above == below ? 1 : (above < 0) != (below < 0) ? Double.NaN : above / below;
  }

  private static double[] logs(List<Double> samples) {
    return samples.stream().mapToDouble(Math::log).toArray();
  }

  private static double[] array(List<Double> samples) {
    return samples.stream().mapToDouble(sample -> sample).toArray();
  }

  /** The interval of the difference of two means, B less A. */
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
    double half = Estimate.quantile(freedom) * Math.sqrt(square);
    return new double[] {difference - half, difference + half};
  }
}
