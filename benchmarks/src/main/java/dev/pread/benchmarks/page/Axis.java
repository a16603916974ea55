/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * Where figures lie along an edge of a plot, and what is written there. A plot works with positions
 * alone: what is logarithmic, or an axis of percentiles, is so by {@link #at}.
 *
 * @param label what it is, with its unit
 * @param low position of its beginning
 * @param high position of its end
 * @param ticks in order
 * @param position of a figure
 */
record Axis(String label, double low, double high, List<Tick> ticks, DoubleUnaryOperator position) {
  private static final double NINES = 5;

  /** What is written at a position. */
  record Tick(double position, String text) {}

  double at(double figure) {
    return position.applyAsDouble(figure);
  }

  /** Within the axis. */
  double clamped(double figure) {
    return Math.min(high, Math.max(low, at(figure)));
  }

  /** From zero, or from the least figure if that is negative. */
  static Axis linear(String label, double least, double most) {
    double from = Math.min(0, least);
    double step = step(Math.max(most, from + Double.MIN_NORMAL * 16) - from);
    List<Tick> ticks = new ArrayList<>();
    long first = (long) Math.floor(from / step);
    long last = (long) Math.ceil(most / step);
    for (long i = first; i <= Math.max(last, first + 1); i++) {
      ticks.add(new Tick(i * step, Words.figure(round(i * step))));
    }
    double high = ticks.get(ticks.size() - 1).position();
    // No step more for a figure just above one.
    if (ticks.size() > 2 && most < high - 0.9 * step) {
      ticks.remove(ticks.size() - 1);
      high = most;
    }
    return new Axis(label, ticks.get(0).position(), high, ticks, figure -> figure);
  }

  private static double step(double range) {
    double power = Math.pow(10, Math.floor(Math.log10(range / 4)));
    double digits = range / 4 / power;
    return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
  }

  /** Without what binary fractions add. */
  private static double round(double figure) {
    return Double.parseDouble(Words.format("%.6e", figure));
  }

  /** Logarithmic, of figures above zero. */
  static Axis logarithmic(String label, double least, double most) {
    double low = Math.log10(least) - 0.08;
    double high = Math.max(Math.log10(most) + 0.08, low + 0.3);
    List<Tick> ticks = new ArrayList<>();
    int decades = (int) Math.ceil(high - low);
    int stride = Math.max(1, (decades + 4) / 5);
    for (int decade = (int) Math.floor(low); decade <= high; decade++) {
      for (int digit : decades <= 2 ? new int[] {1, 2, 5} : new int[] {1}) {
        double position = decade + Math.log10(digit);
        if (position >= low && position <= high && Math.floorMod(decade, stride) == 0) {
          ticks.add(new Tick(position, Words.figure(round(Math.pow(10, position)))));
        }
      }
    }
    return new Axis(label, low, high, ticks, Math::log10);
  }

  /** Counts such as of threads, of which each is written: logarithmic, as they are chosen. */
  static Axis counts(String label, List<Long> counts) {
    List<Tick> ticks = new ArrayList<>();
    for (long count : new TreeSet<>(counts)) {
      ticks.add(new Tick(log2((double) count), Long.toString(count)));
    }
    double first = ticks.get(0).position();
    double last = ticks.get(ticks.size() - 1).position();
    double margin = Math.max(0.05, (last - first) * 0.05);
    return new Axis(label, first - margin, last + margin, ticks, Axis::log2);
  }

  private static double log2(double count) {
    return Math.log(Math.max(count, 0.5)) / Math.log(2);
  }

  /** Percentiles below 100: each nine has the same width. */
  static Axis percentiles(String label, double most) {
    double last = Math.min(NINES, Math.max(1, nines(most)));
    List<Tick> ticks = new ArrayList<>();
    String text = "0";
    for (int i = 0; i <= last + 1e-9; i++) {
      ticks.add(new Tick(i, text));
      text = i == 0 ? "90" : i == 1 ? "99" : i == 2 ? "99.9" : text + "9";
    }
    return new Axis(label, 0, last, ticks, Axis::nines);
  }

  private static double nines(double percentile) {
    return percentile >= 100 ? NINES : Math.min(NINES, -Math.log10(1 - percentile / 100));
  }

  /** Lines one below the other, the first one at the top. */
  static Axis rows(int rows) {
    return new Axis("", -rows + 0.5, 0.5, List.of(), row -> -row);
  }
}
