/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.result;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/**
 * The ceilings among a run's cells, whose benchmark is {@value #BENCHMARK}: reads/ms, with the
 * conditions {@code of} ({@value #DEVICE} or {@value #MEMCPY}), {@code order} ({@code random} or
 * {@code sequential}), {@code bytes} of a read, {@code engine} ({@code psync}, {@code io_uring},
 * {@code ffm} or {@code copy}) and {@code depth} (reads at the same time: jobs or threads times
 * queue depth).
 */
public final class Ceilings {
  /** Of the cells. */
  public static final String BENCHMARK = "ceiling";

  /** Reads of the device with O_DIRECT. */
  public static final String DEVICE = "device";

  /** Copies of blocks out of memory in huge pages. */
  public static final String MEMCPY = "memcpy";

  public static final Metric THROUGHPUT = Metric.throughput("reads/ms");

  /** Reads of an operation, as in the benchmarks that the grid repeats. */
  private static final int READS_PER_OP = 16;

  private final List<Cell> cells;

  private Ceilings(List<Cell> cells) {
    this.cells = cells;
  }

  /** Those of a run; none if they were not measured. */
  public static Ceilings of(Run run) {
    return new Ceilings(
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(BENCHMARK))
            .filter(cell -> cell.metric().equals(THROUGHPUT)) // Latencies have the same conditions.
            .toList());
  }

  /** The most random reads/ms of a length that the device gave, with any engine and depth. */
  public OptionalDouble deviceReadsPerMs(int bytes) {
    return best(
        cell ->
            is(cell, "of", DEVICE)
                && is(cell, "order", "random")
                && is(cell, "bytes", Integer.toString(bytes)));
  }

  /** The most random reads/ms that the device gave to a number of synchronous readers. */
  public OptionalDouble deviceReadsPerMs(int bytes, int readers) {
    return best(
        cell ->
            is(cell, "of", DEVICE)
                && is(cell, "order", "random")
                && is(cell, "bytes", Integer.toString(bytes))
                && !is(cell, "engine", "io_uring")
                && is(cell, "depth", Integer.toString(readers)));
  }

  /** The most bytes/ms that the device gave in any way. */
  public OptionalDouble deviceBytesPerMs() {
    return cells.stream()
        .filter(cell -> is(cell, "of", DEVICE))
        .mapToDouble(cell -> cell.median() * Long.parseLong(cell.conditions().get("bytes")))
        .max();
  }

  /** The most copies/ms of a length by a number of threads. */
  public OptionalDouble memcpyPerMs(int bytes, int threads) {
    return best(
        cell ->
            is(cell, "of", MEMCPY)
                && is(cell, "bytes", Integer.toString(bytes))
                && is(cell, "depth", Integer.toString(threads)));
  }

  /** The most bytes/ms that a number of threads copied, in blocks of any length. */
  public OptionalDouble memcpyBytesPerMs(int threads) {
    return cells.stream()
        .filter(cell -> is(cell, "of", MEMCPY) && is(cell, "depth", Integer.toString(threads)))
        .mapToDouble(cell -> cell.median() * Long.parseLong(cell.conditions().get("bytes")))
        .max();
  }

  /**
   * What reads can reach at most.
   *
   * @param of the device or a copy
   * @param most in the metric's unit
   */
  public record Share(String of, double most) {}

  /**
   * Returns the ceiling of a figure: the device where data is read from it (the regimes {@code
   * exceeds} and {@code cold}), a copy in memory where all of it is resident ({@code fits}).
   * Conditions without a regime, or one between these, have no ceiling.
   */
  public Optional<Share> share(Metric metric, Map<String, String> conditions) {
    int readsPerUnit =
        metric.unit().equals("reads/ms") ? 1 : metric.unit().equals("ops/ms") ? READS_PER_OP : 0;
    String bytes = conditions.getOrDefault("bytes", "");
    String threads = conditions.getOrDefault("threads", "");
    if (metric.better() != Metric.Better.HIGHER
        || readsPerUnit == 0
        || !bytes.matches("[1-9][0-9]{0,8}")) {
      return Optional.empty();
    }
    int length = Integer.parseInt(bytes);
    String regime = conditions.getOrDefault("regime", "");
    OptionalDouble most = OptionalDouble.empty();
    if (regime.equals("fits") && threads.matches("[1-9][0-9]{0,5}")) {
      most = memcpyPerMs(length, Integer.parseInt(threads));
    } else if (regime.equals("exceeds") || regime.equals("cold")) {
      // In order, the system reads ahead: what counts is the bytes.
      most =
          "sequential".equals(conditions.get("order"))
              ? DoubleStream.of(deviceBytesPerMs().orElse(0) / length).findAny()
              : deviceReadsPerMs(length);
    }
    return most.orElse(0) > 0
        ? Optional.of(
            new Share(regime.equals("fits") ? MEMCPY : DEVICE, most.orElse(0) / readsPerUnit))
        : Optional.empty();
  }

  private OptionalDouble best(Predicate<Cell> wanted) {
    return cells.stream().filter(wanted).mapToDouble(Cell::median).max();
  }

  private static boolean is(Cell cell, String condition, String value) {
    return value.equals(cell.conditions().get(condition));
  }
}
