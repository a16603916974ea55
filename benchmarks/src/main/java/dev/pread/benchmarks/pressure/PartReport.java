/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.report.TextReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.stat.StatUtils;

/**
 * The figures of one part of {@code pressure}, as a table for people and as JSON with all rounds.
 */
abstract class PartReport {

  /** Whether nothing was measured yet. */
  abstract boolean isEmpty();

  /** The table. */
  abstract void table(PrintWriter out);

  /** Settings of this part alone. */
  abstract Map<String, Object> settings();

  /** Every slot of every round, in the order they were measured. */
  abstract List<?> slots();

  /** The table's rows. */
  abstract List<?> rows();

  final void print(PrintWriter out, List<String> notes, boolean stopped) {
    if (isEmpty()) {
      if (stopped) {
        out.println(TextReport.NOTHING);
      }
    } else {
      table(out);
      out.println();
      notes.forEach(out::println);
      if (stopped) {
        out.println("stopped: not all rounds were measured");
      }
    }
    out.flush();
  }

  final byte[] json(String part, Map<String, Object> common, List<String> notes)
      throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", Instant.now().toString());
    json.put("part", part);
    Map<String, Object> settings = new LinkedHashMap<>(common);
    settings.putAll(settings());
    json.put("settings", settings);
    json.put("notes", notes);
    json.put("machine", Machine.describe());
    json.put("jvm", Machine.jvm());
    json.put("results", rows());
    json.put("slots", slots());
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsBytes(json);
  }

  /** The median of a figure; null, for JSON, if there is none. */
  static <T> Double median(List<T> slots, ToDoubleFunction<T> figure) {
    double[] values =
        slots.stream().mapToDouble(figure).filter(value -> !Double.isNaN(value)).toArray();
    return values.length == 0 ? null : StatUtils.percentile(values, 50);
  }
}
