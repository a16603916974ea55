/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.machine.ByteSize;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table in plain ASCII: as wide as needed, names on the left, figures on the right. */
final class Columns {
  private final int names;
  private final List<String[]> lines = new ArrayList<>();

  /**
   * @param names how many columns, from the first, hold names
   * @param header of all columns
   */
  Columns(int names, String... header) {
    this.names = names;
    lines.add(header);
  }

  void add(String... cells) {
    if (cells.length != lines.get(0).length) {
      throw new IllegalArgumentException(cells.length + " cells for another number of columns");
    }
    lines.add(cells);
  }

  void print(PrintWriter out) {
    int[] widths = new int[lines.get(0).length];
    for (String[] line : lines) {
      for (int i = 0; i < line.length; i++) {
        widths[i] = Math.max(widths[i], line[i].length());
      }
    }
    for (String[] line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < line.length; i++) {
        String pad = " ".repeat(widths[i] - line[i].length());
        text.append(i == 0 ? "" : "  ").append(i < names ? line[i] + pad : pad + line[i]);
      }
      out.println(text.toString().stripTrailing());
    }
  }

  /** A rate or a count, with as many decimals as it deserves. */
  static String number(Double value) {
    if (value == null || value < 0) {
      return "-";
    }
    String format = value < 10 && value != Math.rint(value) ? "%,.2f" : "%,.0f";
    return String.format(Locale.ROOT, value >= 10 && value < 100 ? "%,.1f" : format, value);
  }

  /** A time given in nanoseconds. */
  static String time(Double nanos) {
    if (nanos == null || nanos < 0) {
      return "-";
    }
    double micros = nanos / 1e3;
    if (micros < 1_000) {
      return String.format(Locale.ROOT, "%.1f us", micros);
    }
    return micros < 1e6
        ? String.format(Locale.ROOT, "%.2f ms", micros / 1e3)
        : String.format(Locale.ROOT, "%,.2f s", micros / 1e6);
  }

  static String ratio(Double ratio) {
    return ratio == null ? "-" : String.format(Locale.ROOT, "%.2fx", ratio);
  }

  /** An amount of bytes; a dash if unknown. */
  static String bytes(Double bytes) {
    return bytes == null || bytes < 0 ? "-" : ByteSize.format(bytes.longValue());
  }
}
