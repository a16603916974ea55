/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.machine.ByteSize;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Memory of open files and live clones: medians over the rounds, after less before. */
final class FootprintReport extends PartReport {
  private final Map<String, Object> settings;
  private final int clones;
  private final List<Slot> slots = new ArrayList<>();

  /**
   * One process.
   *
   * @param round from 0
   * @param contender by name
   * @param cacheBytes that it was configured with, as written; null if not
   * @param memory at three times
   * @param peakBytes of the cgroup; -1 if unknown
   */
  record Slot(
      int round,
      String contender,
      String cacheBytes,
      FootprintTask.Result memory,
      long peakBytes) {}

  /**
   * One line; medians.
   *
   * @param rssBefore of the process with nothing open
   * @param rss what files and clones added
   * @param anonymous of that, what is no file
   * @param heap of that, what is on the Java heap
   * @param bytesPerClone what clones alone added to what is no file, by clone
   * @param cacheBytes configured, or null
   */
  record Row(
      String contender,
      Double rssBefore,
      Double rss,
      Double anonymous,
      Double heap,
      Double bytesPerClone,
      String cacheBytes) {}

  FootprintReport(Map<String, Object> settings, int clones) {
    this.settings = new LinkedHashMap<>(settings);
    this.clones = clones;
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
                    median(own, slot -> slot.memory().before().rss()),
                    added(own, FootprintTask.Memory::rss),
                    added(own, FootprintTask.Memory::anonymous),
                    added(own, FootprintTask.Memory::heap),
                    median(
                        own,
                        slot ->
                            (slot.memory().after().anonymous() - slot.memory().opened().anonymous())
                                / (double) clones),
                    own.get(0).cacheBytes())));
    return rows;
  }

  private static Double added(List<Slot> own, ToDoubleFunction<FootprintTask.Memory> figure) {
    return median(
        own,
        slot ->
            figure.applyAsDouble(slot.memory().after())
                - figure.applyAsDouble(slot.memory().before()));
  }

  @Override
  void table(PrintWriter out) {
    Columns columns =
        new Columns(
            1,
            "directory",
            "RSS before",
            "RSS added",
            "of that anonymous",
            "on the heap",
            "bytes/clone",
            "configured cache");
    for (Row row : rows()) {
      columns.add(
          row.contender(),
          Columns.bytes(row.rssBefore()),
          signed(row.rss()),
          signed(row.anonymous()),
          signed(row.heap()),
          String.format(Locale.ROOT, "%,.0f", row.bytesPerClone()),
          row.cacheBytes() == null ? "-" : row.cacheBytes());
    }
    columns.print(out);
  }

  /** A collection may give back more than was added. */
  private static String signed(double bytes) {
    return bytes < 0 ? "-" + ByteSize.format(-(long) bytes) : ByteSize.format((long) bytes);
  }
}
