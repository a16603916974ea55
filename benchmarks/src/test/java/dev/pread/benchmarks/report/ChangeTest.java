/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The interval against distributions whose truth is known. */
final class ChangeTest {
  private static final Metric RATE = Metric.throughput("ops/ms");

  private static Cell cell(Metric metric, double... samples) {
    return SyntheticRuns.cell("x", Contender.ours("pread"), metric, samples);
  }

  /** Factors that spread as the measured ones do. */
  private static Cell drawn(Random random, int n, double median, double spread) {
    return cell(
        RATE,
        DoubleStream.generate(() -> median * Math.exp(spread * random.nextGaussian()))
            .limit(n)
            .toArray());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 10})
  void sameDistributionIsNoDifferenceInAboutNineteenOfTwenty(int n) {
    Random random = new Random(n);
    int runs = 1000;
    int none = 0;
    for (int i = 0; i < runs; i++) {
      Change change = Change.of(drawn(random, n, 20, 0.1), drawn(random, n, 20, 0.1));
      none += change.verdict() == Change.Verdict.NO_DIFFERENCE ? 1 : 0;
    }
    double share = none / (double) runs;
    assertTrue(share > 0.935 && share < 0.985, n + " samples: " + share);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5, 10})
  void intervalHoldsTheTruthInAboutNineteenOfTwentyWithUnequalSpreads(int n) {
    Random random = new Random(100 + n);
    int runs = 1500;
    int held = 0;
    for (int i = 0; i < runs; i++) {
      Change change = Change.of(drawn(random, n, 20, 0.02), drawn(random, n, 30, 0.2));
      held += change.low() <= 1.5 && change.high() >= 1.5 ? 1 : 0;
    }
    double share = held / (double) runs;
    assertTrue(share > 0.93 && share < 0.985, n + " samples: " + share);
  }

  @Test
  void findsATenthMoreInSmallNoise() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Cell a = drawn(random, 5, 100, 0.01);
      Cell b = drawn(random, 5, 110, 0.01);
      assertEquals(Change.Verdict.BETTER, Change.of(a, b).verdict());
      assertEquals(Change.Verdict.WORSE, Change.of(b, a).verdict());
    }
  }

  @Test
  void exchangedRunsHaveTheInverse() {
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      Cell a = drawn(random, 3 + random.nextInt(6), 1 + 1000 * random.nextDouble(), 0.3);
      Cell b = drawn(random, 3 + random.nextInt(6), 1 + 1000 * random.nextDouble(), 0.3);
      Change forth = Change.of(a, b);
      Change back = Change.of(b, a);
      assertEquals(forth.ratio(), 1 / back.ratio(), 1e-9 * forth.ratio());
      assertEquals(forth.low(), 1 / back.high(), 1e-9 * forth.low());
      assertEquals(forth.high(), 1 / back.low(), 1e-9 * forth.high());
      assertTrue(forth.low() <= forth.ratio() && forth.ratio() <= forth.high());
    }
  }

  /** Without samples that spread there is nothing to be unsure of; zeros have no logarithm. */
  @ParameterizedTest
  @CsvSource({
    "LOWER,   100 101 99,  50 51 49,    BETTER,          0.50",
    "NEITHER, 100 101 99,  50 51 49,    DIFFERENT,       0.50",
    "HIGHER,  1 1,         9 9 9,       TOO_FEW_SAMPLES, 9",
    "LOWER,   12 12 12,    12 12 12,    NO_DIFFERENCE,   1",
    "LOWER,   12 12 12,    13 13 13,    WORSE,           1.08",
    "LOWER,   700 720 690, 0 0 0,       BETTER,          0",
    "LOWER,   0 0 0,       700 720 690, WORSE,           infinite",
    "LOWER,   0 0 0,       0 0 0,       NO_DIFFERENCE,   1",
  })
  void verdictsOfFewFigures(
      Metric.Better better, String a, String b, Change.Verdict verdict, String ratio) {
    Metric metric = new Metric("x", "", better, true);
    Change change = Change.of(cell(metric, figures(a)), cell(metric, figures(b)));
    assertEquals(verdict, change.verdict());
    assertTrue(change.figure().startsWith(ratio), change.figure());
  }

  private static double[] figures(String text) {
    return Arrays.stream(text.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }

  @Test
  void anOutlierMakesNoDifference() {
    Change change =
        Change.of(cell(RATE, 10.0, 10.1, 9.9, 10.0, 10.0), cell(RATE, 10.0, 10.1, 9.9, 2.0, 10.0));
    assertEquals(Change.Verdict.NO_DIFFERENCE, change.verdict());
    assertEquals(1, change.ratio());
    assertTrue(change.low() < 1 && change.high() > 1, change.toString());
  }
}
