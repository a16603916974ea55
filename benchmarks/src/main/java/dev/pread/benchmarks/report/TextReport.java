/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Prints the tables of a run for a terminal: what contenders are compared by. */
public final class TextReport {
  /** How many columns have names, which are on the left. */
  private static final int NAMES = 2;

  private record Column(String title, Sheet.MetricSheet figures, Map<String, String> where) {

    private Map<String, String> and(Map<String, String> group) {
      Map<String, String> all = new LinkedHashMap<>(group);
      all.putAll(where);
      return all;
    }

    String median(Map<String, String> group, Contender contender) {
      Cell cell = figures.at(and(group), contender);
      return cell == null ? "-" : Words.figure(figures.metric(), cell.median());
    }

    /** Returns the ratio of the best of ours. */
    String ratio(Map<String, String> group) {
      Map<String, String> all = and(group);
      return figures.duels().stream()
          .filter(duel -> duel.conditions().equals(all))
          .max(Comparator.comparingDouble(Duel::ratio))
          .map(one -> Words.ratio(one.ratio()) + (one.outcome() == Duel.Outcome.LEVEL ? "=" : "x"))
          .orElse("-");
    }
  }

  private TextReport() {}

  /**
   * Prints the medians of what is compared, with the best of ours relative to the best of the
   * others; then what a reader has to know and what was left out.
   */
  public static void print(Run run, PrintWriter out) {
    List<String> lines = new ArrayList<>();
    Sheet.of(run).forEach(sheet -> addTo(lines, sheet));
    if (run.about().jvm().get("lucene") instanceof String lucene) {
      lines.add("note: Lucene " + lucene);
    }
    run.notes().forEach(note -> lines.add("note: " + note));
    run.skipped().forEach(one -> lines.add("skipped: " + one.what() + ": " + one.why()));
    if (!run.complete()) {
      boolean none = run.cells().isEmpty();
      lines.add("stopped " + (none ? "before anything" : "early: this is what") + " was measured");
    }
    // What comes from a file must not steer the terminal.
    lines.forEach(line -> out.println(line.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?")));
    out.flush();
  }

  private static void addTo(List<String> lines, Sheet sheet) {
    String common = sheet.common().isEmpty() ? "" : " (" + sheet.common() + ")";
    lines.add("== " + sheet.benchmark() + common);
    List<Column> metrics = new ArrayList<>();
    List<String> unlisted = new ArrayList<>();
    String pivot = sheet.pivot();
    for (Sheet.MetricSheet figures : sheet.figures()) {
      if (!figures.metric().compared()) {
        unlisted.add(figures.metric().name());
      } else if (pivot == null) {
        metrics.add(new Column(Words.metric(figures.metric()), figures, Map.of()));
      } else {
        lines.add(figures.title() + ", medians");
        addTable(
            lines,
            sheet,
            sheet.values().get(pivot).stream()
                .map(value -> new Column(pivot + " " + value, figures, Map.of(pivot, value)))
                .toList());
      }
    }
    if (!metrics.isEmpty()) {
      addTable(lines, sheet, metrics);
    }
    if (!sheet.duels().isEmpty()) {
      lines.add("ours against the best other: " + sheet.score().sentence());
    }
    if (!unlisted.isEmpty()) {
      lines.add("only in --json and --html: " + String.join(", ", unlisted));
    }
    lines.add("");
  }

  /** Adds contenders below each other, under the conditions that they have in common. */
  private static void addTable(List<String> lines, Sheet sheet, List<Column> columns) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("", "", columns.stream().map(Column::title)));
    List<String> varying = new ArrayList<>(sheet.varying());
    varying.remove(sheet.pivot());
    Map<Map<String, String>, Set<Contender>> groups = new LinkedHashMap<>();
    for (Column column : columns) {
      for (Cell cell : column.figures().cells()) {
        Map<String, String> group = new LinkedHashMap<>(cell.conditions());
        group.remove(sheet.pivot());
        groups.computeIfAbsent(group, key -> new HashSet<>()).add(cell.contender());
      }
    }
    groups.forEach(
        (group, some) -> {
          String title = Words.conditions(group, varying);
          for (Contender who : sheet.contenders()) {
            if (some.contains(who)) {
              rows.add(row(title, who.name(), columns.stream().map(one -> one.median(group, who))));
              title = "";
            }
          }
          List<String> ratios = columns.stream().map(column -> column.ratio(group)).toList();
          if (!ratios.stream().allMatch("-"::equals)) {
            rows.add(row("", "ours/best other (>1: better)", ratios.stream()));
          }
        });
    int[] widths = new int[rows.get(0).size()];
    rows.forEach(
        row -> {
          for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], row.get(i).length());
          }
        });
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String pad = " ".repeat(widths[i] - row.get(i).length());
        line.append(i < NAMES ? row.get(i) + pad : pad + row.get(i)).append("  ");
      }
      lines.add(line.toString().stripTrailing());
    }
    lines.add("");
  }

  private static List<String> row(String name, String further, Stream<String> figures) {
    return Stream.concat(Stream.of(name, further), figures).toList();
  }
}
