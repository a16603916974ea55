/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.report.Duel.Outcome;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DuelTest {
  private static final Metric RATE = Metric.throughput("ops/ms");
  private static final Contender PREAD = Contender.ours("pread");
  private static final Contender MMAP = Contender.other("mmap");

  private static Cell cell(Contender who, Metric metric, double... samples) {
    return SyntheticRuns.cell("x", who, metric, samples);
  }

  private static List<Duel> duels(Cell... cells) {
    return Sheet.of(SyntheticRuns.of(cells)).get(0).duels();
  }

  /** Without samples that spread there is nothing to be unsure of; zeros have no logarithm. */
  @ParameterizedTest
  @CsvSource({
    "LOWER,  50 51 49,         100 101 99,         WON,   2.00",
    "HIGHER, 9 9 9,            1 1,                UNDECIDED, 9",
    "LOWER,  12 12 12,         12 12 12,           LEVEL, 1",
    "LOWER,  13 13 13,         12 12 12,           LOST,  0.92",
    "LOWER,  0 0 0,            700 720 690,        WON,   infinite",
    "LOWER,  700 720 690,      0 0 0,              LOST,  0",
    "LOWER,  0 0 0,            0 0 0,              LEVEL, 1",
    "HIGHER, 10 10.1 9.9 2 10, 10 10.1 9.9 10 10,  LEVEL, 1",
    "HIGHER, 10 10 1 10 10,    9 9 9 9 9,          LEVEL, 1.11",
  })
  void outcomesOfFewFigures(
      Metric.Better better, String ours, String other, Outcome outcome, String ratio) {
    Metric metric = new Metric("x", "", better, true);
    Duel duel = Duel.of(cell(PREAD, metric, figures(ours)), cell(MMAP, metric, figures(other)));
    assertEquals(outcome, duel.outcome());
    assertTrue(Words.ratio(duel.ratio()).startsWith(ratio), duel.toString());
  }

  private static double[] figures(String text) {
    return Arrays.stream(text.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  @Test
  void whatIsNotDecidedIsNeitherWonNorLost() {
    Duel.Score score = Duel.Score.of(duels(cell(MMAP, RATE, 10.0), cell(PREAD, RATE, 9.9)));
    assertEquals(new Duel.Score(0, 0, 0, 1, score.sentence()), score);
    Cli.assertNames(score.sentence(), "1 undecided");
    Metric fact = Metric.fact("read", "bytes");
    assertEquals(List.of(), duels(cell(PREAD, RATE, 9.9)), "nothing to compare with");
    assertEquals(List.of(), duels(cell(MMAP, fact, 1.0), cell(PREAD, fact, 2.0)));
  }
}
