/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Two runs, B relative to A, as tables for a terminal and as a page. */
public final class ComparisonReport {
  private static final int MAX_LISTED = 20;

  private final List<Named> runs;
  private final RunComparison comparison;

  /**
   * A run and what it is called.
   *
   * @param name like that of its file
   * @param run itself
   */
  public record Named(String name, Run run) {}

  /** Compares B with A. */
  public ComparisonReport(Named a, Named b) {
    this.runs = List.of(a, b);
    this.comparison = RunComparison.of(a.run(), b.run());
  }

  /** Prints what contenders are compared by; the rest is on the page. */
  public void print(PrintWriter out) {
    line(out, "A: " + about(0));
    line(out, "B: " + about(1));
    comparison.warnings().forEach(warning -> line(out, "warning: " + warning));
    out.println();
    int unlisted = 0;
    for (RunComparison.Part part : comparison.parts()) {
      if (part.metric().compared()) {
        line(out, title(part));
        table(part).print(out);
        out.println();
      } else {
        unlisted += part.changes().size();
      }
    }
    out.println(comparison.sentence());
    if (comparison.cells() > 0) {
      out.println(comparison.caution());
    }
    if (unlisted > 0) {
      out.println(unlisted + " of these cells are facts that are not compared by: see --html");
    }
    only(out, "A", comparison.onlyA());
    only(out, "B", comparison.onlyB());
    out.flush();
  }

  private static void line(PrintWriter out, String text) {
    out.println(TextTable.plain(text));
  }

  private String about(int index) {
    Named run = runs.get(index);
    return run.name()
        + ", "
        + run.run().about().started()
        + ", "
        + run.run().about().version()
        + (run.run().complete() ? "" : ", INTERRUPTED");
  }

  private static String title(RunComparison.Part part) {
    return part.benchmark()
        + ": "
        + Words.metric(part.metric())
        + DuelSection.direction(part.metric());
  }

  private static TextTable table(RunComparison.Part part) {
    TextTable table = new TextTable(2);
    table.add(List.of("", "", "A", "B", "B/A [95 %]", ""));
    String last = null;
    for (Change change : part.changes()) {
      String where = part.where(change);
      table.add(
          List.of(
              where.equals(last) ? "" : where,
              change.a().contender().name(),
              Words.figure(part.metric(), Estimate.of(change.a().samples()).median()),
              Words.figure(part.metric(), Estimate.of(change.b().samples()).median()),
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

  /** Writes the page, with all cells. */
  public void write(Path file) throws IOException {
    Page.write(file, page());
  }

  String page() throws IOException {
    Html html = new Html();
    html.element("h1", "lucene-pread benchmarks: two runs compared");
    html.open("dl", "class", "what");
    html.element("dt", "A").element("dd", about(0)).element("dt", "B").element("dd", about(1));
    html.closeLine();
    for (String warning : comparison.warnings()) {
      html.element("p", warning, "class", "state stopped");
    }
    html.open("p", "class", "score").element("b", comparison.sentence()).text(".").closeLine();
    html.element("p", comparison.caution(), "class", "hint");
    html.element(
        "p",
        "Ratio of the medians, B to A, with the 95 % confidence interval of Welch\u2019s t-test on"
            + " logarithms. Fewer than "
            + Change.MIN_SAMPLES
            + " samples are not judged.",
        "class",
        "hint");
    changes(html, "Worse", Change.Verdict.WORSE);
    changes(html, "Better", Change.Verdict.BETTER);
    html.element("h2", "All cells");
    for (RunComparison.Part part : comparison.parts()) {
      html.open("details").open("summary").element("b", title(part));
      html.text(
          " \u2013 "
              + part.changes().size()
              + " cells, "
              + part.count(Change.Verdict.WORSE)
              + " worse, "
              + part.count(Change.Verdict.BETTER)
              + " better");
      html.close();
      rows(html, part.changes().stream().map(change -> Map.entry(part, change)).toList());
      html.closeLine();
    }
    only(html, "A", comparison.onlyA());
    only(html, "B", comparison.onlyB());
    return Page.of("two runs compared", html.toString());
  }

  private void changes(Html html, String title, Change.Verdict verdict) {
    List<Map.Entry<RunComparison.Part, Change>> found = comparison.with(List.of(verdict));
    html.element("h2", title + " in B");
    if (found.isEmpty()) {
      html.element("p", "No cell.");
    } else {
      rows(html, found);
    }
  }

  private static void rows(Html html, List<Map.Entry<RunComparison.Part, Change>> rows) {
    html.open("div", "class", "scroll").open("table", "class", "figures").open("thead").open("tr");
    for (String name : List.of("benchmark, conditions", "contender", "metric")) {
      html.element("th", name, "class", "name");
    }
    for (String name : List.of("A", "B", "B/A", "95 % interval", "")) {
      html.element("th", name);
    }
    html.close().close().open("tbody");
    for (Map.Entry<RunComparison.Part, Change> row : rows) {
      RunComparison.Part part = row.getKey();
      Change change = row.getValue();
      String where = part.where(change);
      html.open("tr");
      html.element("td", part.benchmark() + (where.isEmpty() ? "" : ": " + where), "class", "name");
      html.element("td", change.a().contender().name(), "class", "name");
      html.element("td", Words.metric(part.metric()), "class", "name");
      html.element("td", Words.figure(part.metric(), Estimate.of(change.a().samples())));
      html.element("td", Words.figure(part.metric(), Estimate.of(change.b().samples())));
      html.element("td", Words.ratio(change.ratio()));
      html.element(
          "td",
          Double.isNaN(change.low())
              ? "\u2013"
              : Words.ratio(change.low()) + " to " + Words.ratio(change.high()));
      html.element("td", change.verdict().toString(), "class", css(change.verdict()));
      html.closeLine();
    }
    html.close().close().closeLine();
  }

  private static String css(Change.Verdict verdict) {
    return switch (verdict) {
      case BETTER -> "better";
      case WORSE -> "worse";
      case DIFFERENT, NO_DIFFERENCE, TOO_FEW -> "unknown";
    };
  }

  private static void only(Html html, String name, List<String> cells) {
    if (cells.isEmpty()) {
      return;
    }
    html.open("details").element("summary", "Only in " + name + ": " + cells.size() + " cells");
    html.open("ul");
    cells.forEach(cell -> html.element("li", cell));
    html.close().closeLine();
  }
}
