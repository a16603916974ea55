/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.report.Report;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Run;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The tables of a run for a terminal: what contenders are compared by. */
public final class TextReport {
  private static final int MAX_WIDTH = 120;

  private final Sheet sheet;
  private final PrintWriter out;
  private final List<Duel> duels;
  private final List<Duel> best;

  private TextReport(Sheet sheet, PrintWriter out) {
    this.sheet = sheet;
    this.duels = Duel.of(sheet);
    this.best = Duel.bestOfOurs(duels);
    this.out = out;
  }

  /**
   * Prints the medians of what is compared, with the best of ours relative to the best of the
   * others; then what a reader has to know and what was left out.
   */
  public static void print(Run run, PrintWriter out) {
    List<Sheet> sheets = Sheet.of(run);
    if (run.cells().isEmpty()) {
      out.println(Report.NOTHING);
    }
    for (Sheet sheet : sheets) {
      new TextReport(sheet, out).print();
    }
    run.notes().forEach(note -> out.println("note: " + TextTable.plain(note)));
    run.skipped()
        .forEach(
            skipped ->
                out.println(
                    "skipped: "
                        + TextTable.plain(skipped.what())
                        + ": "
                        + TextTable.plain(skipped.why())));
    if (!run.complete() && !run.cells().isEmpty()) {
      out.println("stopped: the run ended early, this is what had been measured");
    }
    out.flush();
  }

  private void print() {
    String common = Words.conditions(sheet.common(), sheet.common().keySet());
    out.println(
        TextTable.plain("== " + sheet.benchmark() + (common.isEmpty() ? "" : " (" + common + ")")));
    List<Metric> listed = new ArrayList<>();
    for (Metric metric : sheet.metrics()) {
      if (metric.compared()) {
        print(metric);
      } else {
        listed.add(metric);
      }
    }
    Score score = Score.of(duels);
    if (score.all() > 0) {
      String worst = score.worst().map(loss -> "; worst: " + loss.sentence(sheet)).orElse("");
      out.println(TextTable.plain("ours against the best other: " + score.sentence() + worst));
      if (!score.caution().isEmpty()) {
        out.println(score.caution());
      }
    }
    if (!listed.isEmpty() || !sheet.curves().isEmpty()) {
      String names = listed.stream().map(Metric::name).collect(Collectors.joining(", "));
      String curves = sheet.curves().isEmpty() ? "" : sheet.curves().size() + " curves";
      out.println(
          TextTable.plain(
              "only in --json and --html: "
                  + names
                  + (names.isEmpty() || curves.isEmpty() ? "" : ", ")
                  + curves));
    }
    out.println();
  }

  private void print(Metric metric) {
    out.println(
        TextTable.plain(Words.metric(metric)) + DuelSection.direction(metric) + ", medians");
    Pivot pivot = Pivot.of(sheet, metric);
    TextTable wide = pivot.exists() ? null : wide(metric, pivot);
    TextTable table = wide != null && wide.width() <= MAX_WIDTH ? wide : tall(metric, pivot);
    table.print(out);
    out.println();
  }

  private TextTable wide(Metric metric, Pivot pivot) {
    List<String> names = pivot.varying(sheet);
    TextTable table = new TextTable(names.size());
    List<String> header = new ArrayList<>(names);
    sheet.contenders(metric).forEach(contender -> header.add(contender.name()));
    boolean ratios = best.stream().anyMatch(duel -> duel.metric().equals(metric));
    if (ratios) {
      header.add("ours/best other");
    }
    table.add(header);
    for (Map<String, String> group : pivot.groups()) {
      List<String> line = new ArrayList<>();
      names.forEach(name -> line.add(Words.value(name, group.getOrDefault(name, ""))));
      sheet.contenders(metric).forEach(contender -> line.add(figure(metric, group, contender)));
      if (ratios) {
        line.add(ratio(metric, group, true));
      }
      table.add(line);
    }
    return table;
  }

  private TextTable tall(Metric metric, Pivot pivot) {
    TextTable table = new TextTable(2);
    List<String> header = new ArrayList<>(List.of("", ""));
    pivot.values().forEach(value -> header.add(value == null ? "" : pivot.name() + " " + value));
    table.add(header);
    for (Map<String, String> group : pivot.groups()) {
      String title = Words.conditions(group, pivot.varying(sheet));
      for (Contender contender : sheet.contenders(metric)) {
        List<String> line = new ArrayList<>(List.of(title, contender.name()));
        pivot
            .values()
            .forEach(value -> line.add(figure(metric, pivot.at(group, value), contender)));
        if (line.subList(2, line.size()).stream().anyMatch(text -> !text.equals("-"))) {
          table.add(line);
          title = "";
        }
      }
      List<String> ratios = new ArrayList<>(List.of("", "ours/best other"));
      pivot.values().forEach(value -> ratios.add(ratio(metric, pivot.at(group, value), false)));
      if (ratios.subList(2, ratios.size()).stream().anyMatch(text -> !text.equals("-"))) {
        table.add(ratios);
      }
    }
    return table;
  }

  private String figure(Metric metric, Map<String, String> conditions, Contender contender) {
    Estimate estimate = sheet.estimate(metric, conditions, contender);
    return estimate == null ? "-" : Words.figure(metric, estimate.median());
  }

  private String ratio(Metric metric, Map<String, String> conditions, boolean withNames) {
    return best.stream()
        .filter(duel -> duel.metric().equals(metric))
        .filter(duel -> duel.conditions().equals(conditions))
        .findFirst()
        .map(
            duel ->
                (withNames ? duel.ours().name() + "/" + duel.other().name() + " " : "")
                    + Words.ratio(duel.ratio())
                    + (duel.outcome() == Duel.Outcome.LEVEL ? "=" : "x"))
        .orElse("-");
  }
}
