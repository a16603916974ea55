/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be true is said, and nothing else. */
class CeilingsTest {
  private static final Contender MEMCPY = Contender.ceiling("memcpy");

  private final List<Cell> cells = new ArrayList<>();

  private void add(Contender who, String unit, double figure, int samples, String... where) {
    Map<String, String> conditions = new LinkedHashMap<>();
    for (int i = 0; i < where.length; i += 2) {
      conditions.put(where[i], where[i + 1]);
    }
    List<Double> all = Collections.nCopies(samples, figure);
    String benchmark = conditions.containsKey("of") ? Ceilings.BENCHMARK : "b";
    cells.add(new Cell(benchmark, conditions, who, Metric.throughput(unit), all));
  }

  /**
   * Copies: 100 operations/ms in the grid, 1000 reads of 4 KiB by one thread. The device: 80
   * reads/ms, three of four from it, so 6.7 operations; a quarter of 1 GiB takes it 0.8 s.
   */
  @ParameterizedTest
  @CsvSource({
    "ops/ms, regime, fits,    4096,  149,  3, 0",
    "ops/ms, regime, fits,    4096,  151,  3, 1",
    "ops/ms, regime, fits,    4096,  151,  1, 0",
    "ops/ms, regime, fits,    8192,  999,  3, 0",
    "ops/ms, regime, limit,   4096,  999,  3, 0",
    "ops/ms, regime, exceeds, 4096,  9.9,  3, 0",
    "ops/ms, regime, exceeds, 4096,  10.1, 3, 1",
    "ops/ms, regime, exceeds, 16384, 10.1, 3, 0",
    "ops/ms, regime, cold,    4096,  999,  3, 0",
    "s,      regime, cold,    4096,  0.55, 3, 0",
    "s,      regime, cold,    4096,  0.54, 3, 1",
    "MB/s,   cache,  warm,    4096,  6143, 3, 0",
    "MB/s,   cache,  warm,    4096,  6145, 3, 1",
    "MB/s,   cache,  dirty,   4096,  9999, 3, 0",
    "MB/s,   call,   read,    -,     6145, 3, 1",
  })
  void noReadIsFasterThanWhatItIsMadeOf(
      String unit,
      String name,
      String value,
      String bytes,
      double figure,
      int samples,
      int impossible) {
    add(MEMCPY, "ops/ms", 100, samples, "regime", "fits", "bytes", "4096", "threads", "4");
    add(MEMCPY, "reads/ms", 1000, 1, "of", "memcpy", "bytes", "4096", "depth", "1");
    add(MEMCPY, "reads/ms", 9000, 1, "of", "memcpy", "bytes", "4096", "depth", "4");
    Contender fio = Contender.ceiling("fio");
    for (String[] device : new String[][] {{"4096", "64", "80"}, {"16384", "16", "20"}}) {
      double reads = Double.parseDouble(device[2]);
      String[] where = {"of", "device", "order", "random", "bytes", device[0], "depth", device[1]};
      add(fio, "reads/ms", reads, 1, where);
    }
    assertEquals(List.of(), violations());
    Contender ours = Contender.ours("pread");
    add(ours, unit, figure, samples, name, value, "bytes", bytes, "threads", "4");
    assertEquals(impossible, violations().size(), violations().toString());
    cells.removeIf(cell -> cell.contender().role() == Contender.Role.CEILING);
    assertEquals(List.of(), violations(), "without ceilings nothing is said");
  }

  private List<String> violations() {
    return Ceilings.impossible(SyntheticRuns.of(cells.toArray(new Cell[0])), 1L << 30);
  }
}
