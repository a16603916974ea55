/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** The frame of a plot and its text, as text: its font is the page's, and it can be searched. */
final class SvgFigure {
  private final int width;
  private final int height;
  private final int[] margins;
  private final StringBuilder out = new StringBuilder();

  /** Which side of a text its position is. */
  enum Anchor {
    START,
    END
  }

  /** Text at a position. */
  record Label(double x, double y, Anchor anchor, String text, boolean strong) {}

  /** The axes, and where their positions are in the picture. */
  record Field(Axis x, Axis y, DoubleUnaryOperator left, DoubleUnaryOperator down) {}

  /**
   * @param width of the field between the axes
   * @param height of it
   * @param margins around it: left, top, right, bottom
   */
  SvgFigure(int width, int height, int... margins) {
    this.width = width;
    this.height = height;
    this.margins = margins;
  }

  /** The whole picture, as wide as there is room for it. */
  String draw(String description, String marks, Field field, List<Label> labels) {
    out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
    out.append(margins[0] + width + margins[2]).append(' ');
    out.append(margins[1] + height + margins[3]).append("\"><title>");
    out.append(Html.escape(description)).append("</title>");
    out.append("<g transform=\"translate(").append(margins[0]).append(' ').append(margins[1]);
    out.append(")\">");
    horizontal(field);
    vertical(field);
    out.append(marks);
    for (Label label : labels) {
      boolean start = label.anchor() == Anchor.START;
      text(
          field.left().applyAsDouble(label.x()) + (start ? 5 : -5),
          field.down().applyAsDouble(label.y()) + 4,
          (start ? "" : "e") + (label.strong() ? " s" : ""),
          label.text());
    }
    return out.append("</g></svg>").toString();
  }

  private void horizontal(Field field) {
    for (Axis.Tick tick : field.y().ticks()) {
      double y = field.down().applyAsDouble(tick.position());
      line(0, y, width, y, "g");
      text(-5, y + 3.5, "e", tick.text());
    }
    if (!field.y().label().isEmpty()) {
      text(-margins[0] + 2, -11, "t", field.y().label());
    }
  }

  private void vertical(Field field) {
    boolean grid = field.y().ticks().isEmpty();
    for (Axis.Tick tick : field.x().ticks()) {
      double x = field.left().applyAsDouble(tick.position());
      line(x, grid ? 0 : height, x, height + (grid ? 0 : 4), grid ? "g" : "a");
      text(x, height + 15, "m", tick.text());
    }
    if (grid) {
      line(0, 0, 0, height, "a");
    } else {
      line(0, height, width, height, "a");
    }
    if (!field.x().label().isEmpty()) {
      text(width / 2.0, height + 29, "m t", field.x().label());
    }
  }

  private void line(double x1, double y1, double x2, double y2, String css) {
    out.append("<path class=\"").append(css).append("\" d=\"M").append(number(x1)).append(' ');
    out.append(number(y1)).append('L').append(number(x2)).append(' ').append(number(y2));
    out.append("\"/>");
  }

  private void text(double x, double y, String css, String text) {
    out.append("<text x=\"").append(number(x)).append("\" y=\"").append(number(y)).append('"');
    if (!css.isEmpty()) {
      out.append(" class=\"").append(css.strip()).append('"');
    }
    out.append('>').append(Html.escape(text)).append("</text>");
  }

  private static String number(double value) {
    return Words.format("%.1f", value).replaceFirst("\\.0$", "");
  }
}
