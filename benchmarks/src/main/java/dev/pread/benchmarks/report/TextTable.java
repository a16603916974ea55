/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Aligns a table for a terminal: it is as wide as needed, with names in the first two columns on
 * the left and figures on the right. Control characters are replaced, since what comes from a file
 * must not steer the terminal. Not thread-safe.
 */
final class TextTable {
  private static final int NAMES = 2;
  private static final int MAX_NAME = 60;

  private final List<List<String>> lines = new ArrayList<>();

  /** Adds a line; the first is the header, and as long as all others. */
  void add(String name, String further, Stream<String> figures) {
    lines.add(Stream.concat(Stream.of(name, further), figures).map(TextTable::shortened).toList());
  }

  private static String shortened(String cell) {
    String text = plain(cell);
    return text.length() > MAX_NAME ? text.substring(0, MAX_NAME - 3) + "..." : text;
  }

  /** Prints all lines. */
  void print(PrintWriter out) {
    int[] widths = new int[lines.get(0).size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String pad = " ".repeat(widths[i] - line.get(i).length());
        text.append(i == 0 ? "" : "  ").append(i < NAMES ? line.get(i) + pad : pad + line.get(i));
      }
      out.println(text.toString().stripTrailing());
    }
  }

  /** Prints a text without control characters. */
  static void line(PrintWriter out, String text) {
    out.println(plain(text));
  }

  private static String plain(String text) {
    return text.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?");
  }
}
