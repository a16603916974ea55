/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Run;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The tables of a run for a terminal: what contenders are compared by. */
public final class TextReport {
  /** What is printed when a run was stopped too early for a table. */
  public static final String NOTHING = "stopped before anything was measured";

  private static final int MAX_WIDTH = 120;
  private static final String RATIO = "ours/best other";

  private TextReport() {}

  /**
   * Prints the medians of what is compared, with the best of ours relative to the best of the
   * others; then what a reader has to know and what was left out.
   */
  public static void print(Run run, PrintWriter out) {
    if (run.cells().isEmpty()) {
      out.println(NOTHING);
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
    List<String> unlisted = new ArrayList<>();
    for (Figures figures : sheet.figures()) {
      if (figures.metric().compared()) {
        line(out, Words.metric(figures.metric()) + Words.direction(figures.metric()) + ", medians");
        TextTable wide = wide(figures);
        (figures.pivot() == null && wide.width() <= MAX_WIDTH ? wide : tall(figures)).print(out);
        out.println();
      } else {
        unlisted.add(figures.metric().name());
      }
    }
    List<Duel> duels = sheet.duels();
    if (!duels.isEmpty()) {
      Score score = Score.of(duels);
      List<Duel> losses = Score.losses(duels);
      String worst = losses.isEmpty() ? "" : "; worst: " + losses.get(0).sentence(sheet);
      line(out, "ours against the best other: " + score.sentence() + worst);
      if (!score.caution().isEmpty()) {
        out.println(score.caution());
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

  /** A line for each group, a column for each contender. */
  private static TextTable wide(Figures figures) {
    List<String> names = figures.varying();
    Collection<Duel> best = Duel.bestOfOurs(figures.duels());
    TextTable table = new TextTable(names.size());
    List<String> header = new ArrayList<>(names);
    figures.contenders().forEach(contender -> header.add(contender.name()));
    if (!best.isEmpty()) {
      header.add(RATIO);
    }
    table.add(header);
    for (Map<String, String> group : figures.groups()) {
      List<String> line = new ArrayList<>();
      names.forEach(name -> line.add(Words.value(name, group.getOrDefault(name, ""))));
      figures.contenders().forEach(contender -> line.add(figure(figures, group, contender)));
      if (!best.isEmpty()) {
        line.add(ratio(best, group, true));
      }
      table.add(line);
    }
    return table;
  }

  /** Contenders below each other, a column for each value of the pivot. */
  private static TextTable tall(Figures figures) {
    Collection<Duel> best = Duel.bestOfOurs(figures.duels());
    List<String> values = figures.pivotValues();
    TextTable table = new TextTable(2);
    List<String> header = new ArrayList<>(List.of("", ""));
    values.forEach(value -> header.add(value == null ? "" : figures.pivot() + " " + value));
    table.add(header);
    for (Map<String, String> group : figures.groups()) {
      String title = Words.conditions(group, figures.varying());
      for (Contender contender : figures.contenders()) {
        List<String> line =
            values.stream()
                .map(value -> figure(figures, figures.with(group, value), contender))
                .toList();
        title = add(table, title, contender.name(), line);
      }
      List<String> ratios =
          values.stream().map(value -> ratio(best, figures.with(group, value), false)).toList();
      add(table, "", RATIO, ratios);
    }
    return table;
  }

  /** Adds a line unless it has no figures; returns the title that the next line needs. */
  private static String add(TextTable table, String title, String name, List<String> figures) {
    if (figures.stream().allMatch(text -> text.equals("-"))) {
      return title;
    }
    List<String> line = new ArrayList<>(List.of(title, name));
    line.addAll(figures);
    table.add(line);
    return "";
  }

  private static String figure(Figures figures, Map<String, String> where, Contender contender) {
    Estimate estimate = figures.at(where, contender);
    return estimate == null ? "-" : Words.figure(figures.metric(), estimate.median());
  }

  private static String ratio(Collection<Duel> best, Map<String, String> where, boolean named) {
    for (Duel duel : best) {
      if (duel.conditions().equals(where)) {
        String names =
            duel.ours().cell().contender().name() + "/" + duel.other().cell().contender().name();
        return (named ? names + " " : "")
            + Words.ratio(duel.ratio())
            + (duel.outcome() == Duel.Outcome.LEVEL ? "=" : "x");
      }
    }
    return "-";
  }
}
