/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Two runs, B relative to A, cell by cell. The same runs give the same report at any time. */
public final class ComparisonReport {
  private static final int MAX_LISTED = 20;

  /** Facts of the machine at some moment, which are never the same twice. */
  private static final Set<String> OF_THE_MOMENT = Set.of("availableMemoryBytes");

  private final List<Named> runs;
  private final List<String> warnings = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private final List<String> onlyA = new ArrayList<>();
  private final List<String> onlyB = new ArrayList<>();

  /**
   * A run and what it is called.
   *
   * @param name like that of its file
   * @param run itself
   */
  public record Named(String name, Run run) {

    /** The first line about a run. */
    String about() {
      return String.join(", ", name, run.about().started(), run.about().version())
          + (run.complete() ? "" : ", INTERRUPTED");
    }
  }

  /**
   * The changes of one metric.
   *
   * @param sheet of the first run
   * @param metric of all of them
   * @param changes in the order of tables
   */
  record Part(Sheet sheet, Metric metric, List<Change> changes) {

    String title() {
      return sheet.benchmark() + ": " + Words.metric(metric) + Words.direction(metric);
    }

    /** Tells where a change was, in words. */
    String where(Change change) {
      return Words.conditions(change.a().cell().conditions(), sheet.varying());
    }
  }

  /** Compares B with A. */
  public ComparisonReport(Named a, Named b) {
    runs = List.of(a, b);
    List<Sheet> before = Sheet.of(a.run());
    List<Sheet> after = Sheet.of(b.run());
    before.forEach(sheet -> compare(sheet, after, parts, onlyA));
    after.forEach(sheet -> compare(sheet, before, new ArrayList<>(), onlyB));
    warn(a.run(), b.run());
  }

