/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.math3.stat.StatUtils;

/**
 * How many duels ended how.
 *
 * @param won number of them
 * @param level number of them
 * @param lost number of them
 * @param mean the geometric mean of the ratios, without those that are zero or infinite
 * @param sentence like {@code 40 of 64 cells won, 10 level within their error, 14 lost}
 * @param caution what to know about cells with few samples; empty if there is nothing
 */
record Score(long won, long level, long lost, double mean, String sentence, String caution) {

  static Score of(Collection<Duel> duels) {
    long won = count(duels, Duel.Outcome.WON);
    long level = count(duels, Duel.Outcome.LEVEL);
    long lost = count(duels, Duel.Outcome.LOST);
    double[] ratios =
        duels.stream()
            .mapToDouble(Duel::ratio)
            .filter(ratio -> ratio > 0 && !Double.isInfinite(ratio))
            .toArray();
    String cells = duels.size() + (duels.size() == 1 ? " cell" : " cells");
    long few = duels.stream().filter(duel -> !duel.judged()).count();
    return new Score(
        won,
        level,
        lost,
        StatUtils.geometricMean(ratios),
        won + " of " + cells + " won, " + level + " level within their error, " + lost + " lost",
        few == 0
            ? ""
            : few + " of them rest on too few samples: there is no error to judge them by.");
  }

  private static long count(Collection<Duel> duels, Duel.Outcome outcome) {
    return duels.stream().filter(duel -> duel.outcome() == outcome).count();
  }

  /** The worst of the lost ones in words; empty if none is lost. */
  static String worst(List<Duel> duels, Sheet sheet) {
    return duels.stream()
        .filter(duel -> duel.outcome() == Duel.Outcome.LOST)
        .min(Comparator.comparingDouble(Duel::ratio))
        .map(duel -> duel.sentence(sheet))
        .orElse("");
  }
}
