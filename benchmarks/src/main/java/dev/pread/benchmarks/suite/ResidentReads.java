/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Whether reads of a file in memory, by one thread, are slower than a copy of memory is: if they
 * are not, they have not been made. Asked where the ceilings were measured in the same run. (The
 * grid, whose cells have a copy of their own beside them, asks more.)
 */
public final class ResidentReads {
  /** In MB/s. */
  public static final Metric THROUGHPUT = Metric.throughput("MB/s");

  /** The ceiling copies blocks at random; one after the other they come faster. */
  private static final double OVER_MEMCPY = 1.5;

  private static final double BYTES_PER_MS = 1000;

  private ResidentReads() {}

  /**
   * Looks at all cells of one benchmark with {@link #THROUGHPUT} that are {@code resident}. One
   * sample proves nothing, as in a quick run.
   *
   * @throws ImplausibleResult if one cannot be true
   */
  public static void check(Run run, String benchmark, Predicate<Cell> resident) {
    OptionalDouble copied = Ceilings.of(run).memcpyBytesPerMs(1);
    double limit = copied.orElse(Double.POSITIVE_INFINITY) * OVER_MEMCPY / BYTES_PER_MS;
    String violations =
        run.cells().stream()
            .filter(cell -> cell.benchmark().equals(benchmark) && cell.metric().equals(THROUGHPUT))
            .filter(cell -> cell.samples().size() > 1 && resident.test(cell))
            .filter(cell -> cell.median() > limit)
            .map(cell -> violation(cell, limit))
            .collect(Collectors.joining("; "));
    if (!violations.isEmpty()) {
      throw new ImplausibleResult(violations);
    }
  }

  private static String violation(Cell cell, double limit) {
    return String.format(
        Locale.ROOT,
        "%s: %s %s reads %.4g MB/s, more than the %.4g that a copy of memory leaves possible",
        cell.benchmark(),
        cell.contender().name(),
        cell.conditions(),
        cell.median(),
        limit);
  }
}
