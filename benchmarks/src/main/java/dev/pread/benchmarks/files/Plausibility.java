/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Run;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.openjdk.jmh.util.ListStatistics;

/**
 * Finds what cannot be true: reads of memory that are faster than a copy of it, and reads of the
 * device that are faster than the device. One sample proves nothing, as in a quick run. Where a
 * ceiling was not measured, or not with as many reads at a time as a contender has, nothing is
 * said.
 *
 * @param run with the figures, and with the ceilings
 * @param memory limit by which files are sized, in bytes
 */
record Plausibility(Run run, long memory) {
  /**
   * What a figure may be above its ceiling: devices have better and worse minutes, and caches of
   * their own; the copies of the ceiling are measured at random, and in a row they come faster.
   */
  private static final double TOLERANCE = 1.5;

  /**
   * More than copies of the same order and threads by so much cannot be luck, with confidence
   * intervals that far apart.
   */
  private static final double OVER_COPIES = 1.15;

  private static final double CONFIDENCE = 0.95;

  /** So many reads at a time saturate any device known to us. */
  private static final int SATURATED = 64;

  /** Returns one sentence for each figure of a benchmark that cannot be true. */
  List<String> violations(String benchmark) {
    return run.cells().stream()
        .filter(cell -> cell.benchmark().equals(benchmark) && cell.samples().size() > 1)
        .filter(cell -> cell.contender().role() != Contender.Role.CEILING)
        .map(this::violation)
        .filter(sentence -> !sentence.isEmpty())
        .toList();
  }

  private String violation(Cell cell) {
    if (cell.metric().equals(GridCommand.THROUGHPUT)
        && Regime.FITS.toString().equals(cell.conditions().get("regime"))) {
      double copies = copies(cell) * OVER_COPIES;
      boolean fine = !(interval(cell)[0] > copies);
      return sentence(cell, fine, "more than the %.4g that a copy in memory", copies);
    }
    double least = leastSeconds(cell) / TOLERANCE;
    if (cell.metric().equals(FileCommand.SECONDS_TO_WARM)) {
      return sentence(cell, cell.median() >= least, "less than the %.3g that the device", least);
    }
    double most = most(cell) * TOLERANCE;
    return sentence(cell, cell.median() <= most, "more than the %.4g that the machine", most);
  }

  private static String sentence(Cell cell, boolean fine, String text, double limit) {
    String name = cell.contender().name() + " " + cell.conditions().values();
    String has = String.format(Locale.ROOT, " has %.4g %s, ", cell.median(), cell.metric().unit());
    return fine ? "" : name + has + String.format(Locale.ROOT, text, limit) + " leaves possible";
  }

  /** Computes how long the device takes to give the file of the grid that is read cold. */
  private double leastSeconds(Cell cell) {
    double bytes = cell.conditions().containsKey("regime") ? Regime.COLD.fileBytes(memory) : 0;
    return bytes / 1e3 / orAny(Ceilings.of(run).deviceBytesPerMs());
  }

  /** Computes the most that a throughput can be. */
  private double most(Cell cell) {
    Map<String, String> where = cell.conditions();
    Ceilings ceilings = Ceilings.of(run);
    if (cell.metric().equals(FileCommand.BYTES)) {
      // Of the files that are in memory, where one thread reads in a row.
      boolean resident = where.containsKey("call") || "warm".equals(where.get("cache"));
      return resident ? orAny(ceilings.memcpyBytesPerMs(1)) / 1e3 : Double.POSITIVE_INFINITY;
    }
    if (cell.metric().equals(GridCommand.THROUGHPUT)
        && Regime.EXCEEDS.toString().equals(where.get("regime"))
        && deviceIsKnown(cell)) {
      double fromDevice = 1 - memory / (double) Regime.EXCEEDS.fileBytes(memory);
      double device =
          ceilings
              .share(cell.metric(), where)
              .map(Ceilings.Share::most)
              .orElse(Double.POSITIVE_INFINITY);
      return device / fromDevice;
    }
    // How much of it comes from the device is not known.
    return Double.POSITIVE_INFINITY;
  }

  private static double orAny(OptionalDouble most) {
    return most.orElse(Double.POSITIVE_INFINITY);
  }

  /** Finds the most that copies in memory have under the same conditions. */
  private double copies(Cell cell) {
    return orAny(
        run.cells().stream()
            .filter(copy -> copy.contender().role() == Contender.Role.CEILING)
            .filter(copy -> copy.metric().equals(cell.metric()))
            .filter(copy -> copy.conditions().equals(cell.conditions()))
            .mapToDouble(copy -> interval(copy)[1])
            .findAny());
  }

  private static double[] interval(Cell cell) {
    return new ListStatistics(cell.samples().stream().mapToDouble(x -> x).toArray())
        .getConfidenceIntervalAt(CONFIDENCE);
  }

  /** Returns whether the device was measured with as many reads at a time as a contender has. */
  private boolean deviceIsKnown(Cell cell) {
    boolean announced = cell.contender().name().endsWith("-prefetch");
    int threads = Integer.parseInt(cell.conditions().get("threads"));
    int depth = Math.min(SATURATED, announced ? threads * Kernel.READS : threads);
    return run.cells().stream()
        .filter(ceiling -> ceiling.benchmark().equals(Ceilings.BENCHMARK))
        .map(Cell::conditions)
        .filter(ceiling -> Ceilings.DEVICE.equals(ceiling.get("of")))
        .filter(ceiling -> ceiling.get("bytes").equals(cell.conditions().get("bytes")))
        .anyMatch(ceiling -> Integer.parseInt(ceiling.get("depth")) >= depth);
  }
}
