/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Two runs, cell by cell. The same runs give the same comparison, whatever the time. Unmodifiable.
 *
 * @param warnings what differs besides the figures
 * @param parts by benchmark and metric
 * @param onlyA cells that the second run has not
 * @param onlyB cells that the first run has not
 */
record RunComparison(
    List<String> warnings, List<Part> parts, List<String> onlyA, List<String> onlyB) {
  /** Of the machine at some moment: never the same twice. */
  private static final Set<String> OF_THE_MOMENT = Set.of("availableMemoryBytes");

  /**
   * The changes of one metric.
   *
   * @param benchmark they belong to
   * @param metric of all of them
   * @param varying names of the conditions that tell them apart
   * @param changes in the order of tables
   */
  record Part(String benchmark, Metric metric, List<String> varying, List<Change> changes) {

    long count(Change.Verdict verdict) {
      return changes.stream().filter(change -> change.verdict() == verdict).count();
    }

    /** Where a change was, in words. */
    String where(Change change) {
      return Words.conditions(change.a().conditions(), varying);
    }
  }

  /** Takes copies. */
  RunComparison {
    warnings = List.copyOf(warnings);
    parts = List.copyOf(parts);
    onlyA = List.copyOf(onlyA);
    onlyB = List.copyOf(onlyB);
  }

  /** Compares them. */
  public static RunComparison of(Run a, Run b) {
    Map<String, Sheet> before = byName(Sheet.of(a));
    Map<String, Sheet> after = byName(Sheet.of(b));
    List<Part> parts = new ArrayList<>();
    List<String> onlyA = new ArrayList<>();
    List<String> onlyB = new ArrayList<>();
    before.forEach((name, sheet) -> compare(sheet, after.get(name), parts, onlyA));
    after.forEach((name, sheet) -> compare(sheet, before.get(name), new ArrayList<>(), onlyB));
    return new RunComparison(warnings(a, b), parts, onlyA, onlyB);
  }

  private static Map<String, Sheet> byName(List<Sheet> sheets) {
    Map<String, Sheet> byName = new LinkedHashMap<>();
    sheets.forEach(sheet -> byName.put(sheet.benchmark(), sheet));
    return byName;
  }

  private static void compare(Sheet a, Sheet b, List<Part> parts, List<String> onlyA) {
    for (Metric metric : a.metrics()) {
      List<Change> changes = new ArrayList<>();
      for (Map<String, String> conditions : a.conditions(metric)) {
        for (Contender contender : a.contenders()) {
          Cell one = a.cell(metric, conditions, contender);
          Cell other = b == null ? null : b.cell(metric, conditions, contender);
          if (one != null && other != null) {
            changes.add(Change.of(one, other));
          } else if (one != null) {
            onlyA.add(label(one));
          }
        }
      }
      if (!changes.isEmpty()) {
        parts.add(new Part(a.benchmark(), metric, a.varying(), List.copyOf(changes)));
      }
    }
  }

  private static String label(Cell cell) {
    String where = Words.conditions(cell.conditions(), cell.conditions().keySet());
    return cell.benchmark()
        + (where.isEmpty() ? "" : ", " + where)
        + ": "
        + cell.contender().name()
        + ", "
        + cell.metric().name();
  }

  private static List<String> warnings(Run a, Run b) {
    List<String> warnings = new ArrayList<>();
    if (!a.complete()) {
      warnings.add("A was interrupted: it has what had been measured until then");
    }
    if (!b.complete()) {
      warnings.add("B was interrupted: it has what had been measured until then");
    }
    differ(warnings, "command", Map.of("", a.about().command()), Map.of("", b.about().command()));
    differ(warnings, "version", Map.of("", a.about().version()), Map.of("", b.about().version()));
    differ(warnings, "machine", facts(a.about().machine()), facts(b.about().machine()));
    differ(warnings, "JVM", facts(a.about().jvm()), facts(b.about().jvm()));
    differ(warnings, "storage", facts(a.about().storage()), facts(b.about().storage()));
    differ(warnings, "settings", facts(a.about().settings()), facts(b.about().settings()));
    return warnings;
  }

  private static Map<String, String> facts(Map<String, Object> facts) {
    return Words.facts(facts);
  }

  private static void differ(
      List<String> warnings, String what, Map<String, String> a, Map<String, String> b) {
    Set<String> names = new LinkedHashSet<>(a.keySet());
    names.addAll(b.keySet());
    names.removeAll(OF_THE_MOMENT);
    for (String name : names) {
      String one = a.getOrDefault(name, "not recorded");
      String other = b.getOrDefault(name, "not recorded");
      if (!Objects.equals(one, other)) {
        warnings.add(
            "another " + what + (name.isEmpty() ? "" : ", " + name) + ": " + one + " -> " + other);
      }
    }
  }

  /** How many cells both runs have. */
  int cells() {
    return parts.stream().mapToInt(part -> part.changes().size()).sum();
  }

  long count(Change.Verdict verdict) {
    return parts.stream().mapToLong(part -> part.count(verdict)).sum();
  }

  /** How many cells became what, and how many of that is to be expected by chance. */
  String sentence() {
    List<String> counts = new ArrayList<>();
    for (Change.Verdict verdict : Change.Verdict.values()) {
      if (verdict != Change.Verdict.DIFFERENT || count(verdict) > 0) {
        counts.add(count(verdict) + " " + verdict);
      }
    }
    return cells() + " cells compared: " + String.join(", ", counts);
  }

  /** What to know about many comparisons at once. */
  String caution() {
    long judged = cells() - count(Change.Verdict.TOO_FEW);
    return "At 95 % confidence about "
        + Math.round(judged * (1 - Estimate.CONFIDENCE))
        + " of "
        + judged
        + " cells differ by chance alone, and runs at different times differ by more than the"
        + " samples of one run.";
  }

  /** The changes with a verdict, the greatest first. */
  List<Map.Entry<Part, Change>> with(Collection<Change.Verdict> verdicts) {
    List<Map.Entry<Part, Change>> found = new ArrayList<>();
    for (Part part : parts) {
      for (Change change : part.changes()) {
        if (verdicts.contains(change.verdict())) {
          found.add(Map.entry(part, change));
        }
      }
    }
    found.sort(
        Comparator.comparingDouble((Map.Entry<Part, Change> entry) -> entry.getValue().size())
            .reversed());
    return found;
  }
}
