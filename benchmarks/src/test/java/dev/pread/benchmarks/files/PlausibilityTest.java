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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlausibilityTest {
  private static final long MEMORY = 1L << 30;

  private final List<Cell> cells = new ArrayList<>();

  private void grid(Way way, Regime regime, Metric metric, Double... samples) {
    grid(way, new GridCommand.Point(regime, Order.RANDOM, 4096, 4), metric, samples);
  }

  private void grid(Way way, GridCommand.Point point, Metric metric, Double... samples) {
    cells.add(
        new Cell(GridCommand.NAME, Figures.map(point), way.contender(), metric, List.of(samples)));
  }

  private void device(String order, int bytes, int depth, double readsPerMs) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("of", Ceilings.DEVICE);
    conditions.put("order", order);
    conditions.put("bytes", Integer.toString(bytes));
    conditions.put("engine", "io_uring");
    conditions.put("depth", Integer.toString(depth));
    cells.add(
        new Cell(
            Ceilings.BENCHMARK,
            conditions,
            Contender.ceiling("device"),
            Metric.throughput("reads/ms"),
            List.of(readsPerMs)));
  }

  private Run run() {
    Run.About about = new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of());
    return new Run(Run.FORMAT, about, false, List.of(), List.of(), cells, List.of());
  }

  private List<String> violations() {
    return new Plausibility(GridCommand.NAME, run()).ofGrid(MEMORY);
  }

  private void violated(String... words) {
    List<String> violations = violations();
    assertEquals(1, violations.size(), violations.toString());
    for (String word : words) {
      assertTrue(violations.get(0).contains(word), violations.toString());
    }
  }

  private void fine() {
    assertEquals(List.of(), violations());
  }

  @Test
  void readsOfMemoryAreNoFasterThanACopyOfIt() {
    grid(Way.MEMCPY, Regime.FITS, GridCommand.THROUGHPUT, 100.0, 101.0, 102.0);
    grid(Way.MMAP, Regime.FITS, GridCommand.THROUGHPUT, 110.0, 111.0, 112.0);
    fine();
    grid(Way.PREAD, Regime.FITS, GridCommand.THROUGHPUT, 130.0, 131.0, 132.0);
    violated("pread [fits, random, 4096, 4]", "131.0 ops/ms", "a copy in memory");
  }

  @Test
  void copiesOfOtherCellsSayNothing() {
    grid(Way.MEMCPY, Regime.FITS, GridCommand.THROUGHPUT, 100.0, 101.0, 102.0);
    GridCommand.Point more = new GridCommand.Point(Regime.FITS, Order.RANDOM, 4096, 8);
    grid(Way.MMAP, more, GridCommand.THROUGHPUT, 200.0, 201.0, 202.0);
    fine();
  }

  @Test
  void noisyOrSingleSamplesProveNothing() {
    grid(Way.MEMCPY, Regime.FITS, GridCommand.THROUGHPUT, 100.0, 101.0, 102.0);
    grid(Way.MMAP, Regime.FITS, GridCommand.THROUGHPUT, 90.0, 150.0, 200.0);
    grid(Way.NIOFS, Regime.FITS, GridCommand.THROUGHPUT, 500.0);
    device("random", 4096, 64, 80);
    grid(Way.NIOFS, Regime.EXCEEDS, GridCommand.THROUGHPUT, 500.0);
    fine();
  }

  @Test
  void noisyCopiesProveNothing() {
    grid(Way.MEMCPY, Regime.FITS, GridCommand.THROUGHPUT, 60.0, 100.0, 140.0);
    grid(Way.MMAP, Regime.FITS, GridCommand.THROUGHPUT, 130.0, 131.0, 132.0);
    fine();
  }

  /** 80 reads/ms of the device, three reads of four from it: 106.7 in all, 6.7 operations/ms. */
  @Test
  void readsOfTheDeviceAreNoFasterThanIt() {
    device("random", 4096, 64, 80);
    grid(Way.DIRECT, Regime.EXCEEDS, GridCommand.THROUGHPUT, 9.9, 9.9);
    fine();
    grid(Way.PREAD, Regime.EXCEEDS, GridCommand.THROUGHPUT, 10.1, 10.1);
    violated("pread [exceeds, random, 4096, 4]", "10.10 ops/ms", "10.00");
  }

  @Test
  void bytesOfTheDeviceAreNoMoreThanItGives() {
    device("sequential", 1 << 20, 64, 1);
    device("sequential", 16384, 64, 1);
    GridCommand.Point inARow = new GridCommand.Point(Regime.EXCEEDS, Order.SEQUENTIAL, 16384, 4);
    // 1 MiB/ms, so 1.5 in all, and 2 at most: 128 reads of 16 KiB, 8 operations.
    grid(Way.MMAP, inARow, GridCommand.THROUGHPUT, 7.9, 7.9);
    fine();
    grid(Way.PREAD, inARow, GridCommand.THROUGHPUT, 8.1, 8.1);
    violated("pread [exceeds, sequential, 16384, 4]", "the device");
  }

  @Test
  void aDeviceMeasuredWithFewerReadsAtATimeIsNoCeiling() {
    device("random", 4096, 16, 80);
    // 4 threads with 16 announced reads each.
    grid(Way.PREAD_PREFETCH, Regime.EXCEEDS, GridCommand.THROUGHPUT, 20.0, 20.0);
    fine();
    device("random", 4096, 64, 80);
    violated("pread-prefetch");
  }

  @Test
  void withoutCeilingsNothingIsSaid() {
    grid(Way.PREAD, Regime.FITS, GridCommand.THROUGHPUT, 1e6, 1e6);
    grid(Way.PREAD, Regime.EXCEEDS, GridCommand.THROUGHPUT, 1e6, 1e6);
    grid(Way.PREAD, Regime.COLD, FileCommand.SECONDS_TO_WARM, 1e-6, 1e-6);
    fine();
  }

  /** 256 MiB at 1.024 MiB/ms take 0.25 s, and two thirds of that at half as much again. */
  @Test
  void aFileIsNotWarmBeforeItIsRead() {
    device("sequential", 1 << 20, 64, 1.024);
    grid(Way.MMAP, Regime.COLD, FileCommand.SECONDS_TO_WARM, 0.2, 0.2);
    fine();
    grid(Way.PREAD, Regime.COLD, FileCommand.SECONDS_TO_WARM, 0.1, 0.1);
    violated("pread [cold, random, 4096, 4]", "warm in 0.100 s", "0.167 s");
  }

  @Test
  void allViolationsAreNamed() {
    grid(Way.MEMCPY, Regime.FITS, GridCommand.THROUGHPUT, 100.0, 101.0, 102.0);
    grid(Way.MMAP, Regime.FITS, GridCommand.THROUGHPUT, 200.0, 201.0, 202.0);
    grid(Way.PREAD, Regime.FITS, GridCommand.THROUGHPUT, 130.0, 131.0, 132.0);
    assertEquals(2, violations().size());
  }

  private void resident(String benchmark, String cache, Double... samples) {
    Map<String, String> where = Map.of("cache", cache);
    cells.add(
        new Cell(
            benchmark, where, Way.MMAP.contender(), Plausibility.THROUGHPUT, List.of(samples)));
  }

  private List<String> ofResidentFiles() {
    return new Plausibility("streams", run())
        .ofResidentFiles(cell -> "warm".equals(cell.conditions().get("cache")));
  }

  @Test
  void noThreadReadsAResidentFileFasterThanItCopiesMemory() {
    // 10 GB/s, and twice that by more threads, which is nothing to one.
    for (int threads : new int[] {1, 2}) {
      Map<String, String> where =
          Map.of("of", Ceilings.MEMCPY, "bytes", "10000", "depth", Integer.toString(threads));
      Contender copies = Way.MEMCPY.contender();
      List<Double> perMs = List.of(1000.0 * threads);
      cells.add(new Cell(Ceilings.BENCHMARK, where, copies, Ceilings.THROUGHPUT, perMs));
    }
    resident("streams", "warm", 15_000.0, 14_900.0);
    resident("streams", "dirty", 99_000.0, 99_000.0);
    resident("streams", "warm", 99_000.0);
    resident("native", "warm", 99_000.0, 99_000.0);
    assertEquals(List.of(), ofResidentFiles());
    resident("streams", "warm", 15_100.0, 15_200.0);
    assertEquals(1, ofResidentFiles().size());
    String sentence = ofResidentFiles().get(0);
    assertTrue(sentence.contains("mmap [warm] has 1.515e+04 MB/s, more than"), sentence);
    cells.removeIf(cell -> cell.benchmark().equals(Ceilings.BENCHMARK));
    assertEquals(List.of(), ofResidentFiles(), "without a ceiling nothing is said");
  }
}
