/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Compares two runs in the tables of one: a later run is "ours", an earlier one the other, and what
 * both have measured are the rows.
 */
public final class Comparison {
  private Comparison() {}

  /** Returns what both runs have, and notes in what else the runs differ. */
  public static Run of(String earlierName, Run earlier, String laterName, Run later) {
    Map<List<Object>, Cell> before = byKey(earlier);
    Map<List<Object>, Cell> after = byKey(later);
    List<Cell> cells = new ArrayList<>();
    before.forEach(
        (key, cell) -> {
          if (after.containsKey(key)) {
            cells.add(as(Contender.other(earlierName), cell));
            cells.add(as(Contender.ours(laterName), after.get(key)));
          }
        });
    List<String> notes = new ArrayList<>();
    notes.add("ours is " + laterName + ", the other " + earlierName);
    int same = cells.size() / 2;
    notes.add(
        String.format(
            Locale.ROOT,
            "%d figures are in both runs, %d in the first alone, %d in the second alone",
            same,
            before.size() - same,
            after.size() - same));
    Map<String, Object> facts = facts(earlier);
    Map<String, Object> others = facts(later);
    Set<String> names = new LinkedHashSet<>(facts.keySet());
    names.addAll(others.keySet());
    for (String name : names) {
      if (!Objects.equals(facts.get(name), others.get(name))) {
        notes.add(name + ": " + facts.get(name) + ", then " + others.get(name));
      }
    }
    boolean complete = earlier.complete() && later.complete();
    return new Run(Run.FORMAT, later.about(), complete, notes, List.of(), cells);
  }

  private static Map<List<Object>, Cell> byKey(Run run) {
    Map<List<Object>, Cell> cells = new LinkedHashMap<>();
    for (Cell one : run.cells()) {
      cells.put(List.of(one.benchmark(), one.conditions(), one.contender(), one.metric()), one);
    }
    return cells;
  }

  private static Cell as(Contender run, Cell cell) {
    Map<String, String> conditions = new LinkedHashMap<>(cell.conditions());
    conditions.put("contender", cell.contender().name());
    return new Cell(cell.benchmark(), conditions, run, cell.metric(), cell.samples());
  }

  private static Map<String, Object> facts(Run run) {
    Run.About about = run.about();
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("started", about.started());
    facts.put("version", about.version());
    Stream.of(about.machine(), about.jvm(), about.storage(), about.settings())
        .forEach(facts::putAll);
    return facts;
  }
}
