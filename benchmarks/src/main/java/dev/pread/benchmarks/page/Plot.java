/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Contender;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Circle;
import org.knowm.xchart.style.markers.Cross;
import org.knowm.xchart.style.markers.Diamond;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.None;
import org.knowm.xchart.style.markers.Square;
import org.knowm.xchart.style.markers.TriangleDown;
import org.knowm.xchart.style.markers.TriangleUp;

/**
 * One plot as inline SVG. XChart draws the figures; the frame, the grid and all text are written
 * beside them by {@link SvgFigure}, since XChart has its text as outlines of glyphs, and chooses
 * its own ticks. Not thread-safe.
 */
final class Plot {
  private static final int MARKER = 6;

  private final Axis x;
  private final Axis y;
  private final int width;
  private final int height;
  private final XYChart chart;
  private final List<SvgFigure.Label> labels = new ArrayList<>();
  private String description = "";
  private int series;

  /**
   * @param x horizontal axis
   * @param y vertical axis
   * @param width of the field between the axes
   * @param height of it
   */
  Plot(Axis x, Axis y, int width, int height) {
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    chart = new XYChart(width, height);
    XYStyler styler = chart.getStyler();
    styler.setLegendVisible(false).setChartTitleVisible(false).setChartPadding(0);
    styler.setPlotContentSize(1);
    styler.setMarkerSize(MARKER);
    styler.setChartBackgroundColor(new Color(255, 255, 255, 0));
    styler.setPlotBackgroundColor(new Color(255, 255, 255, 0));
    styler.setPlotBorderVisible(false);
    styler.setAxisTicksVisible(false).setAxisTitlesVisible(false).setPlotGridLinesVisible(false);
    styler.setPlotTicksMarksVisible(false).setPlotMargin(0);
    styler.setXAxisMin(x.low()).setXAxisMax(x.high());
    styler.setYAxisMin(y.low()).setYAxisMax(y.high());
  }

  /** What it shows, for those who cannot see it. */
  Plot description(String text) {
    description = text;
    return this;
  }

  /** A line through figures. */
  void line(Contender contender, Palette.Look look, double[] xs, double[] ys) {
    if (xs.length == 0) {
      return;
    }
    XYSeries line = add(contender.name(), xs, ys);
    line.setLineStyle(stroke(look.width(), look.dashes())).setLineColor(Color.decode(look.color()));
    line.setMarker(marker(look.marker())).setMarkerColor(Color.decode(look.color()));
  }

  /** An error bar, upright if both x are the same. */
  void error(Palette.Look look, double[] from, double[] to) {
    XYSeries bar = add("error", new double[] {from[0], to[0]}, new double[] {from[1], to[1]});
    Color color = Color.decode(look.color());
    bar.setLineStyle(stroke(1, List.of()))
        .setLineColor(new Color(color.getRed(), color.getGreen(), color.getBlue(), 150));
    bar.setMarker(new None());
  }

  /** A bar from zero along a row. */
  void bar(Palette.Look look, double value, double row, float thickness) {
    XYSeries bar = add("bar", new double[] {0, value}, new double[] {row, row});
    bar.setLineStyle(new BasicStroke(thickness, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER));
    bar.setLineColor(Color.decode(look.color()));
    bar.setMarker(new None());
  }

  /** Text at a figure. */
  void label(double atX, double atY, SvgFigure.Anchor anchor, String text, boolean strong) {
    labels.add(new SvgFigure.Label(x.clamped(atX), y.clamped(atY), anchor, text, strong));
  }

  private XYSeries add(String name, double[] xs, double[] ys) {
    double[] left = new double[xs.length];
    double[] up = new double[ys.length];
    for (int i = 0; i < xs.length; i++) {
      left[i] = x.clamped(xs[i]);
      up[i] = y.clamped(ys[i]);
    }
    // XChart wants names that differ; none is shown.
    return chart.addSeries(series++ + " " + name.length(), left, up);
  }

  private static BasicStroke stroke(float width, List<Float> dashes) {
    if (dashes.isEmpty()) {
      return new BasicStroke(width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    }
    float[] lengths = new float[dashes.size()];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = dashes.get(i);
    }
    return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, lengths, 0);
  }

  private static Marker marker(Palette.Marker marker) {
    return switch (marker) {
      case NONE -> new None();
      case CIRCLE -> new Circle();
      case SQUARE -> new Square();
      case DIAMOND -> new Diamond();
      case TRIANGLE_UP -> new TriangleUp();
      case TRIANGLE_DOWN -> new TriangleDown();
      case CROSS -> new Cross();
    };
  }

  /**
   * The plot as an {@code svg} element.
   *
   * @param margins left, top, right, bottom of the field
   */
  String svg(int... margins) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    VectorGraphicsEncoder.saveVectorGraphic(chart, bytes, VectorGraphicsFormat.SVG);
    SvgFigure figure = new SvgFigure(width, height, margins);
    return figure.draw(
        description,
        SvgMarks.of(bytes.toByteArray()),
        new SvgFigure.Field(x, y, chart::getScreenXFromChart, chart::getScreenYFromChart),
        labels);
  }
}
