/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be true is said, and nothing else. */
class CeilingsTest {
  private static final Contender MEMCPY = Contender.ceiling("memcpy");

  private final List<Cell> cells = new ArrayList<>();

  private void add(Contender who, String unit, String samples, String... where) {
    Map<String, String> conditions = new LinkedHashMap<>();
    for (int i = 0; i < where.length; i += 2) {
      conditions.put(where[i], where[i + 1]);
    }
    List<Double> all = Stream.of(samples.split(" ", -1)).map(Double::valueOf).toList();
    String benchmark = conditions.containsKey("of") ? Ceilings.BENCHMARK : "b";
    cells.add(new Cell(benchmark, conditions, who, Metric.throughput(unit), all));
  }

  /**
   * Copies: 100 operations/ms in the grid, 1000 reads of 4 KiB by one thread. The device: 80
   * reads/ms, three of four from it, so 6.7 operations; a quarter of 1 GiB takes it 0.8 s.
   */
  @ParameterizedTest
  @CsvSource({
    "pread,  4,  ops/ms, regime, fits,    4096,  149 149,     possible",
    "pread,  4,  ops/ms, regime, fits,    4096,  151 151,     impossible",
    "pread,  4,  ops/ms, regime, fits,    4096,  999,         unchecked",
    "pread,  4,  ops/ms, regime, fits,    8192,  999 999,     unchecked",
    "pread,  4,  ops/ms, regime, limit,   4096,  999 999,     unlimited",
    "pread,  4,  ops/ms, regime, exceeds, 4096,  9.9 9.9,     possible",
    "pread,  4,  ops/ms, regime, exceeds, 4096,  10.1 10.1,   impossible",
    "a-prefetch, 4, ops/ms, regime, exceeds, 4096, 10.1 10.1, impossible",
    "a-prefetch, 9, ops/ms, regime, exceeds, 4096, 10.1 10.1, impossible",
    "pread,  16, ops/ms, regime, exceeds, 16384, 2.6 2.6,     impossible",
    "pread,  17, ops/ms, regime, exceeds, 16384, 2.6 2.6,     unchecked",
    "a-prefetch, 1, ops/ms, regime, exceeds, 16384, 2.6 2.6,  impossible",
    "a-prefetch, 2, ops/ms, regime, exceeds, 16384, 2.6 2.6,  unchecked",
    "pread,  4,  MB/s,   cache,  warm,    4096,  6143 6143,   possible",
    "pread,  4,  MB/s,   cache,  warm,    4096,  6145 6145,   impossible",
    "pread,  4,  MB/s,   cache,  dirty,   4096,  9999 9999,   unlimited",
    "pread,  4,  MB/s,   call,   read,    -,     6145 6145,   impossible",
  })
  void noReadIsFasterThanWhatItIsMadeOf(
      String who,
      String threads,
      String unit,
      String name,
      String value,
      String bytes,
      String samples,
      String outcome) {
    add(MEMCPY, "ops/ms", "95 100 105", "regime", "fits", "bytes", "4096", "threads", threads);
    add(MEMCPY, "reads/ms", "1000", "of", "memcpy", "bytes", "4096", "depth", "1");
    add(MEMCPY, "reads/ms", "9000", "of", "memcpy", "bytes", "4096", "depth", "4");
    Contender fio = Contender.ceiling("fio");
    for (String[] device : new String[][] {{"4096", "64", "80"}, {"16384", "16", "20"}}) {
      String[] where = {"of", "device", "order", "random", "bytes", device[0], "depth", device[1]};
      add(fio, "reads/ms", device[2], where);
    }
    add(Contender.ours(who), unit, samples, name, value, "bytes", bytes, "threads", threads);
    boolean isUnlimited = outcome.equals("unlimited");
    assertEquals(isUnlimited ? "possible" : outcome, outcome());
    cells.removeIf(cell -> cell.contender().role() == Contender.Role.CEILING);
    assertEquals(isUnlimited ? "possible" : "unchecked", outcome(), "without any ceiling");
  }

  /** However many read at a time, the system reads ahead for all. */
  @Test
  void readsInOrderAreComparedWithADeviceThatWasReadInOrder() {
    Contender fio = Contender.ceiling("fio");
    add(fio, "reads/ms", "80", "of", "device", "order", "random", "bytes", "4096", "depth", "64");
    String[] where = {"regime", "exceeds", "order", "sequential", "bytes", "4096", "threads", "16"};
    add(Contender.ours("pread"), "ops/ms", "10.1 10.1", where);
    assertEquals("unchecked", outcome());
    String mebi = Integer.toString(1 << 20);
    add(fio, "reads/ms", "0.3", "of", "device", "order", "sequential", "bytes", mebi, "depth", "4");
    assertEquals("impossible", outcome());
  }

  private String outcome() {
    Run run = SyntheticRuns.of(cells.toArray(new Cell[0]));
    Ceilings.Verdict verdict = Ceilings.verdict(run, "b", 1L << 30);
    assertEquals(List.of(), Ceilings.verdict(run, "another", 1L << 30).impossible());
    return verdict.impossible().size() == 1
        ? "impossible"
        : verdict.unchecked().startsWith("b: 1 of 1 figures") ? "unchecked" : "possible";
  }
}
