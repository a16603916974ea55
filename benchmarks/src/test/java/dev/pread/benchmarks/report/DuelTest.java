/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DuelTest {
  private static final Map<String, String> HOT = Map.of("regime", "fits");

  private static Cell cell(Contender contender, Metric metric, Double... samples) {
    return new Cell("b", HOT, contender, metric, List.of(samples));
  }

  static Run run(Cell... cells) {
    SyntheticRuns runs = new SyntheticRuns(1, 1);
    List.of(cells).forEach(runs::add);
    return runs.run();
  }

  private static List<Duel> duels(Cell... cells) {
    return Sheet.of(run(cells)).get(0).duels();
  }

  @Test
  void bestOtherIsTheOneToBeat() {
    Metric rate = Metric.throughput("ops/ms");
    List<Duel> duels =
        duels(
            cell(Contender.other("niofs"), rate, 1.0, 1.01, 0.99),
            cell(Contender.other("mmap"), rate, 4.0, 4.01, 3.99),
            cell(Contender.ceiling("memcpy"), rate, 50.0, 50.1, 49.9),
            cell(Contender.ours("pread"), rate, 2.0, 2.01, 1.99),
            cell(Contender.ours("direct"), rate, 8.0, 8.01, 7.99));
    assertEquals(List.of("mmap", "mmap"), duels.stream().map(Duel::other).toList());
    assertEquals(List.of(0.5, 2.0), duels.stream().map(Duel::ratio).toList());
    assertEquals(
        List.of(Duel.Outcome.LOST, Duel.Outcome.WON), duels.stream().map(Duel::outcome).toList());
    Score score = Score.of(duels);
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
    Metric rate = Metric.throughput("ops/ms");
    List<Duel> duels =
        duels(
            cell(Contender.other("mmap"), rate, 10.0, 12.0, 11.0),
            cell(Contender.ours("pread"), rate, 10.5, 12.5, 11.5));
    assertEquals(Duel.Outcome.LEVEL, duels.get(0).outcome());
  }

  @Test
  void fewSamplesDecideAndAreSaidToBeSo() {
    Metric rate = Metric.throughput("ops/ms");
    List<Duel> duels =
        duels(cell(Contender.other("mmap"), rate, 10.0), cell(Contender.ours("pread"), rate, 9.9));
    assertEquals(Duel.Outcome.LOST, duels.get(0).outcome());
    assertTrue(Score.of(duels).caution().contains("too few samples"));
  }

  @Test
  void nothingToCompareWith() {
    Metric rate = Metric.throughput("ops/ms");
    assertTrue(duels(cell(Contender.ours("pread"), rate, 9.9)).isEmpty());
    assertTrue(
        duels(
                cell(Contender.other("mmap"), Metric.fact("read", "bytes"), 1.0),
                cell(Contender.ours("pread"), Metric.fact("read", "bytes"), 2.0))
            .isEmpty());
  }

  @Test
  void intervalIsThatOfStudent() {
    // n = 5, standard deviation 1.5811, t = 2.7764: half of the width is 1.9632.
    Estimate estimate =
        Estimate.of(cell(Contender.ours("pread"), Metric.throughput("x"), 1.0, 2.0, 3.0, 4.0, 5.0));
    assertEquals(1.9632, estimate.half(), 1e-4);
    assertEquals(3, estimate.median());
  }
}
