/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Metric;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What reads can reach at most under some conditions: the device where data is read from it (the
 * regimes {@code exceeds} and {@code cold}), a copy in memory where all of it is resident ({@code
 * fits}). Conditions without a regime, or one between these, have no ceiling.
 *
 * @param of the device or a copy
 * @param most in the metric's unit
 */
record CeilingShare(String of, double most) {
  /** Reads of an operation, as in the benchmarks that the grid repeats. */
  private static final int READS_PER_OP = 16;

  static Optional<CeilingShare> of(
      Ceilings ceilings, Metric metric, Map<String, String> conditions) {
    int readsPerUnit =
        metric.unit().equals("reads/ms") ? 1 : metric.unit().equals("ops/ms") ? READS_PER_OP : 0;
    String bytes = conditions.getOrDefault("bytes", "");
    if (metric.better() != Metric.Better.HIGHER
        || readsPerUnit == 0
        || !bytes.matches("[1-9][0-9]{0,8}")) {
      return Optional.empty();
    }
    int length = Integer.parseInt(bytes);
    OptionalDouble most =
        switch (conditions.getOrDefault("regime", "")) {
          case "exceeds", "cold" -> device(ceilings, length, conditions.get("order"));
          case "fits" -> memory(ceilings, length, conditions.getOrDefault("threads", ""));
          default -> OptionalDouble.empty();
        };
    String of = "fits".equals(conditions.get("regime")) ? Ceilings.MEMCPY : Ceilings.DEVICE;
    return most.isPresent() && most.getAsDouble() > 0
        ? Optional.of(new CeilingShare(of, most.getAsDouble() / readsPerUnit))
        : Optional.empty();
  }

  private static OptionalDouble device(Ceilings ceilings, int length, String order) {
    if (!"sequential".equals(order)) {
      return ceilings.deviceReadsPerMs(length);
    }
    try {
      // The system reads ahead: what counts is the bytes.
      OptionalDouble bytes = ceilings.deviceBytesPerMs();
      return bytes.isPresent() ? OptionalDouble.of(bytes.getAsDouble() / length) : bytes;
    } catch (NumberFormatException notFromThisSuite) {
      return OptionalDouble.empty();
    }
  }

  private static OptionalDouble memory(Ceilings ceilings, int length, String threads) {
    return threads.matches("[1-9][0-9]{0,5}")
        ? ceilings.memcpyPerMs(length, Integer.parseInt(threads))
        : OptionalDouble.empty();
  }
}
