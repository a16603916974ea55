/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** All figures of a benchmark: medians with their intervals, and every raw sample. */
final class FigureTables {
  /** More contenders than this are below each other. */
  private static final int MAX_COLUMNS = 7;

  private static final int MAX_OPEN_CELLS = 120;

  private final Sheet sheet;
  private final Ceilings ceilings;
  private final Html html;
  private final Map<Metric, Optional<Integer>> samplesEach = new HashMap<>();

  FigureTables(Sheet sheet, Ceilings ceilings, Html html) {
    this.sheet = sheet;
    this.ceilings = ceilings;
    this.html = html;
  }

  void write() {
    List<Metric> metrics = sheet.metrics();
    if (metrics.isEmpty()) {
      return;
    }
    html.element("h3", "Figures");
    html.element(
        "p",
        "Medians \u00b1 half of the 95 % confidence interval (Student\u2019s t, around the mean). The"
            + " best is bold. Ceilings: the device where data is read from it,"
            + " a copy in memory where all is resident.",
        "class",
        "hint");
    for (Metric metric : metrics) {
      boolean open =
          metric.compared()
              && sheet.conditions(metric).size() * contenders(metric) <= MAX_OPEN_CELLS;
      html.open("details", open ? new String[] {"open", "open"} : new String[0]);
      html.open("summary").element("b", Words.metric(metric)).text(DuelSection.direction(metric));
      html.text(metric.compared() ? "" : " \u2013 listed, not compared").close();
      samplesEach(metric)
          .ifPresent(
              n ->
                  html.element(
                      "p", n + (n == 1 ? " sample each." : " samples each."), "class", "hint"));
      table(metric);
      samples(metric);
      html.closeLine();
    }
  }

  /** The number of samples, if all cells have the same one. */
  private Optional<Integer> samplesEach(Metric metric) {
    return samplesEach.computeIfAbsent(
        metric,
        one -> {
          List<Integer> numbers = sheet.sampleNumbers(one);
          return numbers.size() == 1 ? Optional.of(numbers.get(0)) : Optional.empty();
        });
  }

  private int contenders(Metric metric) {
    return sheet.contenders(metric).size();
  }

  private void table(Metric metric) {
    Pivot pivot = Pivot.of(sheet, metric);
    html.open("div", "class", "scroll").open("table", "class", "figures");
    if (pivot.exists() || contenders(metric) > MAX_COLUMNS) {
      tall(metric, pivot);
    } else {
      wide(metric, pivot);
    }
    html.close().closeLine();
  }

  private void wide(Metric metric, Pivot pivot) {
    List<Contender> contenders = sheet.contenders(metric);
    boolean ceiling = pivot.groups().stream().anyMatch(group -> share(metric, group).isPresent());
    ConditionColumns columns = new ConditionColumns(sheet, pivot, html);
    html.open("thead").open("tr");
    columns.header(1);
    contenders.forEach(contender -> html.element("th", contender.name()));
    if (ceiling) {
      html.element("th", "ceiling");
    }
    html.close().close().open("tbody");
    for (Map<String, String> group : pivot.groups()) {
      html.open("tr");
      columns.cells(group);
      contenders.forEach(contender -> cell(metric, group, contender));
      if (ceiling) {
        ceiling(metric, group);
      }
      html.closeLine();
    }
    html.close();
  }

  private void tall(Metric metric, Pivot pivot) {
    List<Contender> contenders = sheet.contenders(metric);
    html.open("thead").open("tr").element("th", "", "class", "name");
    for (String value : pivot.values()) {
      html.element(
          "th", value == null ? Words.metric(metric) : Words.condition(pivot.name(), value));
    }
    html.close().closeLine();
    for (Map<String, String> group : pivot.groups()) {
      html.open("tbody").open("tr");
      String title = Words.conditions(group, pivot.varying(sheet));
      String span = Integer.toString(pivot.values().size() + 1);
      html.element("th", title.isEmpty() ? "all" : title, "class", "group", "colspan", span);
      html.closeLine();
      boolean ceiling = false;
      for (Contender contender : contenders) {
        if (pivot.values().stream()
            .noneMatch(
                value -> sheet.estimate(metric, pivot.at(group, value), contender) != null)) {
          continue;
        }
        html.open("tr").element("th", contender.name(), "class", "name " + css(contender));
        for (String value : pivot.values()) {
          ceiling |= share(metric, pivot.at(group, value)).isPresent();
          cell(metric, pivot.at(group, value), contender);
        }
        html.closeLine();
      }
      if (ceiling) {
        html.open("tr").element("th", "ceiling", "class", "name ceiling");
        pivot.values().forEach(value -> ceiling(metric, pivot.at(group, value)));
        html.closeLine();
      }
      html.closeLine();
    }
  }

  static String css(Contender contender) {
    return switch (contender.role()) {
      case OURS -> "ours";
      case OTHER -> "other";
      case CEILING -> "ceiling";
    };
  }

  private Optional<CeilingShare> share(Metric metric, Map<String, String> conditions) {
    return CeilingShare.of(ceilings, metric, conditions);
  }

  private void cell(Metric metric, Map<String, String> conditions, Contender contender) {
    Estimate estimate = sheet.estimate(metric, conditions, contender);
    if (estimate == null) {
      html.element("td", "\u2013", "class", "none");
      return;
    }
    boolean best =
        metric.better() != Metric.Better.NEITHER
            && Duel.best(sheet, metric, conditions, null).filter(contender::equals).isPresent();
    html.open("td").element(best ? "b" : "span", Words.figure(metric, estimate.median()));
    if (estimate.hasInterval()) {
      html.element("span", " \u00b1 " + Words.error(metric, estimate), "class", "error");
    }
    String share =
        share(metric, conditions)
            .map(most -> Words.percent(estimate.median() / most.most()) + " of " + most.of())
            .orElse("");
    String n = samplesEach(metric).isPresent() ? "" : "n=" + estimate.n();
    String small = n + (n.isEmpty() || share.isEmpty() ? "" : ", ") + share;
    if (!small.isEmpty()) {
      html.element("small", small);
    }
    html.close();
  }

  private void ceiling(Metric metric, Map<String, String> conditions) {
    Optional<CeilingShare> share = share(metric, conditions);
    html.open("td", "class", "ceiling");
    html.text(share.map(most -> Words.figure(metric, most.most())).orElse("\u2013"));
    share.ifPresent(most -> html.element("small", most.of()));
    html.close();
  }

  private void samples(Metric metric) {
    html.open("details", "class", "raw").element("summary", "Every sample");
    html.open("div", "class", "scroll").open("table", "class", "samples").open("tbody");
    for (Map<String, String> conditions : sheet.conditions(metric)) {
      for (Contender contender : sheet.contenders(metric)) {
        Cell cell = sheet.cell(metric, conditions, contender);
        if (cell != null) {
          html.open("tr");
          html.element("td", Words.conditions(conditions, sheet.varying()));
          html.element("td", contender.name());
          html.element(
              "td",
              cell.samples().stream().map(FigureTables::exact).collect(Collectors.joining(" ")));
          html.closeLine();
        }
      }
    }
    html.close().close().close().closeLine();
  }

  private static String exact(double sample) {
    return sample == Math.rint(sample) && Math.abs(sample) < 1e15
        ? Long.toString((long) sample)
        : Double.toString(sample);
  }
}