  private static void compare(Sheet a, List<Sheet> others, List<Part> parts, List<String> only) {
    for (Figures figures : a.figures()) {
      List<Change> changes = new ArrayList<>();
      for (Estimate one : figures.all()) {
        Estimate other =
            others.stream()
                .filter(sheet -> sheet.benchmark().equals(a.benchmark()))
                .flatMap(sheet -> sheet.figures().stream())
                .filter(same -> same.metric().equals(figures.metric()))
                .map(same -> same.at(one.cell().conditions(), one.cell().contender()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (other == null) {
          only.add(label(one.cell()));
        } else {
          changes.add(Change.of(one, other));
        }
      }
      if (!changes.isEmpty()) {
        parts.add(new Part(a, figures.metric(), changes));
      }
    }
  }

  private static String label(Cell cell) {
    String where = Words.conditions(cell.conditions(), cell.conditions().keySet());
    return cell.benchmark()
        + (where.isEmpty() ? "" : ", " + where)
        + (": " + cell.contender().name() + ", " + cell.metric().name());
  }

  private void warn(Run a, Run b) {
    if (!a.complete()) {
      warnings.add("A was interrupted: it has what had been measured until then");
    }
    if (!b.complete()) {
      warnings.add("B was interrupted: it has what had been measured until then");
    }
    Run.About ofA = a.about();
    Run.About ofB = b.about();
    differ("command", Map.of("", ofA.command()), Map.of("", ofB.command()));
    differ("version", Map.of("", ofA.version()), Map.of("", ofB.version()));
    differ("machine", ofA.machine(), ofB.machine());
    differ("JVM", ofA.jvm(), ofB.jvm());
    differ("storage", ofA.storage(), ofB.storage());
    differ("settings", ofA.settings(), ofB.settings());
  }

  private void differ(String what, Map<String, Object> a, Map<String, Object> b) {
    Map<String, String> ofA = Words.facts(a);
    Map<String, String> ofB = Words.facts(b);
    Set<String> names = new LinkedHashSet<>(ofA.keySet());
    names.addAll(ofB.keySet());
    names.removeAll(OF_THE_MOMENT);
    for (String name : names) {
      String one = ofA.getOrDefault(name, "not recorded");
      String other = ofB.getOrDefault(name, "not recorded");
      if (!one.equals(other)) {
        String which = name.isEmpty() ? "" : ", " + name;
        warnings.add("another " + what + which + ": " + one + " -> " + other);
      }
    }
  }

  private long count(Change.Verdict verdict) {
    return parts.stream()
        .flatMap(part -> part.changes().stream())
        .filter(change -> change.verdict() == verdict)
        .count();
  }

  private int cells() {
    return parts.stream().mapToInt(part -> part.changes().size()).sum();
  }

  /** How many cells became what. */
  private String sentence() {
    List<String> counts =
        Arrays.stream(Change.Verdict.values())
            .filter(verdict -> verdict != Change.Verdict.DIFFERENT || count(verdict) > 0)
            .map(verdict -> count(verdict) + " " + verdict)
            .toList();
    return cells() + " cells compared: " + String.join(", ", counts);
  }

  /** What to know about many comparisons at once. */
  private String caution() {
    long judged = cells() - count(Change.Verdict.TOO_FEW_SAMPLES);
    return "At 95 % confidence about "
        + Math.round(judged * (1 - Estimate.CONFIDENCE))
        + " of "
        + judged
        + " cells differ by chance alone, and runs at different times differ by more than the"
        + " samples of one run.";
  }

  /** Prints what contenders are compared by; the rest is on the page. */
  public void print(PrintWriter out) {
    line(out, "A: " + runs.get(0).about());
    line(out, "B: " + runs.get(1).about());
    warnings.forEach(warning -> line(out, "warning: " + warning));
    out.println();
    int unlisted = 0;
    for (Part part : parts) {
      if (part.metric().compared()) {
        line(out, part.title());
        table(part).print(out);
        out.println();
      } else {
        unlisted += part.changes().size();
      }
    }
    out.println(sentence());
    if (cells() > 0) {
      out.println(caution());
    }
    if (unlisted > 0) {
      out.println(unlisted + " of these cells are facts that are not compared by: see --html");
    }
    only(out, "A", onlyA);
    only(out, "B", onlyB);
    out.flush();
  }

  private static void line(PrintWriter out, String text) {
    out.println(TextTable.plain(text));
  }

  private static TextTable table(Part part) {
    TextTable table = new TextTable(2);
    table.add(List.of("", "", "A", "B", "B/A [95 %]", ""));
    String last = null;
    for (Change change : part.changes()) {
      String where = part.where(change);
      table.add(
          List.of(
              where.equals(last) ? "" : where,
              change.a().cell().contender().name(),
              Words.figure(part.metric(), change.a().median()),
              Words.figure(part.metric(), change.b().median()),
              change.figure(),
              change.verdict().toString()));
      last = where;
    }
    return table;
  }

  private static void only(PrintWriter out, String name, List<String> cells) {
    if (cells.isEmpty()) {
      return;
    }
    out.println("only in " + name + ": " + cells.size() + (cells.size() == 1 ? " cell" : " cells"));
    cells.stream().limit(MAX_LISTED).forEach(cell -> line(out, "  " + cell));
    if (cells.size() > MAX_LISTED) {
      out.println("  and " + (cells.size() - MAX_LISTED) + " more (all of them: --html)");
    }
  }

  /** What the page shows. */
  Map<String, Object> model() {
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("about", runs.stream().map(Named::about).toList());
    model.put("warnings", warnings);
    model.put("sentence", sentence());
    model.put("caution", caution());
    model.put("minSamples", Change.MIN_SAMPLES);
    model.put("parts", parts.stream().map(ComparisonReport::model).toList());
    model.put("onlyA", onlyA);
    model.put("onlyB", onlyB);
    return model;
  }

  private static Map<String, Object> model(Part part) {
    return Map.of(
        "title",
        part.title(),
        "benchmark",
        part.sheet().benchmark(),
        "metric",
        part.metric(),
        "changes",
        part.changes().stream()
            .map(
                change ->
                    Map.of(
                        "where",
                        part.where(change),
                        "contender",
                        change.a().cell().contender().name(),
                        "a",
                        HtmlReport.model(change.a()),
                        "b",
                        HtmlReport.model(change.b()),
                        "ratio",
                        change.ratio(),
                        "low",
                        change.low(),
                        "high",
                        change.high(),
                        "size",
                        change.size(),
                        "verdict",
                        change.verdict().toString()))
            .toList());
  }
}
