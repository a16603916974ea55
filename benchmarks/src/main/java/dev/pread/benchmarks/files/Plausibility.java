/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Run;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.openjdk.jmh.util.ListStatistics;

/**
 * What cannot be true: reads of memory that are faster than a copy of it, and reads of the device
 * that are faster than the device. One sample proves nothing, as in a quick run. Where a ceiling
 * was not measured, or not with as many reads at a time as a contender has, nothing is said.
 * Immutable.
 */
final class Plausibility {
  /** More than a copy by so much cannot be luck, with confidence intervals that far apart. */
  private static final double OVER_MEMCPY = 1.15;

  /** Devices have better and worse minutes, and caches of their own. */
  private static final double OVER_DEVICE = 1.5;

  private static final double CONFIDENCE = 0.95;

  /** No device known to us gives more with more reads at a time. */
  private static final int SATURATED = 64;

  private final long memory;
  private final Run run;
  private final Ceilings ceilings;
  private final List<Cell> cells;

  /**
   * @param memory limit by which the files are sized
   * @param run with cells of the grid, and of the ceilings
   */
  Plausibility(long memory, Run run) {
    this.memory = memory;
    this.run = run;
    this.ceilings = Ceilings.of(run);
    this.cells =
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(GridCommand.NAME) && cell.samples().size() > 1)
            .toList();
  }

  /** One sentence for each figure of the grid that cannot be true. */
  List<String> violations() {
    return cells.stream()
        .filter(cell -> cell.contender().role() != Contender.Role.CEILING)
        .flatMap(cell -> violation(cell).stream())
        .toList();
  }

  private Optional<String> violation(Cell cell) {
    Regime regime = Regime.valueOf(cell.conditions().get("regime").toUpperCase(Locale.ROOT));
    if (cell.metric().equals(FileCommand.SECONDS_TO_WARM)) {
      double least = Regime.COLD.fileBytes(memory) / 1e3 / bytesPerMs() / OVER_DEVICE;
      return unless(
          cell, cell.median() >= least, "is warm in %.3g s, the device needs %.3g s", least);
    }
    if (cell.metric().equals(GridCommand.THROUGHPUT)) {
      if (regime == Regime.FITS) {
        return fasterThanMemory(cell);
      }
      if (regime == Regime.EXCEEDS) {
        return fasterThanDevice(cell);
      }
    }
    // How much of it comes from the device is not known.
    return Optional.empty();
  }

  private Optional<String> fasterThanMemory(Cell cell) {
    double limit =
        cells.stream()
            .filter(copy -> copy.contender().role() == Contender.Role.CEILING)
            .filter(copy -> copy.metric().equals(cell.metric()))
            .filter(copy -> copy.conditions().equals(cell.conditions()))
            .mapToDouble(copy -> interval(copy)[1] * OVER_MEMCPY)
            .findAny()
            .orElse(Double.POSITIVE_INFINITY);
    return unless(
        cell,
        !(interval(cell)[0] > limit),
        "has %.4g ops/ms, more than the %.4g that a copy in memory leaves possible",
        limit);
  }

  /** The device has given three reads of four; at random, or as many bytes as in a row. */
  private Optional<String> fasterThanDevice(Cell cell) {
    Map<String, String> conditions = cell.conditions();
    int bytes = Integer.parseInt(conditions.get("bytes"));
    int threads = Integer.parseInt(conditions.get("threads"));
    boolean announced = cell.contender().name().endsWith("-prefetch");
    if (measuredDepth(conditions)
        < Math.min(SATURATED, announced ? threads * Kernel.READS : threads)) {
      return Optional.empty();
    }
    double readsPerMs = bytesPerMs() / bytes;
    OptionalDouble random = ceilings.deviceReadsPerMs(bytes);
    if (conditions.get("order").equals(Order.RANDOM.toString()) && random.isPresent()) {
      readsPerMs = Math.min(readsPerMs, random.getAsDouble());
    }
    double fromDevice = 1 - memory / (double) Regime.EXCEEDS.fileBytes(memory);
    double limit = readsPerMs * OVER_DEVICE / Kernel.READS / fromDevice;
    return unless(
        cell,
        cell.median() <= limit,
        "has %.4g ops/ms, more than the %.4g that the device may have given",
        limit);
  }

  /** The most reads of that length at the same time that the device was measured with. */
  private int measuredDepth(Map<String, String> conditions) {
    return run.cells().stream()
        .filter(cell -> cell.benchmark().equals(Ceilings.BENCHMARK))
        .map(Cell::conditions)
        .filter(ceiling -> Ceilings.DEVICE.equals(ceiling.get("of")))
        .filter(ceiling -> conditions.get("bytes").equals(ceiling.get("bytes")))
        .mapToInt(ceiling -> Integer.parseInt(ceiling.getOrDefault("depth", "0")))
        .max()
        .orElse(0);
  }

  /** What the device gives at most; more than any if it is not known. */
  private double bytesPerMs() {
    return ceilings.deviceBytesPerMs().orElse(Double.POSITIVE_INFINITY);
  }

  private static Optional<String> unless(Cell cell, boolean fine, String text, double limit) {
    String name = cell.contender().name() + " " + cell.conditions().values() + " ";
    return fine
        ? Optional.empty()
        : Optional.of(name + String.format(Locale.ROOT, text, cell.median(), limit));
  }

  private static double[] interval(Cell cell) {
    return new ListStatistics(cell.samples().stream().mapToDouble(x -> x).toArray())
        .getConfidenceIntervalAt(CONFIDENCE);
  }
}
