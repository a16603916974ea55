/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.workload.QueryKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Medians over rounds, ratios within them. */
class SummaryTest {

  /** A slot of one second. */
  private static Slot slot(int round, QueryKind kind, String directory, long queries) {
    return new Slot(round, kind, directory, queries, 1_000_000_000, queries, 2 * queries, 9);
  }

  @Test
  void ratiosAreTakenWithinRounds() {
    // The last round is disturbed: all are slow, and the ratio is what it was.
    Summary summary =
        new Summary(
            List.of(
                slot(0, QueryKind.TERM, "mmap", 100),
                slot(0, QueryKind.TERM, "pread", 50),
                slot(1, QueryKind.TERM, "mmap", 120),
                slot(1, QueryKind.TERM, "pread", 60),
                slot(2, QueryKind.TERM, "mmap", 10),
                slot(2, QueryKind.TERM, "pread", 5)),
            List.of("pread", "mmap"));
    assertEquals("mmap", summary.base());
    Summary.Row pread = summary.rows().get(0);
    assertEquals("pread", pread.directory());
    assertEquals(50, pread.queriesPerSecond());
    assertEquals(50, pread.p50Nanos());
    assertEquals(100, pread.p99Nanos());
    assertEquals(0.5, pread.ratio());
    assertEquals(1, summary.rows().get(1).ratio());
  }

  @Test
  void meansAreGeometric() {
    Summary summary =
        new Summary(
            List.of(
                slot(0, QueryKind.TERM, "niofs", 100),
                slot(0, QueryKind.TERM, "pread", 400),
                slot(0, QueryKind.KNN, "niofs", 100),
                slot(0, QueryKind.KNN, "pread", 100)),
            List.of("niofs", "pread"));
    assertEquals("niofs", summary.base());
    assertEquals(2, summary.geometricMeans().get("pread"), 1e-9);
  }

  @Test
  void stoppedRoundHasNoRatio() {
    Summary summary =
        new Summary(List.of(slot(0, QueryKind.TERM, "pread", 400)), List.of("mmap", "pread"));
    assertEquals(1, summary.rows().size());
    assertTrue(Double.isNaN(summary.rows().get(0).ratio()));
    assertTrue(Double.isNaN(summary.geometricMeans().get("mmap")));
  }

  @Test
  void mediansOfEvenCountsAreBetween() {
    assertEquals(2.5, Statistics.median(new double[] {4, 1, 3, 2}));
  }
}
