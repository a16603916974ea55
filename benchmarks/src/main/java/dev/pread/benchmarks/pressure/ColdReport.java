/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.load.ColdCurve;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Cold starts: the time to become warm, and the way there. Medians over the rounds. */
final class ColdReport extends PartReport {
  private final Map<String, Object> settings;
  private final boolean everyInterval;
  private final List<Slot> slots = new ArrayList<>();

  /**
   * One cold start.
   *
   * @param round from 0
   * @param contender by name
   * @param readsPerInterval in each tenth of a second
   * @param majorFaults while reading; -1 if unknown
   * @param peakBytes of the cgroup; -1 if unknown
   */
  record Slot(
      int round, String contender, List<Long> readsPerInterval, long majorFaults, long peakBytes) {
    ColdCurve curve() {
      return new ColdCurve(readsPerInterval);
    }
  }

  /**
   * One line; medians, null where there are none.
   *
   * @param secondsTo90Percent of the rounds that got there
   * @param notReached rounds that did not
   * @param stillRising rounds that were not yet warm at their end
   */
  record Row(
      String contender,
      Double secondsTo90Percent,
      Double warmReadsPerMs,
      Double majorFaults,
      long notReached,
      long stillRising) {}

  /**
   * @param everyInterval whether the table has a line for each, instead of fewer as time goes by
   */
  ColdReport(Map<String, Object> settings, boolean everyInterval) {
    this.settings = new LinkedHashMap<>(settings);
    this.everyInterval = everyInterval;
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

  private List<String> names() {
    return List.copyOf(new LinkedHashSet<>(slots.stream().map(Slot::contender).toList()));
  }

  private List<ColdCurve> curves(String name) {
    return slots.stream().filter(slot -> slot.contender().equals(name)).map(Slot::curve).toList();
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String name : names()) {
      List<ColdCurve> own = curves(name);
      rows.add(
          new Row(
              name,
              median(own, ColdCurve::secondsToWarm),
              median(own, ColdCurve::warmRate),
              median(
                  slots.stream().filter(slot -> slot.contender().equals(name)).toList(),
                  Slot::majorFaults),
              own.stream().filter(curve -> Double.isNaN(curve.secondsToWarm())).count(),
              own.stream().filter(ColdCurve::rising).count()));
    }
    return rows;
  }

  @Override
  void table(PrintWriter out) {
    Columns summary = new Columns(1, "directory", "s to 90 %", "warm reads/ms", "major faults", "");
    for (Row row : rows()) {
      summary.add(
          row.contender(),
          row.secondsTo90Percent() == null ? "-" : decimals(row.secondsTo90Percent()),
          Columns.number(row.warmReadsPerMs()),
          Columns.number(row.majorFaults()),
          remark(row));
    }
    summary.print(out);
    out.println();
    out.println("reads/ms in the tenth of a second that ends at a time:");
    List<String> names = names();
    List<String> header = new ArrayList<>(names);
    header.add(0, "s");
    Columns timeline = new Columns(0, header.toArray(new String[0]));
    int intervals = slots.stream().mapToInt(slot -> slot.readsPerInterval().size()).min().orElse(0);
    for (int interval : shown(intervals)) {
      List<String> line = new ArrayList<>();
      line.add(decimals((interval + 1) * ColdTask.INTERVAL_NANOS / 1e9));
      for (String name : names) {
        line.add(Columns.number(median(curves(name), curve -> curve.rate(interval))));
      }
      timeline.add(line.toArray(new String[0]));
    }
    timeline.print(out);
  }

  private static String remark(Row row) {
    String never = row.notReached() == 0 ? "" : row.notReached() + " rounds never got there ";
    String rising =
        row.stillRising() == 0
            ? ""
            : row.stillRising() + " rounds still rising at the end: raise --seconds";
    return (never + rising).strip();
  }

  private static String decimals(double seconds) {
    return String.format(Locale.ROOT, "%.1f", seconds);
  }

  /** All of them, or all of the first second, every fifth of the next four, every tenth then. */
  private Iterable<Integer> shown(int intervals) {
    TreeSet<Integer> shown = new TreeSet<>();
    for (int i = 0; i < intervals; i++) {
      int step = i < 10 ? 1 : i < 50 ? 5 : 10;
      if (everyInterval || (i + 1) % step == 0 || i == intervals - 1) {
        shown.add(i);
      }
    }
    return shown;
  }
}
