/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs that look like those of the suite, with made-up figures: nothing in them was measured. The
 * same seed gives the same run.
 */
final class SyntheticRuns {
  static final List<Contender> GRID =
      List.of(
          Contender.ours("pread"),
          Contender.ours("direct"),
          Contender.ours("ffm-pread"),
          Contender.ours("ffm-direct"),
          Contender.other("mmap-bare"),
          Contender.other("mmap-bare-random"),
          Contender.other("mmap-bare-prefetch"),
          Contender.other("channel-direct"),
          Contender.other("channel-heap"),
          Contender.other("mmap"),
          Contender.other("mmap-random"),
          Contender.other("niofs"),
          Contender.other("lucene-misc-direct"));

  private static final List<Contender> DIRECTORIES =
      List.of(
          Contender.ours("pread"),
          Contender.ours("direct"),
          Contender.other("mmap"),
          Contender.other("niofs"));

  private final Random random;
  private final int samples;
  private final double factor;
  private final List<Cell> cells = new ArrayList<>();
  private final List<Curve> curves = new ArrayList<>();
  private boolean complete = true;

  SyntheticRuns(long seed, int samples) {
    this(seed, samples, 1);
  }

  /**
   * @param seed of the noise
   * @param samples of each cell
   * @param factor on all figures
   */
  SyntheticRuns(long seed, int samples, double factor) {
    this.random = new Random(seed);
    this.samples = samples;
    this.factor = factor;
  }

  /** Everything that a full run has. */
  static Run full(long seed) {
    return new SyntheticRuns(seed, 10).ceiling().grid().workloads().streams().natives().run();
  }

  SyntheticRuns stopped() {
    complete = false;
    return this;
  }

  Run run() {
    return new Run(
        Run.FORMAT,
        new Run.About(
            "2026-01-02T03:04:05Z",
            "all --memory 1g --rounds 3 --work /data/scratch --json all.json --html all.html",
            "0.1.0-SNAPSHOT (0123abc)",
            Map.of("kernel", "6.18.0", "processors", 2, "memoryBytes", 25_165_824_000L),
            Map.of("version", "25.0.3+9", "flags", List.of("-Xmx1g", "-XX:+UseG1GC")),
            Map.of("device", "vda", "readAheadKiB", 128, "cgroup", "v2"),
            Map.of(
                "quick",
                false,
                "rounds",
                3,
                "seed",
                42,
                "grid",
                Map.of("threads", List.of(1, 4, 8, 16), "forks", 2))),
        complete,
        List.of("The figures of this page are made up: they show its layout and nothing else."),
        List.of(
            new Run.Skipped(
                "ceiling: io_uring",
                "fio was built without it: install the distribution's own fio package")),
        cells,
        curves);
  }

  SyntheticRuns ceiling() {
    Metric reads = Metric.throughput("reads/ms");
    for (int bytes : List.of(4096, 16384)) {
      for (int depth : List.of(1, 4, 8, 16)) {
        double device = (bytes == 4096 ? 15 : 12) * Math.pow(depth, 0.5);
        double copy = (bytes == 4096 ? 4500 : 1600) * Math.min(depth, 2);
        add("ceiling", ceilingOf("device", bytes, "psync", depth), "fio psync", reads, device);
        add("ceiling", ceilingOf("memcpy", bytes, "copy", depth), "memcpy", reads, copy);
      }
      add("ceiling", ceilingOf("device", bytes, "io_uring", 64), "fio io_uring", reads, 78);
    }
    return this;
  }

  private static Map<String, String> ceilingOf(String of, int bytes, String engine, int depth) {
    return conditions(
        "of", of, "order", "random", "bytes", bytes, "engine", engine, "depth", depth);
  }

  private void add(
      String benchmark, Map<String, String> conditions, String name, Metric metric, double value) {
    add(benchmark, conditions, Contender.ceiling(name), metric, value);
  }

  SyntheticRuns grid() {
    Metric ops = Metric.throughput("ops/ms");
    for (String regime : List.of("fits", "limit", "exceeds", "cold")) {
      for (String order : List.of("random", "sequential")) {
        for (int bytes : List.of(4096, 16384)) {
          for (int threads : List.of(1, 4, 8, 16)) {
            for (int i = 0; i < GRID.size(); i++) {
              double value = gridFigure(GRID.get(i).name(), regime, order, threads);
              add(
                  "grid",
                  conditions("regime", regime, "order", order, "bytes", bytes, "threads", threads),
                  GRID.get(i),
                  ops,
                  value * (bytes == 4096 ? 1.9 : 1));
            }
          }
        }
      }
    }
    return this;
  }

