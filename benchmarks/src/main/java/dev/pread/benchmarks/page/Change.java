/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Metric;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.moment.Variance;

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
 * @param a the cell in the first run
 * @param b the cell in the second run
 * @param ratio of the medians, B to A; not a number if both have other signs
 * @param low end of the interval; not a number if there is none
 * @param high end of the interval; not a number if there is none
 */
record Change(Cell a, Cell b, double ratio, double low, double high) {
  /** With fewer samples an interval says nothing. */
  static final int MIN_SAMPLES = 3;

  /** What became of the cell. */
  enum Verdict {
    BETTER("better"),
    WORSE("worse"),
    /** Of a figure without a better side. */
    DIFFERENT("different"),
    NO_DIFFERENCE("no difference"),
    TOO_FEW("too few samples");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  static Change of(Cell a, Cell b) {
    double ratio = quotient(Estimate.of(b.samples()).median(), Estimate.of(a.samples()).median());
    if (tooFew(a, b) || !positive(a.samples()) || !positive(b.samples())) {
      return new Change(a, b, ratio, Double.NaN, Double.NaN);
    }
    Interval interval = Interval.welch(logs(a.samples()), logs(b.samples()));
    return new Change(
        a,
        b,
        ratio,
        Math.min(ratio, Math.exp(interval.low())),
        Math.max(ratio, Math.exp(interval.high())));
  }

  Verdict verdict() {
    if (tooFew(a, b)) {
      return Verdict.TOO_FEW;
    }
    boolean more;
    boolean less;
    if (Double.isNaN(low)) {
      Interval difference = Interval.welch(array(a.samples()), array(b.samples()));
      more = difference.low() > 0;
      less = difference.high() < 0;
    } else {
      more = low > 1;
      less = high < 1;
    }
    if (!more && !less) {
      return Verdict.NO_DIFFERENCE;
    }
    return switch (a.metric().better()) {
      case NEITHER -> Verdict.DIFFERENT;
      case HIGHER -> more ? Verdict.BETTER : Verdict.WORSE;
      case LOWER -> less ? Verdict.BETTER : Verdict.WORSE;
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

  Metric metric() {
    return a.metric();
  }

  private static boolean tooFew(Cell a, Cell b) {
    return Math.min(a.samples().size(), b.samples().size()) < MIN_SAMPLES;
  }

  private static boolean positive(List<Double> samples) {
    return samples.stream().allMatch(sample -> sample > 0);
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

  /** Of the difference of two means, B less A. */
  record Interval(double low, double high) {

    static Interval welch(double[] a, double[] b) {
      double difference = mean(b) - mean(a);
      double ofA = new Variance().evaluate(a) / a.length;
      double ofB = new Variance().evaluate(b) / b.length;
      double square = ofA + ofB;
      // Counts that are the same in each run have no spread at all.
      if (square <= Math.ulp(Math.abs(mean(a)) + Math.abs(mean(b)))) {
        return new Interval(difference, difference);
      }
      double freedom = square * square / (ofA * ofA / (a.length - 1) + ofB * ofB / (b.length - 1));
      double half = Estimate.quantile(freedom) * Math.sqrt(square);
      return new Interval(difference - half, difference + half);
    }

    private static double mean(double[] values) {
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      return sum / values.length;
    }
  }
}
