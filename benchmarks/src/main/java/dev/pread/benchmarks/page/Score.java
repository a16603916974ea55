/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How many duels ended how.
 *
 * @param won number of them
 * @param level number of them
 * @param lost number of them
 * @param single those decided by figures without an interval
 * @param losses the lost ones, the worst first
 */
record Score(int won, int level, int lost, int single, List<Duel> losses) {

  static Score of(Collection<Duel> duels) {
    List<Duel> losses =
        duels.stream()
            .filter(duel -> duel.outcome() == Duel.Outcome.LOST)
            .sorted(Comparator.comparingDouble(Duel::ratio))
            .toList();
    return new Score(
        count(duels, Duel.Outcome.WON),
        count(duels, Duel.Outcome.LEVEL),
        losses.size(),
        (int) duels.stream().filter(Duel::single).count(),
        losses);
  }

  private static int count(Collection<Duel> duels, Duel.Outcome outcome) {
    return (int) duels.stream().filter(duel -> duel.outcome() == outcome).count();
  }

  int all() {
    return won + level + lost;
  }

  /** The worst loss. */
  Optional<Duel> worst() {
    return losses.stream().findFirst();
  }

  /** The geometric mean of ratios, without those that are zero or infinite. */
  static double mean(Collection<Duel> duels) {
    return Math.exp(
        duels.stream()
            .mapToDouble(Duel::ratio)
            .filter(ratio -> ratio > 0 && !Double.isInfinite(ratio))
            .map(Math::log)
            .average()
            .orElse(Double.NaN));
  }

  /** Like {@code 40 of 64 cells won, 10 level within their error, 14 lost}. */
  String sentence() {
    return won
        + " of "
        + all()
        + (all() == 1 ? " cell" : " cells")
        + " won, "
        + level
        + " level within their error, "
        + lost
        + " lost";
  }

  /** What to know about cells without an interval; empty if there is nothing. */
  String caution() {
    if (single == 0) {
      return "";
    }
    return single == all()
        ? "Each rests on a single sample: there is no error to judge it by."
        : single + " of them rest on a single sample: there is no error to judge them by.";
  }
}
