/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;

/** What the plots of a benchmark show. */
final class FigurePlots {
  private static final int WIDTH = 270;
  private static final int HEIGHT = 165;
  private static final int BAR_WIDTH = 185;
  private static final int BAR_HEIGHT = 19;
  private static final int MAX_NAME = 19;

  /** From this ratio of the greatest to the least figure on, an axis is logarithmic. */
  private static final double WIDE = 30;

  /** An interval may take this much more room than the figures. */
  private static final double ROOM_FOR_ERROR = 1.6;

  private static final double MAX_RANGE = 1e15;

  private final Sheet sheet;
  private final Palette palette;

  private record Bar(Contender contender, Estimate estimate) {}

  FigurePlots(Sheet sheet, Palette palette) {
    this.sheet = sheet;
    this.palette = palette;
  }

  /** A line for each contender, by the value of the pivot, with error bars. */
  String lines(Metric metric, Pivot pivot, Map<String, String> group) throws IOException {
    DoubleSummaryStatistics range = new DoubleSummaryStatistics();
    double error = 0;
    for (Contender contender : sheet.contenders()) {
      for (String value : pivot.values()) {
        Estimate estimate = sheet.estimate(metric, pivot.at(group, value), contender);
        if (estimate != null) {
          range.accept(estimate.median());
          error = Math.max(error, estimate.hasInterval() ? estimate.high() : 0);
        }
      }
    }
    Axis x = Axis.counts(pivot.name(), pivot.values().stream().map(Long::parseLong).toList());
    Axis y = axis(metric.name() + ", " + metric.unit(), range, error);
    Plot plot = new Plot(x, y, WIDTH, HEIGHT).description(description(metric, group));
    for (Contender contender : drawingOrder()) {
      Palette.Look look = palette.look(contender);
      List<Curve.Point> points = new ArrayList<>();
      for (String value : pivot.values()) {
        Estimate estimate = sheet.estimate(metric, pivot.at(group, value), contender);
        if (estimate != null) {
          double at = Double.parseDouble(value);
          points.add(new Curve.Point(at, estimate.median()));
          if (estimate.hasInterval() && estimate.half() > 0) {
            plot.error(
                look,
                new double[] {at, Math.max(estimate.low(), range.getMin() / 2)},
                new double[] {at, estimate.high()});
          }
        }
      }
      // A line of one figure is nothing to be seen.
      Palette.Marker marker = points.size() == 1 ? Palette.Marker.DIAMOND : look.marker();
      line(plot, contender, look.with(marker), points);
    }
    return plot.svg(50, 22, 10, 36);
  }

