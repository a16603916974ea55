/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** "Ours against the best other", cell by cell: blue where ours win, orange where they lose. */
final class HeatMap {
  /** The ratio, and its inverse, at which colours are at their strongest. */
  private static final double STRONGEST = 4;

  private static final int[] WIN = {0x1F, 0x66, 0xAD};
  private static final int[] LOSS = {0xB8, 0x58, 0x06};
  private static final int[] LEVEL = {0xF7, 0xF7, 0xF5};
  private static final List<Double> LEGEND = List.of(0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0);

  private final Sheet sheet;
  private final Html html;

  HeatMap(Sheet sheet, Html html) {
    this.sheet = sheet;
    this.html = html;
  }

  /** What the colours and signs mean. */
  static void legend(Html html) {
    html.open("p", "class", "heatkey");
    for (double ratio : LEGEND) {
      html.element("span", Words.ratio(ratio), "style", colors(ratio));
    }
    html.text(
        " Ratio of the medians, ours to the best other, turned so that above 1 ours is better."
            + " \u25b2 won, \u25bc lost, = level: the 95 % confidence intervals overlap.");
    html.closeLine();
  }

  void write(Metric metric, List<Duel> duels) {
    Map<List<Object>, Duel> byCell = new HashMap<>();
    duels.forEach(duel -> byCell.put(List.of(duel.conditions(), duel.ours()), duel));
    Pivot pivot = Pivot.of(sheet, metric);
    List<Contender> ours =
        sheet.contenders(metric).stream()
            .filter(contender -> contender.role() == Contender.Role.OURS)
            .toList();
    html.open("div", "class", "heats");
    if (pivot.exists()) {
      ours.forEach(contender -> table(pivot, List.of(contender), byCell));
    } else {
      table(pivot, ours, byCell);
    }
    html.closeLine();
  }

  private void table(Pivot pivot, List<Contender> ours, Map<List<Object>, Duel> byCell) {
    ConditionColumns columns = new ConditionColumns(sheet, pivot, html);
    html.open("div", "class", "scroll").open("table", "class", "heat");
    header(pivot, columns, ours);
    html.open("tbody");
    for (Map<String, String> group : pivot.groups()) {
      html.open("tr");
      columns.cells(group);
      for (Contender contender : ours) {
        for (String value : pivot.values()) {
          cell(byCell.get(List.of(pivot.at(group, value), contender)));
        }
      }
      html.closeLine();
    }
    html.close().close().closeLine();
  }

  private void header(Pivot pivot, ConditionColumns columns, List<Contender> ours) {
    html.open("thead").open("tr");
    columns.header(pivot.exists() ? 2 : 1);
    for (Contender contender : ours) {
      html.element(
          "th",
          contender.name(),
          "colspan",
          Integer.toString(pivot.values().size()),
          "class",
          "group");
    }
    html.closeLine();
    if (pivot.exists()) {
      html.open("tr");
      for (int i = 0; i < ours.size(); i++) {
        for (String value : pivot.values()) {
          html.element("th", Words.condition(pivot.name(), value));
        }
      }
      html.closeLine();
    }
    html.closeLine();
  }

  private void cell(Duel duel) {
    if (duel == null) {
      html.element("td", "\u2013", "class", "none");
      return;
    }
    Estimate ours = sheet.estimate(duel.metric(), duel.conditions(), duel.ours());
    Estimate other = sheet.estimate(duel.metric(), duel.conditions(), duel.other());
    String title =
        duel.ours().name()
            + " "
            + Words.figure(duel.metric(), ours)
            + ", best other "
            + duel.other().name()
            + " "
            + Words.figure(duel.metric(), other)
            + " ("
            + Words.metric(duel.metric())
            + ")";
    html.open("td", "style", colors(duel.ratio()), "title", title);
    html.element("b", sign(duel) + "\u00a0" + Words.ratio(duel.ratio()));
    html.element("small", duel.other().name()).close();
  }

  static String sign(Duel duel) {
    return switch (duel.outcome()) {
      case WON -> "\u25b2";
      case LEVEL -> "=";
      case LOST -> "\u25bc";
    };
  }

  /** Background and text. */
  static String colors(double ratio) {
    double strength =
        ratio > 0
            ? Math.max(-1, Math.min(1, Math.log(ratio) / Math.log(STRONGEST)))
            : ratio == 0 ? -1 : 0;
    int[] end = strength > 0 ? WIN : LOSS;
    double share = Math.sqrt(Math.abs(strength));
    int[] color = new int[3];
    for (int i = 0; i < color.length; i++) {
      color[i] = (int) Math.round(LEVEL[i] + (end[i] - LEVEL[i]) * share);
    }
    String background = String.format(Locale.ROOT, "#%02x%02x%02x", color[0], color[1], color[2]);
    return "background:" + background + (share > 0.72 ? ";color:#fff" : "");
  }
}
