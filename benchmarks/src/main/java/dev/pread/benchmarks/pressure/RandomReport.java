/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * Random reads: medians over the rounds by size, threads and contender. Ratios are taken within a
 * round first, so that what disturbs a whole round falls out.
 */
final class RandomReport extends PartReport {
  private final Map<String, Object> settings;
  private final List<RandomSlot> slots = new ArrayList<>();

  /**
   * One line; all figures are medians, null where there are none.
   *
   * @param vsFio throughput against the device's own
   * @param vsBestOther throughput against the best of the other directories
   */
  record Row(
      int bytes,
      int threads,
      String contender,
      Double readsPerMs,
      Double megabytesPerSecond,
      Double p50Nanos,
      Double p99Nanos,
      Double p999Nanos,
      Double majorFaults,
      Double peakBytes,
      Double vsFio,
      Double vsBestOther) {}

  RandomReport(Map<String, Object> settings) {
    this.settings = new LinkedHashMap<>(settings);
  }

  void add(RandomSlot slot) {
    slots.add(slot);
  }

  @Override
  boolean isEmpty() {
    return slots.isEmpty();
  }

  @Override
  Map<String, Object> settings() {
    return settings;
  }

  @Override
  List<RandomSlot> slots() {
    return slots;
  }

  @Override
  List<Row> rows() {
    Map<List<Object>, List<RandomSlot>> groups = new LinkedHashMap<>();
    for (RandomSlot slot : slots) {
      groups
          .computeIfAbsent(
              List.of(slot.bytes(), slot.threads(), slot.contender()), any -> new ArrayList<>())
          .add(slot);
    }
    return groups.values().stream().map(this::row).toList();
  }

  private Row row(List<RandomSlot> own) {
    RandomSlot first = own.get(0);
    Double throughput = median(own, RandomSlot::readsPerMs);
    return new Row(
        first.bytes(),
        first.threads(),
        first.contender(),
        throughput,
        throughput * first.bytes() / 1e3,
        median(own, slot -> slot.latencies().p50()),
        median(own, slot -> slot.latencies().p99()),
        median(own, slot -> slot.latencies().p999()),
        median(own, RandomSlot::majorFaults),
        median(own, RandomSlot::peakBytes),
        first.isFio() ? null : ratio(own, RandomSlot::isFio),
        first.isFio()
            ? null
            : ratio(own, other -> !other.isFio() && !other.contender().equals(first.contender())));
  }

  /** To the best of the others that were measured in the same round under the same load. */
  private Double ratio(List<RandomSlot> own, Predicate<RandomSlot> others) {
    return median(
        own,
        slot -> {
          OptionalDouble best =
              slots.stream()
                  .filter(others)
                  .filter(other -> other.round() == slot.round())
                  .filter(other -> other.bytes() == slot.bytes())
                  .filter(other -> other.threads() == slot.threads())
                  .mapToDouble(RandomSlot::readsPerMs)
                  .max();
          return best.isPresent() ? slot.readsPerMs() / best.getAsDouble() : Double.NaN;
        });
  }

  @Override
  void table(PrintWriter out) {
    Columns columns =
        new Columns(
            3,
            "bytes",
            "threads",
            "directory",
            "reads/ms",
            "MB/s",
            "p50",
            "p99",
            "p99.9",
            "major faults",
            "peak memory",
            "vs fio",
            "vs best other");
    for (Row row : rows()) {
      columns.add(
          Integer.toString(row.bytes()),
          Integer.toString(row.threads()),
          row.contender(),
          Columns.number(row.readsPerMs()),
          Columns.number(row.megabytesPerSecond()),
          Columns.time(row.p50Nanos()),
          Columns.time(row.p99Nanos()),
          Columns.time(row.p999Nanos()),
          Columns.number(row.majorFaults()),
          Columns.bytes(row.peakBytes()),
          Columns.ratio(row.vsFio()),
          Columns.ratio(row.vsBestOther()));
    }
    columns.print(out);
  }
}