  /** Curves of contenders under the same conditions. */
  String curves(Curve.Axes axes, List<Curve> curves) throws IOException {
    boolean percentiles = axes.scale() == Curve.Scale.PERCENTILES;
    boolean logarithmic = percentiles || axes.scale() == Curve.Scale.LOG_Y;
    DoubleSummaryStatistics xs = new DoubleSummaryStatistics();
    DoubleSummaryStatistics ys = new DoubleSummaryStatistics();
    List<List<Curve.Point>> shown = new ArrayList<>();
    for (Curve curve : curves) {
      List<Curve.Point> points =
          curve.points().stream()
              .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
              .filter(point -> !percentiles || (point.x() >= 0 && point.x() < 100))
              .filter(point -> !logarithmic || point.y() > 0)
              .toList();
      shown.add(points);
      points.forEach(point -> xs.accept(point.x()));
      points.forEach(point -> ys.accept(point.y()));
    }
    if (xs.getCount() == 0) {
      throw new IOException("no points in " + axes.name());
    }
    Axis x =
        percentiles
            ? Axis.percentiles(axes.x(), xs.getMax())
            : Axis.linear(axes.x(), xs.getMin(), xs.getMax());
    Axis y =
        logarithmic
            ? Axis.logarithmic(axes.y() + " (logarithmic)", ys.getMin(), checked(ys).getMax())
            : Axis.linear(axes.y(), ys.getMin(), ys.getMax());
    Plot plot = new Plot(x, y, WIDTH, HEIGHT).description(axes.name() + ": " + axes.y());
    List<Contender> order = drawingOrder();
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < curves.size(); i++) {
      indexes.add(i);
    }
    indexes.sort(Comparator.comparingInt(i -> order.indexOf(curves.get(i).contender())));
    for (int i : indexes) {
      Contender contender = curves.get(i).contender();
      Palette.Look look = palette.look(contender);
      boolean few = shown.get(i).size() <= 12;
      Palette.Marker marker = few ? look.marker() : Palette.Marker.NONE;
      line(plot, contender, look.with(marker), shown.get(i));
    }
    return plot.svg(50, 22, 22, 36);
  }

  /** A bar for each contender, with its figure. */
  String bars(Metric metric, Map<String, String> conditions) throws IOException {
    List<Bar> bars = new ArrayList<>();
    DoubleSummaryStatistics range = new DoubleSummaryStatistics();
    double error = 0;
    for (Contender contender : sheet.contenders()) {
      Estimate estimate = sheet.estimate(metric, conditions, contender);
      if (estimate != null) {
        bars.add(new Bar(contender, estimate));
        range.accept(estimate.median());
        error = Math.max(error, estimate.hasInterval() ? estimate.high() : 0);
      }
    }
    double most = Math.max(checked(range).getMax(), 0);
    // The figure stands behind the bar.
    double reach = Math.max(most, Math.min(error, most * ROOM_FOR_ERROR)) * 1.3;
    Axis scale = Axis.linear("", 0, Math.max(reach, Double.MIN_NORMAL * 1e6));
    List<Axis.Tick> ticks = scale.ticks().stream().filter(tick -> tick.position() <= most).toList();
    Axis x = new Axis(Words.metric(metric), 0, scale.high(), ticks, scale.position());
    Axis y = Axis.rows(bars.size());
    Plot plot = new Plot(x, y, BAR_WIDTH, BAR_HEIGHT * bars.size());
    plot.description(description(metric, conditions));
    for (int row = 0; row < bars.size(); row++) {
      Estimate estimate = bars.get(row).estimate();
      Palette.Look look = palette.look(bars.get(row).contender());
      boolean ours = bars.get(row).contender().role() == Contender.Role.OURS;
      plot.bar(look, estimate.median(), row, ours ? 13 : 10);
      double end = estimate.median();
      if (estimate.hasInterval() && estimate.half() > 0) {
        plot.error(
            new Palette.Look("#222222", 1, List.of(), Palette.Marker.NONE),
            new double[] {Math.max(0, estimate.low()), row},
            new double[] {estimate.high(), row});
        end = Math.max(end, Math.min(estimate.high(), scale.high() * 0.8));
      }
      plot.label(0, row, SvgFigure.Anchor.END, shortened(bars.get(row).contender().name()), ours);
      String figure = Words.figure(metric, estimate.median());
      plot.label(end, row, SvgFigure.Anchor.START, figure, ours);
    }
    return plot.svg(125, 6, 12, 36);
  }

  /** Ends of long names: those of classes begin alike. */
  static String shortened(String name) {
    int length = name.codePointCount(0, name.length());
    return length <= MAX_NAME
        ? name
        : "\u2026" + name.substring(name.offsetByCodePoints(0, length - MAX_NAME + 1));
  }

  /** Ceilings and others first: ours are drawn over them. */
  private List<Contender> drawingOrder() {
    return sheet.contenders().stream()
        .sorted(Comparator.comparing(Contender::role).reversed())
        .toList();
  }

  private static void line(
      Plot plot, Contender contender, Palette.Look look, List<Curve.Point> points) {
    plot.line(
        contender,
        look,
        points.stream().mapToDouble(Curve.Point::x).toArray(),
        points.stream().mapToDouble(Curve.Point::y).toArray());
  }

  private static Axis axis(String label, DoubleSummaryStatistics range, double error)
      throws IOException {
    double least = checked(range).getMin();
    double most = range.getMax();
    double reach = Math.max(most, Math.min(error, most * ROOM_FOR_ERROR));
    return least > 0 && most / least > WIDE
        ? Axis.logarithmic(label + " (logarithmic)", least, reach)
        : Axis.linear(label, least, reach);
  }

  /** Refuses what no axis can show. */
  private static DoubleSummaryStatistics checked(DoubleSummaryStatistics range) throws IOException {
    double most = Math.max(Math.abs(range.getMax()), Math.abs(range.getMin()));
    double least = range.getMin() > 0 ? range.getMin() : most;
    if (range.getCount() == 0
        || most > MAX_RANGE
        || (least > 0 && (least < 1 / MAX_RANGE || most / least > MAX_RANGE))) {
      throw new IOException("figures from " + range.getMin() + " to " + range.getMax());
    }
    return range;
  }

  private String description(Metric metric, Map<String, String> conditions) {
    return sheet.benchmark()
        + ", "
        + Words.metric(metric)
        + ": "
        + Words.conditions(conditions, sheet.varying());
  }
}
