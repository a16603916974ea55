/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import org.apache.commons.math3.stat.StatUtils;

/** Shows how a directory warmed up: its reads per millisecond in each tenth of a second. */
final class ColdCurve {
  static final double INTERVAL_SECONDS = 0.1;

  private static final double WARM_SHARE = 0.9;

  /** The last part of the run, which is taken for warm. */
  private static final double TAIL_SHARE = 0.2;

  /** More than this, from the first to the second half of the tail, is no end of warming up. */
  private static final double MIN_RISE = 1.1;

  /** So many intervals in a row have to be warm: one alone may be luck. */
  private static final int WARM_INTERVALS = 3;

  private final double[] rates;
  private final int tail;

  /** Takes one rate or more. */
  ColdCurve(double... rates) {
    this.rates = rates;
    this.tail = Math.min(rates.length - 1, (int) (rates.length * (1 - TAIL_SHARE)));
  }

  /** Returns the reads per millisecond at the end of the run: the median over its last fifth. */
  double warmRate() {
    return rate(tail, rates.length);
  }

  /** Returns whether it was still getting faster, so that the warm rate is not yet reached. */
  boolean rising() {
    int middle = (tail + rates.length) / 2;
    return middle > tail && rate(middle, rates.length) > MIN_RISE * rate(tail, middle);
  }

  private double rate(int from, int to) {
    return StatUtils.percentile(rates, from, to - from, 50);
  }

  /**
   * Returns the seconds until it first was, for three intervals in a row, within a tenth of its
   * warm rate; not a number if never.
   */
  double secondsToWarm() {
    int row = 0;
    for (int i = 0; i < rates.length; i++) {
      row = rates[i] >= WARM_SHARE * warmRate() ? row + 1 : 0;
      if (row == Math.min(WARM_INTERVALS, rates.length)) {
        return (i + 2 - row) * INTERVAL_SECONDS;
      }
    }
    return Double.NaN;
  }
}
