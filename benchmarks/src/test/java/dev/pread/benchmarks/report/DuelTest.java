/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DuelTest {
  private static final Metric RATE = Metric.throughput("ops/ms");

  private static Cell cell(Contender who, Metric metric, double... samples) {
    return SyntheticRuns.cell("x", who, metric, samples);
  }

  private static List<Duel> duels(Cell... cells) {
    return Sheet.of(SyntheticRuns.of(cells)).get(0).duels();
  }

  @Test
  void bestOtherIsTheOneToBeat() {
    List<Duel> duels =
        duels(
            cell(Contender.other("niofs"), RATE, 1.0, 1.01, 0.99),
            cell(Contender.other("mmap"), RATE, 4.0, 4.01, 3.99),
            cell(Contender.ceiling("memcpy"), RATE, 50.0, 50.1, 49.9),
            cell(Contender.ours("pread"), RATE, 2.0, 2.01, 1.99),
            cell(Contender.ours("direct"), RATE, 8.0, 8.01, 7.99));
    assertEquals(List.of("mmap", "mmap"), duels.stream().map(Duel::other).toList());
    assertEquals(List.of(0.5, 2.0), duels.stream().map(Duel::ratio).toList());
    assertEquals(
        List.of(Duel.Outcome.LOST, Duel.Outcome.WON), duels.stream().map(Duel::outcome).toList());
    Duel.Score score = Duel.Score.of(duels);
    assertEquals("1 of 2 cells won, 0 level within their error, 1 lost", score.sentence());
  }

  @Test
  void ofCostsTheLeastIsBest() {
    Metric cost = Metric.cost("p99", "us");
    List<Duel> duels =
        duels(
            cell(Contender.other("niofs"), cost, 300.0, 301.0, 299.0),
            cell(Contender.other("mmap"), cost, 900.0, 901.0, 899.0),
            cell(Contender.ours("pread"), cost, 100.0, 101.0, 99.0));
    assertEquals("niofs", duels.get(0).other());
    assertEquals(3, duels.get(0).ratio());
    assertEquals(Duel.Outcome.WON, duels.get(0).outcome());
  }

  @Test
  void whatIsWithinTheErrorIsLevel() {
    List<Duel> duels =
        duels(
            cell(Contender.other("mmap"), RATE, 10.0, 12.0, 11.0),
            cell(Contender.ours("pread"), RATE, 10.5, 12.5, 11.5));
    assertEquals(Duel.Outcome.LEVEL, duels.get(0).outcome());
  }

  @Test
  void fewSamplesDecideAndAreSaidToBeSo() {
    List<Duel> duels =
        duels(cell(Contender.other("mmap"), RATE, 10.0), cell(Contender.ours("pread"), RATE, 9.9));
    assertEquals(Duel.Outcome.LOST, duels.get(0).outcome());
    assertTrue(Duel.Score.of(duels).caution().contains("too few samples"));
  }

  @Test
  void nothingToCompareWith() {
    assertTrue(duels(cell(Contender.ours("pread"), RATE, 9.9)).isEmpty());
    assertTrue(
        duels(
                cell(Contender.other("mmap"), Metric.fact("read", "bytes"), 1.0),
                cell(Contender.ours("pread"), Metric.fact("read", "bytes"), 2.0))
            .isEmpty());
  }

  @Test
  void intervalIsThatOfStudent() {
    // n = 5, standard deviation 1.5811, t = 2.7764: half of the width is 1.9632.
    Cell estimate = cell(Contender.ours("pread"), RATE, 1.0, 2.0, 3.0, 4.0, 5.0);
    assertEquals(1.9632, estimate.half(), 1e-4);
    assertEquals(3, estimate.median());
  }
}
