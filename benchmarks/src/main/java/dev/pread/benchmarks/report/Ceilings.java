/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.machine.Regime;
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

  /**
   * How much more than its ceiling a figure may be: machines have better and worse minutes, and one
   * process copies up to 1.3 times as fast as the next, whatever its own iterations say.
   */
  private static final double TOLERANCE = 1.5;

  /** So many reads at a time saturate any device known to us. */
  private static final int SATURATED = 64;

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

  /** Says what reads can reach at most, and whether the device or a copy is it. */
  public record Share(Map<String, String> conditions, String of, double most) {}

  /**
   * Returns the ceiling of a figure: the device where data is read from it (the regime {@code
   * exceeds}), a copy in memory where all of it is resident ({@code fits}). Conditions without a
   * regime, or one between these, have no ceiling.
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
      case "exceeds" ->
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
   * Says what is wrong with the figures of a benchmark.
   *
   * @param impossible a sentence for each that cannot be true
   * @param unchecked says how many have a ceiling that is not known well enough; empty if none
   */
  public record Verdict(List<String> impossible, String unchecked) {}

  /**
   * Compares the figures of a benchmark with their ceilings. One sample, as in a quick run, proves
   * nothing, and neither does a device that was measured with fewer reads at a time.
   *
   * @param memory limit by which files are sized, in bytes
   */
  public static Verdict verdict(Run run, String benchmark, long memory) {
    Ceilings ceilings = of(run);
    List<String> impossible = new ArrayList<>();
    int limited = 0;
    int unchecked = 0;
    for (Cell cell : run.cells()) {
      if (cell.benchmark().equals(benchmark) && cell.contender().role() != Contender.Role.CEILING) {
        OptionalDouble excess = ceilings.excess(cell, run, memory);
        limited += excess.isPresent() ? 1 : 0;
        unchecked += Double.isNaN(excess.orElse(0)) ? 1 : 0;
        if (excess.orElse(0) > TOLERANCE) {
          impossible.add(
              String.format(
                  Locale.ROOT,
                  "IMPOSSIBLE: %s: %s %s: %s: %s is %s times as good as the machine allows",
                  cell.benchmark(),
                  cell.contender().name(),
                  cell.conditions(),
                  Words.metric(cell.metric()),
                  Words.figure(cell.median()),
                  Words.ratio(excess.getAsDouble())));
        }
      }
    }
    String sentence =
        String.format(
            Locale.ROOT,
            "%s: %d of %d figures are NOT checked against what the machine allows: that takes two"
                + " samples, and a ceiling that was measured with as many reads at a time",
            benchmark,
            unchecked,
            limited);
    return new Verdict(impossible, unchecked == 0 ? "" : sentence);
  }

  /**
   * Returns the ratio of a figure to what is possible: not a number if that is not known, and
   * nothing where there is no limit.
   */
  private OptionalDouble excess(Cell cell, Run run, long memory) {
    Map<String, String> where = cell.conditions();
    String regime = where.getOrDefault("regime", "");
    String unit = cell.metric().unit();
    double figure = cell.samples().size() > 1 ? cell.median() : Double.NaN;
    if (unit.equals("MB/s") && (where.containsKey("call") || "warm".equals(where.get("cache")))) {
      // One thread reads a file that is in memory.
      OptionalDouble copies = most(Map.of("of", MEMCPY, "depth", "1"), Ceilings::bytesPerMs);
      return ratio(1e3 * figure, copies);
    }
    if (READS.containsKey(unit) && regime.equals(Regime.FITS.toString())) {
      return ratio(
          figure,
          run.cells().stream()
              .filter(copy -> copy.contender().role() == Contender.Role.CEILING)
              .filter(copy -> copy.metric().equals(cell.metric()))
              .filter(copy -> copy.conditions().equals(where))
              .mapToDouble(Cell::median)
              .findAny());
    }
    if (READS.containsKey(unit) && regime.equals(Regime.EXCEEDS.toString())) {
      double fromDevice = 1 - memory / (double) Regime.EXCEEDS.fileBytes(memory);
      return ratio(
          fromDevice * figure,
          share(cell.metric(), where).stream()
              .filter(share -> isMeasured(cell))
              .mapToDouble(Share::most)
              .findAny());
    }
    return OptionalDouble.empty(); // How much of it comes from the device is not known.
  }

  /**
   * Returns whether the device was measured in a contender's order and, at random, with reads of
   * the same length and as many at a time. In order, the system reads ahead for all.
   */
  private boolean isMeasured(Cell cell) {
    Map<String, String> where = cell.conditions();
    String order = where.getOrDefault("order", "random");
    int announced = cell.contender().name().endsWith("-prefetch") ? READS.get("ops/ms") : 1;
    int reads =
        Math.min(SATURATED, announced * Integer.parseInt(where.getOrDefault("threads", "1")));
    return cells.stream()
        .map(Cell::conditions)
        .filter(device -> DEVICE.equals(device.get("of")) && order.equals(device.get("order")))
        .anyMatch(
            device ->
                order.equals("sequential")
                    || (device.get("bytes").equals(where.get("bytes"))
                        && Integer.parseInt(device.get("depth")) >= reads));
  }

  private static OptionalDouble ratio(double figure, OptionalDouble most) {
    return OptionalDouble.of(figure / most.orElse(Double.NaN));
  }
}
