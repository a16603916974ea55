/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.workload.QueryKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Medians over the rounds, and ratios to the base directory. A ratio is taken within each round
 * first, between slots that ran one after the other, and its median last: what disturbs a whole
 * round then falls out.
 */
public final class Summary {
  private final String base;
  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Double> geometricMeans = new LinkedHashMap<>();

  /**
   * One line of the table. All figures are medians over the rounds.
   *
   * @param kind of the queries
   * @param directory its name
   * @param slots the rounds they come from
   * @param queriesPerSecond throughput
   * @param p50Nanos median time of a query
   * @param p99Nanos 99th percentile of the time of a query
   * @param ratio of the throughput to that of the base directory; above 1 is faster
   */
  public record Row(
      QueryKind kind,
      String directory,
      List<Slot> slots,
      double queriesPerSecond,
      double p50Nanos,
      double p99Nanos,
      double ratio) {}

  /**
   * Sums up.
   *
   * @param slots all rounds
   * @param directories in the order of the table; the base is mmap if there, else the first
   */
  public Summary(List<Slot> slots, List<String> directories) {
    this.base = directories.contains("mmap") ? "mmap" : directories.get(0);
    for (QueryKind kind : QueryKind.values()) {
      List<Slot> bases = of(slots, kind, base);
      for (String directory : directories) {
        List<Slot> own = of(slots, kind, directory);
        if (!own.isEmpty()) {
          rows.add(
              new Row(
                  kind,
                  directory,
                  own,
                  median(own, Slot::queriesPerSecond),
                  median(own, Slot::p50Nanos),
                  median(own, Slot::p99Nanos),
                  ratio(own, bases)));
        }
      }
    }
    for (String directory : directories) {
      double[] ratios =
          rows.stream()
              .filter(row -> row.directory().equals(directory))
              .mapToDouble(Row::ratio)
              .filter(ratio -> !Double.isNaN(ratio))
              .toArray();
      geometricMeans.put(directory, Statistics.geometricMean(ratios));
    }
  }

  private static List<Slot> of(List<Slot> slots, QueryKind kind, String directory) {
    return slots.stream()
        .filter(slot -> slot.kind() == kind && slot.directory().equals(directory))
        .toList();
  }

  private static double median(List<Slot> slots, ToDoubleFunction<Slot> figure) {
    return Statistics.median(slots.stream().mapToDouble(figure).toArray());
  }

  private static double ratio(List<Slot> own, List<Slot> bases) {
    return Statistics.median(
        own.stream()
            .flatMapToDouble(
                slot ->
                    bases.stream()
                        .filter(other -> other.round() == slot.round())
                        .limit(1)
                        .flatMapToDouble(
                            other ->
                                DoubleStream.of(
                                    slot.queriesPerSecond() / other.queriesPerSecond())))
            .toArray());
  }

  /** The directory that ratios refer to. */
  public String base() {
    return base;
  }

  /** By kind, then by directory. */
  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Of the ratios over all kinds, by directory. */
  public Map<String, Double> geometricMeans() {
    return new LinkedHashMap<>(geometricMeans);
  }
}
