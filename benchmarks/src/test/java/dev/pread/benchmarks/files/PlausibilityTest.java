/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be true is said, and nothing else. */
class PlausibilityTest {
  private final List<Cell> cells = new ArrayList<>();

  private void add(
      String benchmark, Map<String, String> where, Way way, Metric metric, Double... all) {
    cells.add(new Cell(benchmark, where, way.contender(), metric, List.of(all)));
  }

  /** Copies out of memory or reads of the device: the figure, and in a row a thousandth of it. */
  private void ceiling(String of, int depth, double readsPerMs) {
    for (int bytes : new int[] {4096, 4096 * 1000}) {
      Map<String, String> where =
          Map.of(
              "of",
              of,
              "order",
              bytes == 4096 ? "random" : "sequential",
              "bytes",
              Integer.toString(bytes),
              "depth",
              Integer.toString(depth));
      double figure = readsPerMs * 4096 / bytes;
      add(Ceilings.BENCHMARK, where, Way.MEMCPY, Ceilings.THROUGHPUT, figure);
    }
  }

  private List<String> violations(String benchmark) {
    Run.About about = new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of());
    Run run = new Run(Run.FORMAT, about, false, List.of(), List.of(), cells, List.of());
    return new Plausibility(run, 1L << 30).violations(benchmark);
  }

  /**
   * Copies: 100 operations/ms. The device: 80 reads/ms, three reads of four from it, so 106.7 in
   * all and 6.7 operations; 256 MiB take 0.8 s.
   */
  @ParameterizedTest
  @CsvSource({
    "MMAP, FITS, RANDOM, 4, 114, true",
    "MMAP, FITS, RANDOM, 4, 116, false",
    "MMAP, FITS, RANDOM, 8, 999, true",
    "DIRECT, EXCEEDS, RANDOM, 4, 9.9, true",
    "DIRECT, EXCEEDS, RANDOM, 4, 10.1, false",
    "DIRECT, EXCEEDS, SEQUENTIAL, 4, 9.9, true",
    "DIRECT, EXCEEDS, SEQUENTIAL, 4, 10.1, false",
    "DIRECT, EXCEEDS, RANDOM, 32, 99, true",
    "DIRECT_PREFETCH, EXCEEDS, RANDOM, 4, 99, true",
    "DIRECT_PREFETCH, EXCEEDS, RANDOM, 1, 99, false",
    "DIRECT, LIMIT, RANDOM, 4, 999, true",
    "DIRECT, COLD, RANDOM, 4, 999, true",
  })
  void noReadIsFasterThanWhatItIsMadeOf(
      Way way, Regime regime, Order order, int threads, double figure, boolean fine) {
    GridCommand.Point copies = new GridCommand.Point(Regime.FITS, order, 4096, 4);
    GridCommand.Point point = new GridCommand.Point(regime, order, 4096, threads);
    Metric metric = GridCommand.THROUGHPUT;
    add(GridCommand.NAME, Figures.map(copies), Way.MEMCPY, metric, 100.0, 100.0, 100.0);
    add(GridCommand.NAME, Figures.map(point), way, metric, figure);
    ceiling(Ceilings.DEVICE, 16, 80);
    assertEquals(List.of(), violations(GridCommand.NAME), "one sample proves nothing");
    add(GridCommand.NAME, Figures.map(point), way, metric, figure, figure, figure);
    assertEquals(fine ? 0 : 1, violations(GridCommand.NAME).size(), cells.toString());
    assertEquals(List.of(), violations("streams"));
    cells.removeIf(cell -> cell.contender().role() == Contender.Role.CEILING);
    assertEquals(List.of(), violations(GridCommand.NAME), "without ceilings nothing is said");
  }

  @Test
  void noisyReadsOrCopiesProveNothing() {
    Map<String, String> where =
        Figures.map(new GridCommand.Point(Regime.FITS, Order.RANDOM, 4096, 4));
    add(GridCommand.NAME, where, Way.MEMCPY, GridCommand.THROUGHPUT, 100.0, 101.0, 102.0);
    add(GridCommand.NAME, where, Way.MMAP, GridCommand.THROUGHPUT, 90.0, 150.0, 200.0);
    assertEquals(List.of(), violations(GridCommand.NAME));
    add(GridCommand.NAME, where, Way.PREAD, GridCommand.THROUGHPUT, 130.0, 131.0, 132.0);
    assertEquals(
        List.of(
            "pread [fits, random, 4096, 4] has 131.0 ops/ms, more than the 119.0 that a copy in"
                + " memory leaves possible"),
        violations(GridCommand.NAME));
    cells.removeIf(cell -> cell.contender().role() == Contender.Role.CEILING);
    add(GridCommand.NAME, where, Way.MEMCPY, GridCommand.THROUGHPUT, 60.0, 100.0, 140.0);
    assertEquals(List.of(), violations(GridCommand.NAME));
  }

  @Test
  void aFileIsNotWarmBeforeItIsRead() {
    ceiling(Ceilings.DEVICE, 64, 80);
    Map<String, String> where =
        Figures.map(new GridCommand.Point(Regime.COLD, Order.RANDOM, 4096, 4));
    add(GridCommand.NAME, where, Way.MMAP, FileCommand.SECONDS_TO_WARM, 0.55, 0.55);
    assertEquals(List.of(), violations(GridCommand.NAME));
    add(GridCommand.NAME, where, Way.PREAD, FileCommand.SECONDS_TO_WARM, 0.54, 0.54);
    assertEquals(
        List.of(
            "pread [cold, random, 4096, 4] has 0.5400 s, less than the 0.546 that the device leaves"
                + " possible"),
        violations(GridCommand.NAME));
  }

  @ParameterizedTest
  @CsvSource({
    "cache, warm, 6143, true",
    "cache, warm, 6145, false",
    "call, read a file, 6145, false",
    "cache, dirty, 9999, true",
  })
  void noThreadReadsAResidentFileFasterThanItCopiesMemory(
      String condition, String value, double figure, boolean fine) {
    ceiling(Ceilings.MEMCPY, 1, 1000);
    ceiling(Ceilings.MEMCPY, 2, 9000);
    Map<String, String> where = Collections.singletonMap(condition, value);
    add("streams", where, Way.MMAP, FileCommand.BYTES, figure, figure);
    List<String> violations = violations("streams");
    assertEquals(fine ? 0 : 1, violations.size(), violations.toString());
    // Its figure, and a ceiling of 1000 reads of 4096 bytes in a millisecond, and half as much.
    assertTrue(fine || violations.get(0).matches(".*6145 .*6144 .*"), violations.toString());
  }
}
