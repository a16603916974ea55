/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.workload.QueryKind;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;

/** The figures for people: one line per kind and directory, plain ASCII, aligned. */
final class Table {
  private static final String COLUMNS = "%-20s %-*s %12s %11s %11s %9s";

  private final String format;
  private final PrintWriter out;

  Table(PrintWriter out, Iterable<String> directories) {
    int width = "directory".length();
    for (String directory : directories) {
      width = Math.max(width, directory.length());
    }
    this.format = COLUMNS.replace("*", Integer.toString(width));
    this.out = out;
  }

  void print(Summary summary, Map<QueryKind, String> leftOut) {
    line("query", "directory", "queries/s", "p50", "p99", "vs " + summary.base());
    QueryKind last = null;
    for (Summary.Row row : summary.rows()) {
      line(
          row.kind() == last ? "" : row.kind().label(),
          row.directory(),
          throughput(row.queriesPerSecond()),
          time(row.p50Nanos()),
          time(row.p99Nanos()),
          ratio(row.ratio()));
      last = row.kind();
    }
    String label = "geometric mean";
    for (Map.Entry<String, Double> mean : summary.geometricMeans().entrySet()) {
      line(label, mean.getKey(), "", "", "", ratio(mean.getValue()));
      label = "";
    }
    leftOut.forEach(
        (kind, reason) -> out.println("left out: " + kind.label() + " (" + reason + ")"));
  }

  private void line(
      String kind, String directory, String throughput, String p50, String p99, String ratio) {
    out.println(
        String.format(Locale.ROOT, format, kind, directory, throughput, p50, p99, ratio)
            .stripTrailing());
  }

  private static String throughput(double perSecond) {
    return String.format(Locale.ROOT, perSecond < 100 ? "%,.1f" : "%,.0f", perSecond);
  }

  private static String time(double nanos) {
    double micros = nanos / 1e3;
    return micros < 1_000
        ? String.format(Locale.ROOT, "%.1f us", micros)
        : String.format(Locale.ROOT, "%,.2f ms", micros / 1e3);
  }

  private static String ratio(double ratio) {
    return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.2fx", ratio);
  }
}
