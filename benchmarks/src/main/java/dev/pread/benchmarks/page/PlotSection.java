/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The plots of a benchmark: many small ones, one for each set of conditions. */
final class PlotSection {
  /** A page has to stay usable; the tables have what is not plotted. */
  private static final int MAX_PLOTS = 64;

  private final Sheet sheet;
  private final Drawings drawings;
  private final FigurePlots plots;
  private final Palette palette;
  private final Html html;
  private boolean first = true;

  /** A plot to be drawn. */
  record Picture(Map<String, String> conditions, Drawings.Drawing drawing) {}

  PlotSection(Sheet sheet, Palette palette, Drawings drawings, Html html) {
    this.sheet = sheet;
    this.palette = palette;
    this.drawings = drawings;
    this.plots = new FigurePlots(sheet, palette);
    this.html = html;
  }

  void write() {
    for (Metric metric : sheet.metrics()) {
      if (metric.compared() && metric.better() != Metric.Better.NEITHER && !inCurves(metric)) {
        Pivot pivot = Pivot.of(sheet, metric);
        boolean lines = pivot.exists() && pivot.values().stream().allMatch(Sheet::isCount);
        List<Picture> pictures = new ArrayList<>();
        for (Map<String, String> group : pivot.groups()) {
          pictures.add(
              new Picture(
                  group,
                  lines
                      ? () -> plots.lines(metric, pivot, group)
                      : () -> plots.bars(metric, group)));
        }
        String title = Words.metric(metric) + DuelSection.direction(metric);
        figure(
            lines ? title + ", by " + pivot.name() : title, pictures, pivot.varying(sheet), lines);
      }
    }
    curves();
  }

  /** Percentiles that are points of a curve too. */
  private boolean inCurves(Metric metric) {
    return metric.name().matches("p[0-9.]+")
        && sheet.curves().stream()
            .anyMatch(curve -> curve.axes().scale() == Curve.Scale.PERCENTILES);
  }

  private void curves() {
    Map<Curve.Axes, Map<Map<String, String>, List<Curve>>> byAxes = new LinkedHashMap<>();
    for (Curve curve : sheet.curves()) {
      byAxes
          .computeIfAbsent(curve.axes(), axes -> new LinkedHashMap<>())
          .computeIfAbsent(curve.conditions(), conditions -> new ArrayList<>())
          .add(curve);
    }
    byAxes.forEach(
        (axes, byConditions) -> {
          List<Picture> pictures =
              sheet.inOrder(byConditions.keySet()).stream()
                  .map(
                      conditions ->
                          new Picture(
                              conditions, () -> plots.curves(axes, byConditions.get(conditions))))
                  .toList();
          figure(axes.name() + ": " + axes.y(), pictures, sheet.varying(), true);
        });
  }

  private void figure(String title, List<Picture> pictures, List<String> varying, boolean open) {
    Map<Picture, String> drawn = new LinkedHashMap<>();
    for (Picture picture : pictures.subList(0, Math.min(MAX_PLOTS, pictures.size()))) {
      drawings.draw(picture.drawing()).ifPresent(svg -> drawn.put(picture, svg));
    }
    if (drawn.isEmpty()) {
      return;
    }
    if (first) {
      html.element("h3", "Plots");
    }
    html.open("details", first || open ? new String[] {"open", "open"} : new String[0]);
    first = false;
    html.open("summary").element("b", title).close();
    if (open) {
      legend();
    }
    grid(drawn, varying);
    if (pictures.size() > MAX_PLOTS) {
      html.element(
          "p", (pictures.size() - MAX_PLOTS) + " further plots are left out: see the tables.");
    }
    html.closeLine();
  }

  private void grid(Map<Picture, String> drawn, List<String> varying) {
    // Rows of small plots, one for each value of the condition that changes least often.
    String leading = drawn.size() > 4 && varying.size() > 1 ? varying.get(0) : null;
    List<String> captions = varying.stream().filter(name -> !name.equals(leading)).toList();
    String row = null;
    html.open("div", "class", "plotgrid");
    for (Map.Entry<Picture, String> entry : drawn.entrySet()) {
      Map<String, String> conditions = entry.getKey().conditions();
      String value = leading == null ? null : conditions.getOrDefault(leading, "");
      if (!Objects.equals(value, row)) {
        row = value;
        html.close();
        html.element("h5", Words.condition(leading, value));
        html.open("div", "class", "plotgrid");
      }
      html.open("figure").markup(entry.getValue());
      html.element("figcaption", Words.conditions(conditions, captions)).closeLine();
    }
    html.close();
  }

  private void legend() {
    html.open("p", "class", "legend");
    for (Contender contender : sheet.contenders()) {
      html.open("span", "class", FigureTables.css(contender));
      html.markup(Swatch.svg(palette.look(contender)));
      html.text(contender.name()).close().text(" ");
    }
    html.closeLine();
  }
}
