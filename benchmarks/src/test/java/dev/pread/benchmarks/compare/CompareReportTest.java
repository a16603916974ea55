/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.measure.Slot;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Ratios are taken within rounds, and their mean is geometric. */
class CompareReportTest {

  /** A slot of one second. */
  private static Slot slot(int round, QueryKind kind, String directory, long queries) {
    return new Slot(round, kind, directory, queries, 1_000_000_000, queries, 2 * queries, 9);
  }

  private static CompareReport report(List<String> directories, Slot... slots) throws Exception {
    CompareOptions options = new CompareOptions();
    for (String directory : directories) {
      options.kinds.add(DirectoryKind.named(directory));
    }
    return new CompareReport(options, Map.of(), List.of(slots), Map.of());
  }

  @Test
  void ratiosAreTakenWithinRounds() throws Exception {
    // The last round is disturbed: all are slow, and the ratio is what it was.
    CompareReport report =
        report(
            List.of("pread", "mmap"),
            slot(0, QueryKind.TERM, "mmap", 100),
            slot(0, QueryKind.TERM, "pread", 50),
            slot(1, QueryKind.TERM, "mmap", 120),
            slot(1, QueryKind.TERM, "pread", 60),
            slot(2, QueryKind.TERM, "mmap", 10),
            slot(2, QueryKind.TERM, "pread", 5));
    assertEquals(0.5, report.ratio(QueryKind.TERM, "pread"));
    assertEquals(1, report.ratio(QueryKind.TERM, "mmap"));
  }

  @Test
  void meansAreGeometric() throws Exception {
    CompareReport report =
        report(
            List.of("niofs", "pread"),
            slot(0, QueryKind.TERM, "niofs", 100),
            slot(0, QueryKind.TERM, "pread", 400),
            slot(0, QueryKind.KNN, "niofs", 100),
            slot(0, QueryKind.KNN, "pread", 100));
    assertEquals(2, report.meanRatio("pread"), 1e-9);
  }

  @Test
  void stoppedRoundHasNoRatio() throws Exception {
    CompareReport report = report(List.of("mmap", "pread"), slot(0, QueryKind.TERM, "pread", 400));
    assertTrue(Double.isNaN(report.ratio(QueryKind.TERM, "pread")));
    assertTrue(Double.isNaN(report.meanRatio("mmap")));
  }
}
