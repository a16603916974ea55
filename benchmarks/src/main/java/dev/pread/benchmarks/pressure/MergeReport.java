/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Searches during a merge: medians over the rounds, quiet and merging side by side. */
final class MergeReport extends PartReport {
  private final Map<String, Object> settings;
  private final List<Slot> slots = new ArrayList<>();

  /**
   * One merge.
   *
   * @param round from 0
   * @param contender by name
   * @param result of the process
   * @param peakBytes of the cgroup; -1 if unknown
   */
  record Slot(int round, String contender, MergeTask.Result result, long peakBytes) {}

  /** One line; medians, in seconds and nanoseconds. */
  record Row(
      String contender,
      Double mergeSeconds,
      Double quietP50,
      Double quietP99,
      Double quietP999,
      Double p50,
      Double p99,
      Double p999,
      Double unserved,
      Double majorFaults,
      Double peakBytes) {}

  MergeReport(Map<String, Object> settings) {
    this.settings = new LinkedHashMap<>(settings);
  }

  void add(Slot slot) {
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
  List<Slot> slots() {
    return slots;
  }

  @Override
  List<Row> rows() {
    Map<String, List<Slot>> groups = new LinkedHashMap<>();
    for (Slot slot : slots) {
      groups.computeIfAbsent(slot.contender(), any -> new ArrayList<>()).add(slot);
    }
    List<Row> rows = new ArrayList<>();
    groups.forEach(
        (name, own) ->
            rows.add(
                new Row(
                    name,
                    median(own, slot -> slot.result().mergeSeconds()),
                    median(own, slot -> slot.result().quiet().latencies().p50()),
                    median(own, slot -> slot.result().quiet().latencies().p99()),
                    median(own, slot -> slot.result().quiet().latencies().p999()),
                    median(own, slot -> slot.result().merging().latencies().p50()),
                    median(own, slot -> slot.result().merging().latencies().p99()),
                    median(own, slot -> slot.result().merging().latencies().p999()),
                    median(own, slot -> slot.result().merging().unserved()),
                    median(own, slot -> slot.result().majorFaults()),
                    median(own, Slot::peakBytes))));
    return rows;
  }

  @Override
  void table(PrintWriter out) {
    Columns columns =
        new Columns(
            1,
            "directory",
            "merge",
            "quiet p50",
            "p99",
            "p99.9",
            "merging p50",
            "p99",
            "p99.9",
            "unserved",
            "major faults",
            "peak memory");
    for (Row row : rows()) {
      columns.add(
          row.contender(),
          Columns.time(row.mergeSeconds() * 1e9),
          Columns.time(row.quietP50()),
          Columns.time(row.quietP99()),
          Columns.time(row.quietP999()),
          Columns.time(row.p50()),
          Columns.time(row.p99()),
          Columns.time(row.p999()),
          Columns.number(row.unserved()),
          Columns.number(row.majorFaults()),
          Columns.bytes(row.peakBytes()));
    }
    columns.print(out);
  }
}
