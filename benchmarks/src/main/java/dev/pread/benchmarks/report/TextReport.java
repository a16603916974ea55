/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tables of a run for a terminal: what contenders are compared by. */
public final class TextReport {

  /** What a column shows: a metric, under the conditions that the column stands for. */
  private record Column(String title, MetricSheet figures, Map<String, String> where) {

    Map<String, String> and(Map<String, String> group) {
      Map<String, String> all = new HashMap<>(group);
      all.putAll(where);
      return all;
    }

    Estimate at(Map<String, String> group, Contender contender) {
      return figures.at(and(group), contender);
    }

    String median(Map<String, String> group, Contender contender) {
      Estimate estimate = at(group, contender);
      return estimate == null ? "-" : Words.figure(figures.metric(), estimate.median());
    }

    /** The one of the best of ours, or null. */
    Duel duel(Map<String, String> group) {
      Map<String, String> conditions = and(group);
      return figures.duels().stream()
          .filter(duel -> duel.conditions().equals(conditions))
          .max(Comparator.comparingDouble(Duel::ratio))
          .orElse(null);
    }

    String ratio(Map<String, String> group) {
      Duel duel = duel(group);
      return duel == null
          ? "-"
          : Words.ratio(duel.ratio()) + (duel.outcome() == Duel.Outcome.LEVEL ? "=" : "x");
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
    run.notes().forEach(note -> line(out, "note: " + note));
    run.skipped().forEach(one -> line(out, "skipped: " + one.what() + ": " + one.why()));
    if (!run.complete() && !run.cells().isEmpty()) {
      out.println("stopped: the run ended early, this is what had been measured");
    }
    out.flush();
  }

  private static void line(PrintWriter out, String text) {
    out.println(TextTable.plain(text));
  }

  private static void print(Sheet sheet, PrintWriter out) {
    line(
        out,
        "== " + sheet.benchmark() + (sheet.common().isEmpty() ? "" : " (" + sheet.common() + ")"));
    List<MetricSheet> compared =
        sheet.figures().stream().filter(one -> one.metric().compared()).toList();
    String pivot = sheet.pivot();
    if (pivot == null) {
      print(
          sheet,
          compared.stream()
              .map(one -> new Column(Words.metric(one.metric()), one, Map.of()))
              .toList(),
          out);
    } else {
      for (MetricSheet figures : compared) {
        line(out, figures.title() + ", medians");
        print(
            sheet,
            sheet.values().get(pivot).stream()
                .map(value -> new Column(pivot + " " + value, figures, Map.of(pivot, value)))
                .toList(),
            out);
      }
    }
    if (!sheet.duels().isEmpty()) {
      String worst = sheet.worst().isEmpty() ? "" : "; worst: " + sheet.worst();
      line(out, "ours against the best other: " + sheet.score().sentence() + worst);
      line(out, sheet.score().caution());
    }
    List<String> unlisted = new ArrayList<>();
    for (MetricSheet figures : sheet.figures()) {
      if (!figures.metric().compared()) {
        unlisted.add(figures.metric().name());
      }
    }
    if (!sheet.curves().isEmpty()) {
      unlisted.add(sheet.curves().size() + " curves");
    }
    if (!unlisted.isEmpty()) {
      line(out, "only in --json and --html: " + String.join(", ", unlisted));
    }
    out.println();
  }

  /** Contenders are below each other, under the conditions that they have in common. */
  private static void print(Sheet sheet, List<Column> columns, PrintWriter out) {
    List<String> names =
        sheet.varying().stream().filter(name -> !name.equals(sheet.pivot())).toList();
    TextTable table = new TextTable();
    table.add("", "", columns.stream().map(Column::title));
    Set<Map<String, String>> groups = new LinkedHashSet<>();
    for (Column column : columns) {
      for (Estimate one : column.figures().cells()) {
        Map<String, String> group = new LinkedHashMap<>(one.cell().conditions());
        group.remove(sheet.pivot());
        groups.add(group);
      }
    }
    for (Map<String, String> group : groups) {
      String title = Words.conditions(group, names);
      for (Contender who : sheet.contenders()) {
        if (columns.stream().anyMatch(column -> column.at(group, who) != null)) {
          table.add(title, who.name(), columns.stream().map(column -> column.median(group, who)));
          title = "";
        }
      }
      if (columns.stream().anyMatch(column -> column.duel(group) != null)) {
        table.add("", "ours/best other", columns.stream().map(column -> column.ratio(group)));
      }
    }
    table.print(out);
    out.println();
  }
}
