/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.stream.Collectors;

/** A piece of a contender's line, for legends. */
final class Swatch {
  private Swatch() {}

  static String svg(Palette.Look look) {
    String dashes =
        look.dashes().isEmpty()
            ? ""
            : "stroke-dasharray=\""
                + look.dashes().stream().map(String::valueOf).collect(Collectors.joining(","))
                + "\" ";
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 28 12\" class=\"swatch\">"
        + "<path d=\"M1 6H27\" fill=\"none\" stroke=\""
        + look.color()
        + "\" stroke-width=\""
        + look.width()
        + "\" "
        + dashes
        + "/>"
        + marker(look)
        + "</svg>";
  }

  private static String marker(Palette.Look look) {
    String path =
        switch (look.marker()) {
          case NONE -> "";
          case CIRCLE -> "M10.5 6a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z";
          case SQUARE -> "M11 3h6v6h-6z";
          case DIAMOND -> "M14 2l4 4l-4 4l-4-4z";
          case TRIANGLE_UP -> "M14 2l4 7h-8z";
          case TRIANGLE_DOWN -> "M14 10l4-7h-8z";
          case CROSS -> "M11 3l6 6M17 3l-6 6";
        };
    if (path.isEmpty()) {
      return "";
    }
    return "<path d=\""
        + path
        + (look.marker() == Palette.Marker.CROSS
            ? "\" fill=\"none\" stroke-width=\"2\" stroke=\""
            : "\" fill=\"")
        + look.color()
        + "\"/>";
  }
}
