/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.util.List;
import org.apache.commons.math3.stat.StatUtils;

/** How a directory warmed up: its reads in each tenth of a second. Immutable. */
public final class ColdCurve {
  /** Length of an interval. */
  public static final long INTERVAL_NANOS = 100_000_000L;

  private static final double WARM = 0.9;

  /** The last part of the run, which is taken for warm. */
  private static final double TAIL = 0.2;

  /** More than this, from the first to the second half of the tail, is no end of warming up. */
  private static final double RISING = 1.1;

  /** So many intervals in a row have to be warm: one alone may be luck. */
  private static final int IN_A_ROW = 3;

  private final double[] rates;
  private final int tail;

  private ColdCurve(double[] rates) {
    this.rates = rates;
    this.tail = Math.min(rates.length - 1, (int) (rates.length * (1 - TAIL)));
  }

  /** Of the reads in each interval, at least one. */
  public ColdCurve(List<Long> reads) {
    this(reads.stream().mapToDouble(count -> count / (INTERVAL_NANOS / 1e6)).toArray());
  }

  /** Of the reads per millisecond in each interval, at least one. */
  public static ColdCurve ofRates(double[] rates) {
    return new ColdCurve(rates.clone());
  }

  /** Reads per millisecond at the end of the run: the median over its last fifth. */
  public double warmRate() {
    return rate(tail, rates.length);
  }

  /** Whether it was still getting faster at the end, so that the warm rate is not yet reached. */
  public boolean rising() {
    int middle = (tail + rates.length) / 2;
    return middle > tail && rate(middle, rates.length) > RISING * rate(tail, middle);
  }

  private double rate(int from, int to) {
    return StatUtils.percentile(rates, from, to - from, 50);
  }

  /** Reads per millisecond in one interval. */
  public double rate(int interval) {
    return rates[interval];
  }

  /** How many there are. */
  public int intervals() {
    return rates.length;
  }

  /**
   * Seconds until it first was, for three intervals in a row, within a tenth of its warm rate; not
   * a number if never.
   */
  public double secondsToWarm() {
    int row = 0;
    for (int i = 0; i < rates.length; i++) {
      row = rates[i] >= WARM * warmRate() ? row + 1 : 0;
      if (row == Math.min(IN_A_ROW, rates.length)) {
        return (i + 2 - row) * (INTERVAL_NANOS / 1e9);
      }
    }
    return Double.NaN;
  }
}
