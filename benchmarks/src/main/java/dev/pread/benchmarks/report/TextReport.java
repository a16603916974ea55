/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Prints the tables of a run for a terminal: what contenders are compared by. */
public final class TextReport {

  /** Shows a metric under the conditions that the column stands for. */
  private record Column(String title, MetricSheet figures, Map<String, String> where) {

    private Map<String, String> and(Map<String, String> group) {
      Map<String, String> all = new LinkedHashMap<>(group);
      all.putAll(where);
      return all;
    }

    boolean has(Map<String, String> group, Contender contender) {
      return figures.at(and(group), contender) != null;
    }

    String median(Map<String, String> group, Contender contender) {
      Cell cell = figures.at(and(group), contender);
      return cell == null ? "-" : Words.figure(figures.metric(), cell.median());
    }

    /** Returns the duel of the best of ours. */
    Optional<Duel> duel(Map<String, String> group) {
      return figures.duels().stream()
          .filter(duel -> duel.conditions().equals(and(group)))
          .max(Comparator.comparingDouble(Duel::ratio));
    }

    String ratio(Map<String, String> group) {
      return duel(group)
          .map(
              duel ->
                  Words.ratio(duel.ratio()) + (duel.outcome() == Duel.Outcome.LEVEL ? "=" : "x"))
          .orElse("-");
    }
  }

  private TextReport() {}

  /**
   * Prints the medians of what is compared, with the best of ours relative to the best of the
   * others; then what a reader has to know and what was left out.
   */
  public static void print(Run run, PrintWriter out) {
    if (run.cells().isEmpty()) {
      out.println("stopped before anything was measured");
    }
    Sheet.of(run).forEach(sheet -> print(sheet, out));
    run.notes().forEach(note -> TextTable.line(out, "note: " + note));
    run.skipped().forEach(one -> TextTable.line(out, "skipped: " + one.what() + ": " + one.why()));
    if (!run.complete() && !run.cells().isEmpty()) {
      out.println("stopped: the run ended early, this is what had been measured");
    }
    out.flush();
  }

  private static void print(Sheet sheet, PrintWriter out) {
    String common = sheet.common().isEmpty() ? "" : " (" + sheet.common() + ")";
    TextTable.line(out, "== " + sheet.benchmark() + common);
    List<Column> metrics = new ArrayList<>();
    List<String> unlisted = new ArrayList<>();
    String pivot = sheet.pivot();
    for (MetricSheet figures : sheet.figures()) {
      if (!figures.metric().compared()) {
        unlisted.add(figures.metric().name());
      } else if (pivot == null) {
        metrics.add(new Column(Words.metric(figures.metric()), figures, Map.of()));
      } else {
        TextTable.line(out, figures.title() + ", medians");
        List<String> values = sheet.values().get(pivot);
        print(
            sheet,
            values.stream()
                .map(value -> new Column(pivot + " " + value, figures, Map.of(pivot, value)))
                .toList(),
            out);
      }
    }
    if (!metrics.isEmpty()) {
      print(sheet, metrics, out);
    }
    if (!sheet.duels().isEmpty()) {
      String worst = sheet.worst().isEmpty() ? "" : "; worst: " + sheet.worst();
      TextTable.line(out, "ours against the best other: " + sheet.score().sentence() + worst);
      TextTable.line(out, sheet.score().caution());
    }
    if (!sheet.curves().isEmpty()) {
      unlisted.add(sheet.curves().size() + " curves");
    }
    if (!unlisted.isEmpty()) {
      TextTable.line(out, "only in --json and --html: " + String.join(", ", unlisted));
    }
    out.println();
  }

  /** Prints contenders below each other, under the conditions that they have in common. */
  private static void print(Sheet sheet, List<Column> columns, PrintWriter out) {
    List<String> names =
        sheet.varying().stream().filter(name -> !name.equals(sheet.pivot())).toList();
    TextTable table = new TextTable();
    table.add("", "", columns.stream().map(Column::title));
    Set<Map<String, String>> groups = new LinkedHashSet<>();
    for (Column column : columns) {
      for (Cell cell : column.figures().cells()) {
        Map<String, String> group = new LinkedHashMap<>(cell.conditions());
        group.remove(sheet.pivot());
        groups.add(group);
      }
    }
    for (Map<String, String> group : groups) {
      String title = Words.conditions(group, names);
      for (Contender who : sheet.contenders()) {
        if (columns.stream().anyMatch(column -> column.has(group, who))) {
          table.add(title, who.name(), columns.stream().map(column -> column.median(group, who)));
          title = "";
        }
      }
      if (columns.stream().anyMatch(column -> column.duel(group).isPresent())) {
        table.add("", "ours/best other", columns.stream().map(column -> column.ratio(group)));
      }
    }
    table.print(out);
    out.println();
  }
}
