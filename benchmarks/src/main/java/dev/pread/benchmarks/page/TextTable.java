/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for a terminal: as wide as needed, names on the left, figures on the right. Control
 * characters are replaced: what comes from a file must not steer the terminal. Not thread-safe.
 */
final class TextTable {
  private static final int MAX_NAME = 60;

  private final int names;
  private final List<List<String>> lines = new ArrayList<>();

  /**
   * @param names how many columns, from the first, hold names
   */
  TextTable(int names) {
    this.names = names;
  }

  void add(List<String> cells) {
    List<String> line = new ArrayList<>();
    for (String cell : cells) {
      String text = plain(cell);
      line.add(text.length() > MAX_NAME ? text.substring(0, MAX_NAME - 3) + "..." : text);
    }
    lines.add(line);
  }

  /** How wide it is going to be. */
  int width() {
    int width = -2;
    for (int column : widths()) {
      width += column + 2;
    }
    return width;
  }

  void print(PrintWriter out) {
    int[] widths = widths();
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < line.size(); i++) {
        String pad = " ".repeat(widths[i] - line.get(i).length());
        text.append(i == 0 ? "" : "  ");
        text.append(i < names ? line.get(i) + pad : pad + line.get(i));
      }
      out.println(text.toString().stripTrailing());
    }
  }

  private int[] widths() {
    int[] widths = new int[lines.stream().mapToInt(List::size).max().orElse(0)];
    for (List<String> line : lines) {
      for (int i = 0; i < line.size(); i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    return widths;
  }

  /** Without control characters. */
  static String plain(String text) {
    return text.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?");
  }
}
