/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * How many duels ended how.
 *
 * @param won number of them
 * @param level number of them
 * @param lost number of them
 * @param mean the geometric mean of the ratios, without those that are zero or infinite
 * @param sentence like {@code 40 of 64 cells won, 10 level within their error, 14 lost}
 * @param caution what to know about cells without an interval; empty if there is nothing
 */
record Score(long won, long level, long lost, double mean, String sentence, String caution) {

  static Score of(Collection<Duel> duels) {
    long won = count(duels, Duel.Outcome.WON);
    long level = count(duels, Duel.Outcome.LEVEL);
    long lost = count(duels, Duel.Outcome.LOST);
    double mean =
        Math.exp(
            duels.stream()
                .mapToDouble(Duel::ratio)
                .filter(ratio -> ratio > 0 && !Double.isInfinite(ratio))
                .map(Math::log)
                .average()
                .orElse(Double.NaN));
    String cells = duels.size() + (duels.size() == 1 ? " cell" : " cells");
    long single = duels.stream().filter(Duel::single).count();
    return new Score(
        won,
        level,
        lost,
        mean,
        won + " of " + cells + " won, " + level + " level within their error, " + lost + " lost",
        single == 0
            ? ""
            : single == duels.size()
                ? "Each rests on a single sample: there is no error to judge it by."
                : single + " of them rest on a single sample: there is no error to judge them by.");
  }

  private static long count(Collection<Duel> duels, Duel.Outcome outcome) {
    return duels.stream().filter(duel -> duel.outcome() == outcome).count();
  }

  /** The lost ones, the worst first. */
  static List<Duel> losses(Collection<Duel> duels) {
    return duels.stream()
        .filter(duel -> duel.outcome() == Duel.Outcome.LOST)
        .sorted(Comparator.comparingDouble(Duel::ratio))
        .toList();
  }
}
