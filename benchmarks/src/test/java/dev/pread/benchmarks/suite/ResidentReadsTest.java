/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResidentReadsTest {
  private final List<Cell> cells = new ArrayList<>();

  /** By a number of threads, of 10 kB each. */
  private void copies(int threads, double copiesPerMs) {
    Map<String, String> conditions =
        Map.of("of", Ceilings.MEMCPY, "bytes", "10000", "depth", Integer.toString(threads));
    Contender memcpy = Contender.ceiling("memcpy");
    add(Ceilings.BENCHMARK, conditions, memcpy, Ceilings.THROUGHPUT, copiesPerMs);
  }

  private void reads(String benchmark, String cache, Double... samples) {
    Contender mmap = Contender.other("mmap");
    add(benchmark, Map.of("cache", cache), mmap, ResidentReads.THROUGHPUT, samples);
  }

  private void add(
      String benchmark,
      Map<String, String> conditions,
      Contender contender,
      Metric metric,
      Double... samples) {
    cells.add(new Cell(benchmark, conditions, contender, metric, List.of(samples)));
  }

  private void check() throws ImplausibleResult {
    Run.About about = new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of());
    Run run = new Run(Run.FORMAT, about, false, List.of(), List.of(), cells, List.of());
    ResidentReads.check(run, "streams", cell -> "warm".equals(cell.conditions().get("cache")));
  }

  @Test
  void noneIsFasterThanMemory() throws Exception {
    // 10 GB/s, and twice that by more threads, which is nothing to one.
    copies(1, 1000);
    copies(4, 2000);
    reads("streams", "warm", 15_000.0, 14_900.0);
    check();
    reads("streams", "warm", 15_100.0, 15_200.0);
    ImplausibleResult e = assertThrows(ImplausibleResult.class, this::check);
    assertTrue(e.getMessage().contains("mmap {cache=warm} reads 1.515e+04 MB/s"), e.getMessage());
    assertTrue(e.getMessage().contains("more than the 1.500e+04"), e.getMessage());
  }

  @Test
  void whatIsNotResidentOrOfAnotherPartIsNotLookedAt() throws Exception {
    copies(1, 1000);
    reads("streams", "dirty", 99_000.0, 99_000.0);
    reads("native", "warm", 99_000.0, 99_000.0);
    check();
  }

  @Test
  void oneSampleProvesNothingNorDoesARunWithoutCeiling() throws Exception {
    reads("streams", "warm", 99_000.0, 99_000.0);
    check();
    cells.clear();
    copies(1, 1000);
    reads("streams", "warm", 99_000.0);
    check();
  }
}