  private double gridFigure(String name, String regime, String order, int threads) {
    boolean mapped = name.startsWith("mmap");
    boolean device = name.contains("direct") && !name.startsWith("channel");
    double scaling = Math.min(threads, 2) * (name.startsWith("channel") ? 0.8 : 1);
    double base =
        switch (regime) {
          case "fits" -> mapped ? 38 : device ? (name.equals("direct") ? 36 : 0.2) : 25;
          case "limit" -> mapped ? 0.9 : device ? 1.0 : 1.3;
          case "exceeds" -> mapped ? 0.3 : device ? 0.9 : 0.7;
          default -> mapped ? 2.0 : device ? 1.4 : 0.9;
        };
    double own = name.equals("pread") ? 1.35 : name.equals("niofs") ? 0.7 : 1;
    double spread = 1 + (Math.floorMod(name.hashCode(), 17) - 8) / 60.0;
    double inOrder = order.equals("sequential") && !device ? 1.4 : 1;
    double queue = regime.equals("fits") ? 1 : Math.pow(threads, 0.3);
    return base * scaling * own * spread * inOrder * queue;
  }

  SyntheticRuns workloads() {
    double[] percentiles = {0, 50, 75, 90, 99, 99.9, 99.99, 99.999};
    List<String> names =
        List.of(
            "bulkload",
            "readrandom",
            "multireadrandom",
            "fwdrange",
            "revrange",
            "overwrite",
            "readwhilewriting",
            "fwdrangewhilewriting",
            "revrangewhilewriting");
    for (int w = 0; w < names.size(); w++) {
      for (Contender contender : DIRECTORIES) {
        Map<String, String> conditions = conditions("workload", names.get(w), "memory", "1g");
        double speed = speed(contender.name()) * (1 + 0.1 * random.nextGaussian());
        double base = 100_000 / (1.0 + w);
        add("workloads", conditions, contender, Metric.throughput("ops/s"), base * speed);
        Metric p99 = Metric.cost("p99", "us");
        add("workloads", conditions, contender, p99, 900 * (1 + w) / speed);
        add("workloads", conditions, contender, Metric.cost("p99.9", "us"), 3000 / speed);
        Metric safepoint = Metric.cost("time to safepoint", "us");
        add("workloads", conditions, contender, safepoint, mapped(contender) ? 1070 : 7);
        Metric read = Metric.fact("device read", "bytes");
        add("workloads", conditions, contender, read, 4e9 / speed);
        Metric faults = Metric.listedCost("major faults", "");
        add("workloads", conditions, contender, faults, mapped(contender) ? 70_000 : 0);
        List<Curve.Point> points = new ArrayList<>();
        for (double percentile : percentiles) {
          double nines = -Math.log10(1 - percentile / 100);
          points.add(new Curve.Point(percentile, 90 * Math.pow(3.1, nines) / speed));
        }
        Curve.Axes axes =
            new Curve.Axes("latency", "percentile", "latency, us", Curve.Scale.PERCENTILES);
        curves.add(new Curve("workloads", conditions, contender, axes, points));
        List<Curve.Point> warm = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
          warm.add(new Curve.Point(t / 10.0, base * speed * (1 - Math.exp(-t / 20.0 * speed))));
        }
        Curve.Axes time = new Curve.Axes("time to warm", "s", "ops/s", Curve.Scale.LINEAR);
        if (names.get(w).equals("readrandom")) {
          curves.add(new Curve("workloads", conditions, contender, time, warm));
        }
      }
    }
    return this;
  }

  private static boolean mapped(Contender contender) {
    return contender.name().startsWith("mmap");
  }

  private static double speed(String name) {
    return switch (name) {
      case "pread" -> 1.3;
      case "direct" -> 1.5;
      case "niofs" -> 0.8;
      default -> 1;
    };
  }

  SyntheticRuns streams() {
    List<String> others = List.of("stream", "channel direct", "channel heap", "mapped");
    for (String direction : List.of("write", "read")) {
      for (int buffer : List.of(1024, 8192)) {
        Map<String, String> conditions = conditions("direction", direction, "bufferBytes", buffer);
        double base = 1500 * (buffer == 1024 ? 0.6 : 1);
        for (int i = 0; i < others.size(); i++) {
          Contender other = Contender.other(others.get(i));
          add("streams", conditions, other, Metric.throughput("MB/s"), base * (1 + 0.12 * i));
        }
        Contender ours = Contender.ours("pread " + (direction.equals("read") ? "in" : "out"));
        add("streams", conditions, ours, Metric.throughput("MB/s"), base * 1.3);
      }
    }
    return this;
  }

  SyntheticRuns natives() {
    for (String call : List.of("stat", "open+fstat", "fstat", "pread 8 B", "pread 8 KiB")) {
      for (Contender contender :
          List.of(Contender.ours("ffm"), Contender.other("jdk"), Contender.ceiling("C"))) {
        double base = call.length() * 40.0;
        double cost = contender.name().equals("jdk") ? 1.3 : 1;
        add("native", conditions("call", call), contender, Metric.cost("time", "ns"), base * cost);
      }
    }
    return this;
  }

  SyntheticRuns add(
      String benchmark,
      Map<String, String> conditions,
      Contender contender,
      Metric metric,
      double value) {
    List<Double> list = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      double noisy = value * factor * (1 + 0.03 * random.nextGaussian());
      list.add(value == Math.rint(value) && value < 1 ? value : noisy);
    }
    cells.add(new Cell(benchmark, conditions, contender, metric, list));
    return this;
  }

  static Map<String, String> conditions(Object... namesAndValues) {
    Map<String, String> conditions = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      conditions.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
    }
    return conditions;
  }
}
