/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import java.util.List;
import java.util.Optional;

/** How ours did in a benchmark: won, level, lost, the losses in full, and the heat maps. */
final class DuelSection {
  private static final int SHOWN_LOSSES = 20;

  private final Sheet sheet;
  private final List<Duel> duels;
  private final Html html;

  DuelSection(Sheet sheet, Html html) {
    this.sheet = sheet;
    this.duels = Duel.of(sheet);
    this.html = html;
  }

  void write() {
    if (duels.isEmpty()) {
      return;
    }
    html.element("h3", "Ours against the best other");
    Score score = Score.of(duels);
    html.open("p", "class", "score").element("b", score.sentence()).text("; worst loss: ");
    html.text(score.worst().map(loss -> loss.sentence(sheet)).orElse("none")).text(".");
    if (!score.caution().isEmpty()) {
      html.text(" " + score.caution());
    }
    html.closeLine();
    contenders();
    HeatMap.legend(html);
    HeatMap heat = new HeatMap(sheet, html);
    html.open("div", "class", "heats");
    for (Metric metric : sheet.metrics()) {
      List<Duel> ofMetric = duels.stream().filter(duel -> duel.metric().equals(metric)).toList();
      if (!ofMetric.isEmpty()) {
        boolean wide = Pivot.of(sheet, metric).exists();
        html.open("div", "class", wide ? "wide" : "");
        html.element("h4", Words.metric(metric) + direction(metric));
        heat.write(metric, ofMetric);
        html.closeLine();
      }
    }
    html.closeLine();
    losses(score);
  }

  static String direction(Metric metric) {
    return switch (metric.better()) {
      case HIGHER -> " (more is better)";
      case LOWER -> " (less is better)";
      case NEITHER -> "";
    };
  }

  private void contenders() {
    List<Contender> ours =
        sheet.contenders().stream()
            .filter(contender -> duels.stream().anyMatch(duel -> duel.ours().equals(contender)))
            .toList();
    html.open("div", "class", "scroll").open("table", "class", "figures").open("thead").open("tr");
    html.element("th", "", "class", "name");
    for (String name : List.of("cells", "won", "level", "lost", "geometric mean")) {
      html.element("th", name);
    }
    html.close().close().open("tbody");
    for (Contender contender : ours) {
      line(contender.name(), duels.stream().filter(duel -> duel.ours().equals(contender)).toList());
    }
    if (ours.size() > 1) {
      line("the best of ours in each", Duel.bestOfOurs(duels));
    }
    html.close().close().closeLine();
  }

  private void line(String name, List<Duel> of) {
    Score score = Score.of(of);
    html.open("tr").element("th", name, "class", "name");
    for (int count : List.of(score.all(), score.won(), score.level(), score.lost())) {
      html.element("td", Integer.toString(count));
    }
    html.element("td", Words.ratio(Score.mean(of))).closeLine();
  }

  private void losses(Score score) {
    html.element("h4", "Where we lose");
    if (score.losses().isEmpty()) {
      html.element("p", "Nowhere in what was compared here.");
      return;
    }
    lossTable(score.losses().subList(0, Math.min(SHOWN_LOSSES, score.losses().size())));
    if (score.losses().size() > SHOWN_LOSSES) {
      List<Duel> rest = score.losses().subList(SHOWN_LOSSES, score.losses().size());
      html.open("details").element("summary", rest.size() + " further losses, all smaller");
      lossTable(rest);
      html.closeLine();
    }
  }

  private void lossTable(List<Duel> losses) {
    html.open("div", "class", "scroll").open("table", "class", "figures").open("thead").open("tr");
    html.element("th", "ratio");
    for (String name : List.of("conditions", "metric", "ours", "best other")) {
      html.element("th", name, "class", "name");
    }
    html.close().close().open("tbody");
    for (Duel duel : losses) {
      html.open("tr");
      html.element("td", Words.ratio(duel.ratio()), "style", HeatMap.colors(duel.ratio()));
      name(Words.conditions(duel.conditions(), sheet.varying()));
      name(Words.metric(duel.metric()));
      name(duel.ours().name() + " " + figure(duel, duel.ours()));
      name(duel.other().name() + " " + figure(duel, duel.other()));
      html.closeLine();
    }
    html.close().close().closeLine();
  }

  private String figure(Duel duel, Contender contender) {
    return Optional.ofNullable(sheet.estimate(duel.metric(), duel.conditions(), contender))
        .map(estimate -> Words.figure(duel.metric(), estimate))
        .orElse("");
  }

  private void name(String text) {
    html.element("td", text, "class", "name");
  }
}
