/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  /**
   * @param memory limit by which the files are sized
   */
  Plausibility(long memory) {
    this.memory = memory;
  }

  /** One sentence for each figure of the grid that cannot be true. */
  List<String> violations(Run run) {
    Ceilings ceilings = Ceilings.of(run);
    List<Cell> cells =
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(GridCommand.NAME) && cell.samples().size() > 1)
            .toList();
    List<String> violations = new ArrayList<>();
    for (Cell cell : cells) {
      if (cell.contender().role() == Contender.Role.CEILING) {
        continue;
      }
      if (cell.metric().equals(GridCommand.SECONDS_TO_WARM)) {
        warmTooSoon(cell, ceilings, violations);
      } else if (cell.metric().equals(GridCommand.THROUGHPUT)) {
        switch (regime(cell)) {
          case FITS -> fasterThanMemory(cell, cells, violations);
          case EXCEEDS -> fasterThanDevice(cell, run, violations);
          default -> {
            // How much of it comes from the device is not known.
          }
        }
      }
    }
    return violations;
  }

  private static void fasterThanMemory(Cell cell, List<Cell> cells, List<String> violations) {
    for (Cell copy : cells) {
      if (copy.contender().role() == Contender.Role.CEILING
          && copy.metric().equals(cell.metric())
          && copy.conditions().equals(cell.conditions())) {
        double limit = statistics(copy).getConfidenceIntervalAt(CONFIDENCE)[1] * OVER_MEMCPY;
        if (statistics(cell).getConfidenceIntervalAt(CONFIDENCE)[0] > limit) {
          violations.add(
              text(cell, statistics(cell).getMean(), "ops/ms", limit)
                  + " that a copy in memory leaves possible");
        }
      }
    }
  }

  private void fasterThanDevice(Cell cell, Run run, List<String> violations) {
    Ceilings ceilings = Ceilings.of(run);
    int bytes = Integer.parseInt(cell.conditions().get("bytes"));
    double fromDevice = 1 - memory / (double) Regime.EXCEEDS.fileBytes(memory);
    double readsPerMs = median(cell) * Kernel.READS * fromDevice;
    OptionalDouble reads = ceilings.deviceReadsPerMs(bytes);
    if (isRandom(cell) && reads.isPresent() && measuredDepth(run, bytes) >= depth(cell)) {
      double limit = reads.getAsDouble() * OVER_DEVICE;
      if (readsPerMs > limit) {
        violations.add(
            text(cell, readsPerMs, "reads/ms of the device", limit) + " that it may have given");
        return;
      }
    }
    OptionalDouble bytesPerMs = ceilings.deviceBytesPerMs();
    double limit = bytesPerMs.orElse(Double.POSITIVE_INFINITY) * OVER_DEVICE;
    if (measuredDepth(run, bytes) >= depth(cell) && readsPerMs * bytes > limit) {
      violations.add(
          text(cell, readsPerMs * bytes, "bytes/ms of the device", limit)
              + " that it may have given");
    }
  }

  private void warmTooSoon(Cell cell, Ceilings ceilings, List<String> violations) {
    OptionalDouble bytesPerMs = ceilings.deviceBytesPerMs();
    if (bytesPerMs.isEmpty()) {
      return;
    }
    double limit = Regime.COLD.fileBytes(memory) / bytesPerMs.getAsDouble() / 1000 / OVER_DEVICE;
    double seconds = median(cell);
    if (seconds < limit) {
      violations.add(
          String.format(
              Locale.ROOT,
              "%s is warm after %.3g s, before the %.3g s in which the device may have given the"
                  + " file",
              name(cell),
              seconds,
              limit));
    }
  }

  private static String text(Cell cell, double value, String unit, double limit) {
    return String.format(
        Locale.ROOT, "%s has %.4g %s, more than the %.4g", name(cell), value, unit, limit);
  }

  private static String name(Cell cell) {
    Map<String, String> conditions = cell.conditions();
    return cell.contender().name() + " (" + String.join(", ", conditions.values()) + ")";
  }

  private static Regime regime(Cell cell) {
    return Regime.valueOf(cell.conditions().get("regime").toUpperCase(Locale.ROOT));
  }

  private static boolean isRandom(Cell cell) {
    return cell.conditions().get("order").equals(Order.RANDOM.label());
  }

  /** Reads that a contender can have under way at the same time. */
  private static int depth(Cell cell) {
    int threads = Integer.parseInt(cell.conditions().get("threads"));
    boolean prefetches = cell.contender().name().endsWith("-prefetch");
    return Math.min(SATURATED, prefetches ? threads * Kernel.READS : threads);
  }

  /** The most reads at the same time that the device was measured with. */
  private static int measuredDepth(Run run, int bytes) {
    return run.cells().stream()
        .filter(cell -> cell.benchmark().equals(Ceilings.BENCHMARK))
        .map(Cell::conditions)
        .filter(conditions -> Ceilings.DEVICE.equals(conditions.get("of")))
        .filter(conditions -> Integer.toString(bytes).equals(conditions.get("bytes")))
        .mapToInt(conditions -> Integer.parseInt(conditions.getOrDefault("depth", "0")))
        .max()
        .orElse(0);
  }

  private static double median(Cell cell) {
    return cell.median();
  }

  private static ListStatistics statistics(Cell cell) {
    return new ListStatistics(cell.samples().stream().mapToDouble(x -> x).toArray());
  }
}
