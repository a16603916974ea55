/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.openjdk.jmh.util.ListStatistics;

/**
 * What cannot be true: reads of memory that are faster than a copy of it, and reads of the device
 * that are faster than the device. One sample proves nothing, as in a quick run. Where a ceiling
 * was not measured, or not with as many reads at a time as a contender has, nothing is said.
 * Immutable.
 */
final class Plausibility {
  /** Of resident files that one thread reads in a row, in MB/s. */
  static final Metric THROUGHPUT = Metric.throughput("MB/s");

  /** More than a copy by so much cannot be luck, with confidence intervals that far apart. */
  private static final double OVER_MEMCPY = 1.15;

  /** The ceiling copies blocks at random; one after the other they come faster. */
  private static final double OVER_MEMCPY_AT_RANDOM = 1.5;

  /** Devices have better and worse minutes, and caches of their own. */
  private static final double OVER_DEVICE = 1.5;

  private static final double CONFIDENCE = 0.95;

  /** No device known to us gives more with more reads at a time. */
  private static final int SATURATED = 64;

  private final Run run;
  private final Ceilings ceilings;
  private final List<Cell> cells;

  /**
   * @param benchmark whose cells are looked at
   * @param run with them, and with the ceilings
   */
  Plausibility(String benchmark, Run run) {
    this.run = run;
    this.ceilings = Ceilings.of(run);
    this.cells =
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(benchmark) && cell.samples().size() > 1)
            .toList();
  }

  /** One sentence for each resident file that one thread reads faster than it could be copied. */
  List<String> ofResidentFiles(Predicate<Cell> resident) {
    double most = ceilings.memcpyBytesPerMs(1).orElse(Double.POSITIVE_INFINITY) / 1e3;
    double limit = most * OVER_MEMCPY_AT_RANDOM;
    return sentences(
        cells.stream()
            .filter(cell -> cell.metric().equals(THROUGHPUT) && resident.test(cell))
            .map(
                cell ->
                    unless(
                        cell,
                        cell.median() <= limit,
                        "has %.4g MB/s, more than the %.4g that a copy in memory leaves possible",
                        limit)));
  }

  /**
   * One sentence for each figure of the grid that cannot be true.
   *
   * @param memory limit by which the files are sized
   */
  List<String> ofGrid(long memory) {
    return sentences(
        cells.stream()
            .filter(cell -> cell.contender().role() != Contender.Role.CEILING)
            .map(cell -> violation(cell, memory)));
  }

  private static List<String> sentences(Stream<Optional<String>> violations) {
    return violations.flatMap(Optional::stream).toList();
  }

  private Optional<String> violation(Cell cell, long memory) {
    Regime regime = Regime.valueOf(cell.conditions().get("regime").toUpperCase(Locale.ROOT));
    if (cell.metric().equals(FileCommand.SECONDS_TO_WARM)) {
      double most = ceilings.deviceBytesPerMs().orElse(Double.POSITIVE_INFINITY);
      double least = Regime.COLD.fileBytes(memory) / 1e3 / most / OVER_DEVICE;
      return unless(
          cell, cell.median() >= least, "is warm in %.3g s, the device needs %.3g s", least);
    }
    if (cell.metric().equals(GridCommand.THROUGHPUT)) {
      if (regime == Regime.FITS) {
        return fasterThanMemory(cell);
      }
      if (regime == Regime.EXCEEDS) {
        return fasterThanDevice(cell, 1 - memory / (double) regime.fileBytes(memory));
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

  /** The device has given some of the reads, and was measured with as many at the same time. */
  private Optional<String> fasterThanDevice(Cell cell, double fromDevice) {
    int threads = Integer.parseInt(cell.conditions().get("threads"));
    boolean announced = cell.contender().name().endsWith("-prefetch");
    if (measuredDepth(cell.conditions().get("bytes"))
        < Math.min(SATURATED, announced ? threads * Kernel.READS : threads)) {
      return Optional.empty();
    }
    Optional<Ceilings.Share> device = ceilings.share(cell.metric(), cell.conditions());
    double most = device.map(Ceilings.Share::most).orElse(Double.POSITIVE_INFINITY);
    double limit = most * OVER_DEVICE / fromDevice;
    return unless(
        cell,
        cell.median() <= limit,
        "has %.4g ops/ms, more than the %.4g that the device may have given",
        limit);
  }

  /** The most reads of that length at the same time that the device was measured with. */
  private int measuredDepth(String bytes) {
    return run.cells().stream()
        .filter(cell -> cell.benchmark().equals(Ceilings.BENCHMARK))
        .map(Cell::conditions)
        .filter(ceiling -> Ceilings.DEVICE.equals(ceiling.get("of")))
        .filter(ceiling -> bytes.equals(ceiling.get("bytes")))
        .mapToInt(ceiling -> Integer.parseInt(ceiling.getOrDefault("depth", "0")))
        .max()
        .orElse(0);
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
