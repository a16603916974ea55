/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares two runs, B with A, cell by cell. The same runs give the same report at any time.
 *
 * @param about what the runs are, A first
 * @param onlyA cells that B does not have
 * @param onlyB cells that A does not have
 */
public record ComparisonReport(
    List<String> about,
    List<String> warnings,
    List<Part> parts,
    List<String> onlyA,
    List<String> onlyB) {
  private static final int MAX_LISTED = 20;

  /** Facts that are never the same twice. */
  private static final Set<String> OF_THE_MOMENT =
      Set.of("started", "machine.availableMemoryBytes");

  record Part(String benchmark, Metric metric, List<Line> changes) {

    @JsonProperty
    String title() {
      return benchmark + ": " + Words.title(metric);
    }
  }

  record Line(String where, @JsonUnwrapped Change change) {}

  /** Compares B with A; each has the name of its file. */
  public static ComparisonReport of(String nameOfA, Run a, String nameOfB, Run b) {
    Map<Object, Cell> before = byKey(a);
    Map<Object, Cell> after = byKey(b);
    List<Part> parts = new ArrayList<>();
    for (Sheet sheet : Sheet.of(a)) {
      for (MetricSheet figures : sheet.figures()) {
        List<Line> changes = new ArrayList<>();
        for (Cell cell : figures.cells()) {
          Cell other = after.get(cell.key());
          if (other != null) {
            String where = Words.conditions(cell.conditions(), sheet.varying());
            changes.add(new Line(where, Change.of(cell, other)));
          }
        }
        if (!changes.isEmpty()) {
          parts.add(new Part(sheet.benchmark(), figures.metric(), changes));
        }
      }
    }
    return new ComparisonReport(
        List.of(about(nameOfA, a), about(nameOfB, b)),
        warnings(a, b),
        parts,
        only(before, after),
        only(after, before));
  }

  private static String about(String name, Run run) {
    return String.join(", ", name, run.about().started(), run.about().version())
        + (run.complete() ? "" : ", INTERRUPTED");
  }

  /** Returns all cells in the order of tables. */
  private static Map<Object, Cell> byKey(Run run) {
    Map<Object, Cell> cells = new LinkedHashMap<>();
    for (Sheet sheet : Sheet.of(run)) {
      for (MetricSheet figures : sheet.figures()) {
        figures.cells().forEach(cell -> cells.putIfAbsent(cell.key(), cell));
      }
    }
    return cells;
  }

  /** Names the cells that the others do not have. */
  private static List<String> only(Map<Object, Cell> cells, Map<Object, Cell> others) {
    List<String> only = new ArrayList<>();
    cells.forEach(
        (key, cell) -> {
          if (!others.containsKey(key)) {
            String where = Words.conditions(cell.conditions(), cell.conditions().keySet());
            only.add(
                cell.benchmark()
                    + (where.isEmpty() ? "" : ", " + where)
                    + (": " + cell.contender().name() + ", " + cell.metric().name()));
          }
        });
    return only;
  }

  private static List<String> warnings(Run a, Run b) {
    List<String> warnings = new ArrayList<>();
    if (!a.complete()) {
      warnings.add("A was interrupted: it has what had been measured until then");
    }
    if (!b.complete()) {
      warnings.add("B was interrupted: it has what had been measured until then");
    }
    Map<String, String> ofA = Words.facts(a.about());
    Map<String, String> ofB = Words.facts(b.about());
    Set<String> names = new LinkedHashSet<>(ofA.keySet());
    names.addAll(ofB.keySet());
    names.removeAll(OF_THE_MOMENT);
    for (String name : names) {
      String one = ofA.getOrDefault(name, "not recorded");
      String other = ofB.getOrDefault(name, "not recorded");
      if (!one.equals(other)) {
        warnings.add("another " + name + ": " + one + " -> " + other);
      }
    }
    return warnings;
  }

  private Stream<Change.Verdict> verdicts() {
    return parts.stream()
        .flatMap(part -> part.changes().stream())
        .map(line -> line.change().verdict());
  }

  private long count(Change.Verdict wanted) {
    return verdicts().filter(verdict -> verdict == wanted).count();
  }

  /** Says how many cells became what. */
  @JsonProperty
  String sentence() {
    return verdicts().count()
        + " cells compared: "
        + Arrays.stream(Change.Verdict.values())
            .filter(verdict -> verdict != Change.Verdict.DIFFERENT || count(verdict) > 0)
            .map(verdict -> count(verdict) + " " + verdict)
            .collect(Collectors.joining(", "));
  }

  /** Says what to know about many comparisons at once. */
  @JsonProperty
  String caution() {
    long judged = verdicts().count() - count(Change.Verdict.TOO_FEW_SAMPLES);
    return "At 95 % confidence about "
        + Math.round(judged * (1 - 0.95))
        + " of "
        + judged
        + " cells differ by chance alone, and runs at different times differ by more than the"
        + " samples of one run. Fewer than "
        + Change.MIN_SAMPLES
        + " samples are not judged.";
  }

  /** Prints what contenders are compared by; the rest is on the page. */
  public void print(PrintWriter out) {
    TextTable.line(out, "A: " + about.get(0));
    TextTable.line(out, "B: " + about.get(1));
    warnings.forEach(warning -> TextTable.line(out, "warning: " + warning));
    out.println();
    for (Part part : parts) {
      if (part.metric().compared()) {
        TextTable.line(out, part.title());
        print(part, out);
      } else {
        TextTable.line(
            out, part.title() + ", only with --html: " + part.changes().size() + " cells");
      }
      out.println();
    }
    out.println(sentence());
    out.println(caution());
    only(out, "A", onlyA);
    only(out, "B", onlyB);
    out.flush();
  }

  private static void print(Part part, PrintWriter out) {
    TextTable table = new TextTable();
    table.add("", "", Stream.of("A", "B", "B/A [95 %]", ""));
    String last = null;
    for (Line line : part.changes()) {
      Change change = line.change();
      table.add(
          line.where().equals(last) ? "" : line.where(),
          change.a().contender().name(),
          Stream.of(
              Words.figure(part.metric(), change.a().median()),
              Words.figure(part.metric(), change.b().median()),
              change.figure(),
              change.verdict().toString()));
      last = line.where();
    }
    table.print(out);
  }

  private static void only(PrintWriter out, String name, List<String> cells) {
    if (!cells.isEmpty()) {
      String more = cells.size() > MAX_LISTED ? ", the first ones (all: --html)" : "";
      out.println("cells only in " + name + ": " + cells.size() + more);
      cells.stream().limit(MAX_LISTED).forEach(cell -> TextTable.line(out, "  " + cell));
    }
  }
}
