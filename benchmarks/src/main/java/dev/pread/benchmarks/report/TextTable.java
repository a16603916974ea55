/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for a terminal: as wide as needed, names on the left, figures on the right. Control
 * characters are replaced, since what comes from a file must not steer the terminal. Not
 * thread-safe.
 */
public final class TextTable {
  private static final int MAX_NAME = 60;

  private final int names;
  private final List<List<String>> lines = new ArrayList<>();

  /**
   * Makes an empty table.
   *
   * @param names how many columns, from the first, hold names
   */
  public TextTable(int names) {
    this.names = names;
  }

  /** Adds a line of cells; the first line is the header. */
  public void add(List<String> cells) {
    lines.add(cells.stream().map(TextTable::shortened).toList());
  }

  private static String shortened(String cell) {
    String text = plain(cell);
    return text.length() > MAX_NAME ? text.substring(0, MAX_NAME - 3) + "..." : text;
  }

  /** Tells how wide the table is going to be. */
  int width() {
    return widths().stream().mapToInt(width -> width + 2).sum() - 2;
  }

  /** Prints all lines. */
  public void print(PrintWriter out) {
    List<Integer> widths = widths();
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < line.size(); i++) {
        String pad = " ".repeat(widths.get(i) - line.get(i).length());
        text.append(i == 0 ? "" : "  ").append(i < names ? line.get(i) + pad : pad + line.get(i));
      }
      out.println(text.toString().stripTrailing());
    }
  }

  private List<Integer> widths() {
    List<Integer> widths = new ArrayList<>();
    for (List<String> line : lines) {
      for (int i = 0; i < line.size(); i++) {
        if (i == widths.size()) {
          widths.add(0);
        }
        widths.set(i, Math.max(widths.get(i), line.get(i).length()));
      }
    }
    return widths;
  }

  /** Returns a text without control characters. */
  static String plain(String text) {
    return text.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?");
  }
}
