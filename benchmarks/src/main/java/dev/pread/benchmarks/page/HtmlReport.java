/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A run as one HTML page that needs nothing else: no network, no scripts; styles and plots are in
 * it. Where Java cannot draw, the page goes without plots and says so.
 */
public final class HtmlReport {
  private HtmlReport() {}

  /**
   * Writes the page.
   *
   * @param run complete or not
   * @param file to write, replaced if it exists
   */
  public static void write(Run run, Path file) throws IOException {
    Page.write(file, page(run, Drawings.Drawing::svg));
  }

  /** The page's text. */
  static String page(Run run, Drawings.Studio studio) throws IOException {
    List<Sheet> sheets = Sheet.of(run);
    Drawings drawings = new Drawings(studio);
    Html body = new Html();
    Ceilings ceilings = Ceilings.of(run);
    Palette palette = Palette.of(sheets);
    for (int i = 0; i < sheets.size(); i++) {
      Sheet sheet = sheets.get(i);
      body.open("section", "id", "b" + i);
      body.element("h2", sheet.benchmark());
      String common = Words.conditions(sheet.common(), sheet.common().keySet());
      if (!common.isEmpty()) {
        body.element("p", "Everywhere: " + common + ".", "class", "hint");
      }
      new DuelSection(sheet, body).write();
      new PlotSection(sheet, palette, drawings, body).write();
      new FigureTables(sheet, ceilings, body).write();
      body.closeLine();
    }
    Html html = new Html();
    AboutSection about = new AboutSection(html);
    about.head(run);
    drawings.note().ifPresent(note -> html.element("p", note, "class", "state stopped"));
    contents(html, sheets);
    about.facts(run.about());
    about.notes(run.notes());
    about.skipped(run.skipped());
    return Page.of(run.about().command(), html.toString() + body);
  }

  private static void contents(Html html, List<Sheet> sheets) {
    if (sheets.isEmpty()) {
      html.element("p", "Nothing was measured.", "class", "state stopped");
      return;
    }
    html.open("nav").open("div", "class", "scroll").open("table", "class", "figures contents");
    html.open("thead").open("tr").element("th", "benchmark", "class", "name");
    for (String name : List.of("cells compared", "won", "level", "lost")) {
      html.element("th", name);
    }
    html.element("th", "worst loss", "class", "name").close().close().open("tbody");
    for (int i = 0; i < sheets.size(); i++) {
      Sheet sheet = sheets.get(i);
      Score score = Score.of(Duel.of(sheet));
      html.open("tr").open("th", "class", "name");
      html.element("a", sheet.benchmark(), "href", "#b" + i).close();
      for (int count : List.of(score.all(), score.won(), score.level(), score.lost())) {
        html.element("td", score.all() == 0 ? "\u2013" : Integer.toString(count));
      }
      html.element(
          "td", score.worst().map(loss -> loss.sentence(sheet)).orElse("\u2013"), "class", "name");
      html.closeLine();
    }
    html.close().close().close().closeLine();
  }
}
