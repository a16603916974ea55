/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Finds the ceilings among a run's cells, whose benchmark is {@value #BENCHMARK}: reads/ms, with
 * the conditions {@code of} ({@value #DEVICE} or {@value #MEMCPY}), {@code order} ({@code random}
 * or {@code sequential}), {@code bytes} of a read, {@code engine} ({@code psync}, {@code io_uring}
 * or {@code copy}) and {@code depth} (reads at the same time: jobs or threads times queue depth).
 */
public record Ceilings(List<Cell> cells) {
  public static final String BENCHMARK = "ceiling";

  public static final String DEVICE = "device";
  public static final String MEMCPY = "memcpy";
  public static final Metric THROUGHPUT = Metric.throughput("reads/ms");

  /** Machines have better and worse minutes, but so much is no luck. */
  private static final double TOLERANCE = 1.5;

  /** So many reads at a time saturate any device known to us. */
  private static final String SATURATED = "64";

  /** How many reads each unit of throughput is: an operation of the grid makes 16. */
  private static final Map<String, Integer> READS = Map.of("reads/ms", 1, "ops/ms", 16);

  public static Ceilings of(Run run) {
    return new Ceilings(
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(BENCHMARK))
            .filter(cell -> cell.metric().equals(THROUGHPUT)) // Latencies have the same conditions.
            .toList());
  }

  /** Returns the most random reads/ms of a length that the device gave in any way. */
  public OptionalDouble deviceReadsPerMs(int bytes) {
    return most(Map.of("of", DEVICE, "order", "random", "bytes", "" + bytes), Cell::median);
  }

  /** Returns the most bytes/ms that the device gave in any way. */
  public OptionalDouble deviceBytesPerMs() {
    return most(Map.of("of", DEVICE), Ceilings::bytesPerMs);
  }

  private static double bytesPerMs(Cell cell) {
    return cell.median() * Long.parseLong(cell.conditions().get("bytes"));
  }

  private OptionalDouble most(Map<String, String> where, ToDoubleFunction<Cell> figure) {
    return cells.stream()
        .filter(cell -> cell.conditions().entrySet().containsAll(where.entrySet()))
        .mapToDouble(figure)
        .max();
  }

  /** What reads can reach at most, and whether the device or a copy is it. */
  public record Share(Map<String, String> conditions, String of, double most) {}

  /**
   * Returns the ceiling of a figure: the device where data is read from it (the regimes {@code
   * exceeds} and {@code cold}), a copy in memory where all of it is resident ({@code fits}).
   * Conditions without a regime, or one between these, have no ceiling.
   */
  public Optional<Share> share(Metric metric, Map<String, String> conditions) {
    Integer reads = READS.get(metric.unit());
    String bytes = conditions.getOrDefault("bytes", "");
    String threads = conditions.getOrDefault("threads", "");
    if (reads == null || !bytes.matches("[1-9]\\d{0,8}")) {
      return Optional.empty();
    }
    return switch (conditions.getOrDefault("regime", "")) {
      case "fits" ->
          share(
              conditions,
              MEMCPY,
              most(Map.of("of", MEMCPY, "bytes", bytes, "depth", threads), Cell::median),
              reads);
      case "exceeds", "cold" ->
          // In order, the system reads ahead: what counts is the bytes.
          "sequential".equals(conditions.get("order"))
              ? share(conditions, DEVICE, deviceBytesPerMs(), reads * Double.parseDouble(bytes))
              : share(conditions, DEVICE, deviceReadsPerMs(Integer.parseInt(bytes)), reads);
      default -> Optional.empty();
    };
  }

  private static Optional<Share> share(
      Map<String, String> conditions, String of, OptionalDouble most, double perUnit) {
    return most.stream().mapToObj(all -> new Share(conditions, of, all / perUnit)).findFirst();
  }

  /**
   * Returns a sentence for each figure of a run that cannot be true. One sample, as in a quick run,
   * proves nothing, and nothing is said where no ceiling was measured.
   *
   * @param memory limit by which files are sized, in bytes
   */
  public static List<String> impossible(Run run, long memory) {
    Ceilings ceilings = of(run);
    List<String> sentences = new ArrayList<>();
    for (Cell cell : run.cells()) {
      double excess = ceilings.excess(cell, run, memory);
      if (excess > TOLERANCE
          && cell.samples().size() > 1
          && cell.contender().role() != Contender.Role.CEILING) {
        sentences.add(
            String.format(
                Locale.ROOT,
                "IMPOSSIBLE: %s: %s %s: %s: %s is %s times as good as the machine allows",
                cell.benchmark(),
                cell.contender().name(),
                cell.conditions(),
                Words.metric(cell.metric()),
                Words.figure(cell.median()),
                Words.ratio(excess)));
      }
    }
    return sentences;
  }

  /** Returns the ratio of a figure to what is possible; 0 if that is not known. */
  private double excess(Cell cell, Run run, long memory) {
    Map<String, String> where = cell.conditions();
    String regime = where.getOrDefault("regime", "");
    String unit = cell.metric().unit();
    double figure = cell.median();
    if (unit.equals("MB/s") && (where.containsKey("call") || "warm".equals(where.get("cache")))) {
      // One thread reads a file that is in memory.
      return ratio(1e3 * figure, most(Map.of("of", MEMCPY, "depth", "1"), Ceilings::bytesPerMs));
    }
    if (unit.equals("s") && regime.equals("cold")) {
      return ratio(memory / 4e3 / figure, deviceBytesPerMs()); // It has read the file once.
    }
    if (!READS.containsKey(unit)) {
      return 0;
    }
    if (regime.equals("fits")) {
      return ratio(
          figure,
          run.cells().stream()
              .filter(copy -> copy.contender().role() == Contender.Role.CEILING)
              .filter(copy -> copy.metric().equals(cell.metric()))
              .filter(copy -> copy.conditions().equals(where))
              .mapToDouble(Cell::median)
              .max());
    }
    Map<String, String> saturated =
        Map.of("of", DEVICE, "bytes", where.getOrDefault("bytes", ""), "depth", SATURATED);
    return regime.equals("exceeds") && most(saturated, Cell::median).isPresent()
        // A quarter of the file may be in memory.
        ? share(cell.metric(), where).map(share -> 0.75 * figure / share.most()).orElse(0.0)
        : 0;
  }

  private static double ratio(double figure, OptionalDouble most) {
    return figure / most.orElse(Double.POSITIVE_INFINITY);
  }
}
