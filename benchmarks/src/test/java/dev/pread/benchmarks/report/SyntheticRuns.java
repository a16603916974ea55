/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Runs that look like those of the suite, with made-up figures: nothing in them was measured. */
public final class SyntheticRuns {
  private static final List<Contender> CONTENDERS =
      List.of(
          Contender.ours("pread"),
          Contender.ours("direct"),
          Contender.other("mmap-bare-prefetch"),
          Contender.other("mmap"),
          Contender.other("lucene-misc-direct"));

  private final Random random = new Random(1);
  private final List<Cell> cells = new ArrayList<>();

  /** Everything that a full run has, complete or not. */
  static Run full(boolean complete) {
    SyntheticRuns runs = new SyntheticRuns();
    for (String bytes : List.of("4096", "16384")) {
      Map<String, String> device = Map.of("of", "device", "order", "random", "bytes", bytes);
      runs.add("ceiling", device, Contender.ceiling("fio"), Metric.throughput("reads/ms"), 200);
      for (String regime : List.of("fits", "limit", "exceeds", "cold")) {
        for (String threads : List.of("1", "4", "16")) {
          runs.grid(regime, bytes, threads);
        }
      }
    }
    List.of("bulkload", "readrandom", "readwhilewriting").forEach(runs::workload);
    return run(runs.cells, complete);
  }

  /** Returns a run of these cells. */
  public static Run of(Cell... cells) {
    return run(List.of(cells), true);
  }

  static Run run(List<Cell> cells, boolean complete) {
    return new Run(
        Run.FORMAT,
        Machine.about("all --memory 1g", "0.1.0-SNAPSHOT (0123abc)"),
        complete,
        List.of("The figures of this page are made up: they show its layout and nothing else."),
        List.of(new Run.Skipped("ceiling: io_uring", "no fio: install the distribution's own")),
        cells);
  }

  private void grid(String regime, String bytes, String threads) {
    Map<String, String> where = new LinkedHashMap<>(Map.of("order", "random", "regime", regime));
    where.put("bytes", bytes);
    where.put("threads", threads);
    for (Contender who : CONTENDERS) {
      double figure = 20 * Math.exp(random.nextGaussian());
      add("grid", where, who, Metric.throughput("ops/ms"), figure);
    }
  }

  private void workload(String name) {
    Map<String, String> where = Map.of("workload", name, "memory", "1g");
    for (Contender who : CONTENDERS) {
      double speed = Math.exp(random.nextGaussian() / 3);
      add("workloads", where, who, Metric.throughput("ops/s"), 50_000 * speed);
      add("workloads", where, who, Metric.cost("p99", "us"), 900 / speed);
      add("workloads", where, who, Metric.fact("device read", "bytes"), 4e9 / speed);
    }
  }

  /** Adds a cell whose samples are near a value. */
  private void add(
      String benchmark, Map<String, String> where, Contender who, Metric metric, double value) {
    List<Double> list = random.doubles(5).mapToObj(noise -> value * (0.95 + noise / 10)).toList();
    cells.add(new Cell(benchmark, where, who, metric, list));
  }

  /** Returns the cells of a run whose contender, metric and conditions have all these names. */
  public static List<Cell> find(Run run, String... names) {
    List<Cell> found = new ArrayList<>();
    for (Cell cell : run.cells()) {
      List<String> all = new ArrayList<>(cell.conditions().values());
      all.addAll(List.of(cell.contender().name(), cell.metric().name()));
      if (all.containsAll(List.of(names))) {
        found.add(cell);
      }
    }
    return found;
  }

  /** Returns a cell under the condition {@code k}. */
  public static Cell cell(String k, Contender who, Metric metric, double... samples) {
    return new Cell("b", Map.of("k", k), who, metric, Arrays.stream(samples).boxed().toList());
  }
}
