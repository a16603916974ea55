/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.List;

/**
 * How many duels ended how.
 *
 * @param won number of them
 * @param level number of them
 * @param lost number of them
 * @param sentence like {@code 40 of 64 cells won, 10 level within their error, 14 lost}
 * @param caution what to know about cells with few samples; empty if there is nothing
 */
record Score(long won, long level, long lost, String sentence, String caution) {

  static Score of(List<Duel> duels) {
    long won = count(duels, Duel.Outcome.WON);
    long level = count(duels, Duel.Outcome.LEVEL);
    long lost = count(duels, Duel.Outcome.LOST);
    String cells = duels.size() + (duels.size() == 1 ? " cell" : " cells");
    String sentence =
        won + " of " + cells + " won, " + level + " level within their error, " + lost + " lost";
    long few = duels.stream().filter(duel -> !duel.judged()).count();
    String caution = few + " of them rest on too few samples: there is no error to judge them by.";
    return new Score(won, level, lost, sentence, few == 0 ? "" : caution);
  }

  private static long count(List<Duel> duels, Duel.Outcome outcome) {
    return duels.stream().filter(duel -> duel.outcome() == outcome).count();
  }
}
