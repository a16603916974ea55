/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.compare;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.Version;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.QueryKind;
import dev.pread.benchmarks.measure.Measurement;
import dev.pread.benchmarks.measure.Slot;
import dev.pread.benchmarks.report.HtmlReport;
import dev.pread.benchmarks.report.Machine;
import dev.pread.benchmarks.report.TextReport;
import dev.pread.benchmarks.report.TextTable;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.result.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.apache.commons.math3.stat.StatUtils;

/**
 * What {@code compare} shows and keeps. The table has medians over the rounds, and ratios to the
 * base directory. A ratio is taken within each round first, between slots that ran one after the
 * other, and its median last: what disturbs a whole round then falls out.
 */
final class CompareReport {
  private static final Set<Class<?>> OURS =
      Set.of(PreadDirectory.class, DirectPreadDirectory.class);

  private final CompareOptions options;
  private final Map<String, Object> subject;
  private final List<Slot> slots;
  private final Map<QueryKind, String> leftOut;
  private final List<String> directories;
  private final String base;
  private final boolean complete;

  /**
   * Takes the figures.
   *
   * @param options what was asked for
   * @param subject what was searched
   * @param slots all rounds
   * @param leftOut kinds of queries that the index has no field for, and why
   */
  CompareReport(
      CompareOptions options,
      Map<String, Object> subject,
      List<Slot> slots,
      Map<QueryKind, String> leftOut) {
    this.options = options;
    this.subject = subject;
    this.slots = slots;
    this.leftOut = leftOut;
    directories = options.kinds.stream().map(DirectoryKind::name).toList();
    base = directories.contains("mmap") ? "mmap" : directories.get(0);
    int kinds = QueryKind.values().length - leftOut.size();
    complete =
        !slots.isEmpty() && slots.size() == options.plan().rounds() * kinds * directories.size();
  }

  /** Prints the table and what it was measured on, and writes the files. */
  void write(PrintWriter out, String command) throws UserError {
    if (slots.isEmpty()) {
      out.println(TextReport.NOTHING);
    } else {
      table().print(out);
      leftOut.forEach((kind, why) -> out.println("left out: " + kind.label() + " (" + why + ")"));
      footer(out);
    }
    out.flush();
    try {
      record(command);
    } catch (IOException e) {
      throw new UserError("the results cannot be written: " + e, e);
    }
  }

  private TextTable table() {
    TextTable table = new TextTable(2);
    table.add(List.of("query", "directory", "queries/s", "p50", "p99", "vs " + base));
    for (QueryKind kind : QueryKind.values()) {
      String label = kind.label();
      for (String directory : directories) {
        List<Slot> own = of(kind, directory);
        if (!own.isEmpty()) {
          double rate = median(own, Slot::queriesPerSecond);
          table.add(
              List.of(
                  label,
                  directory,
                  format(rate < 100 ? "%,.1f" : "%,.0f", rate),
                  time(median(own, Slot::p50Nanos)),
                  time(median(own, Slot::p99Nanos)),
                  times(ratio(kind, directory))));
          label = "";
        }
      }
    }
    String label = "geometric mean";
    for (String directory : directories) {
      table.add(List.of(label, directory, "", "", "", times(meanRatio(directory))));
      label = "";
    }
    return table;
  }

  private List<Slot> of(QueryKind kind, String directory) {
    return slots.stream()
        .filter(slot -> slot.kind() == kind && slot.directory().equals(directory))
        .toList();
  }

  private static double median(List<Slot> slots, ToDoubleFunction<Slot> figure) {
    return StatUtils.percentile(slots.stream().mapToDouble(figure).toArray(), 50);
  }

  /** The throughput to that of the base directory; not a number if they share no round. */
  double ratio(QueryKind kind, String directory) {
    List<Double> ratios = new ArrayList<>();
    for (Slot own : of(kind, directory)) {
      for (Slot other : of(kind, base)) {
        if (own.round() == other.round()) {
          ratios.add(own.queriesPerSecond() / other.queriesPerSecond());
        }
      }
    }
    return StatUtils.percentile(array(ratios), 50);
  }

  /** The geometric mean of the ratios of all kinds; not a number if there are none. */
  double meanRatio(String directory) {
    List<Double> ratios = new ArrayList<>();
    for (QueryKind kind : QueryKind.values()) {
      double ratio = ratio(kind, directory);
      if (!Double.isNaN(ratio)) {
        ratios.add(ratio);
      }
    }
    return ratios.isEmpty() ? Double.NaN : StatUtils.geometricMean(array(ratios));
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(value -> value).toArray();
  }

  private static String time(double nanos) {
    double micros = nanos / 1e3;
    return micros < 1_000 ? format("%.1f us", micros) : format("%,.2f ms", micros / 1e3);
  }

  private static String times(double ratio) {
    return Double.isNaN(ratio) ? "-" : format("%.2fx", ratio);
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private void footer(PrintWriter out) {
    Measurement.Plan plan = options.plan();
    long rounds = slots.stream().mapToInt(Slot::round).distinct().count();
    Object builtWith = subject.get("builtWith");
    Object backend = subject.get("preadBackend");
    out.println();
    out.println(
        String.format(
            Locale.ROOT,
            "%s: %,d documents, %d segments, %,d MiB%s; seed %d",
            subject.get("corpus"),
            (int) subject.get("documents"),
            (int) subject.get("segments"),
            (long) subject.get("indexBytes") >> 20,
            builtWith == null
                ? ""
                : String.format(
                    Locale.ROOT,
                    ", built through %s in %.1f s",
                    builtWith,
                    (double) subject.get("buildSeconds")),
            options.seed));
    out.println(
        String.format(
            Locale.ROOT,
            "JDK %s, vector module %s; %d processors, %d search %s, medians of %d %s%s",
            Runtime.version().feature(),
            Machine.hasVectorModule() ? "on" : "off (add --add-modules jdk.incubator.vector)",
            Runtime.getRuntime().availableProcessors(),
            plan.threads(),
            plan.threads() == 1 ? "thread" : "threads",
            rounds,
            rounds == 1 ? "round" : "rounds",
            complete ? "" : " (stopped before all of " + plan.rounds() + ")"));
    out.println(
        "page cache "
            + subject.get("pageCache")
            + (backend == null ? "" : "; pread backend " + backend));
  }

  /** Keeps the figures of every round, as those of the suite are kept. */
  private void record(String command) throws IOException {
    Measurement.Plan plan = options.plan();
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("directories", directories);
    settings.put("threads", plan.threads());
    settings.put("seconds", plan.seconds());
    settings.put("rounds", plan.rounds());
    settings.put("seed", options.seed);
    settings.put("index", subject);
    Run.About about = Machine.about(command, Version.withCommit(), settings);
    Recorder recorder = new Recorder(about, options.json);
    for (Slot slot : slots) {
      add(recorder, slot, Metric.throughput("queries/s"), slot.queriesPerSecond());
      add(recorder, slot, Metric.cost("p50", "us"), slot.p50Nanos() / 1e3);
      add(recorder, slot, Metric.cost("p99", "us"), slot.p99Nanos() / 1e3);
      add(recorder, slot, Metric.listedCost("max", "us"), slot.maxNanos() / 1e3);
      add(recorder, slot, Metric.fact("queries", ""), (double) slot.queries());
    }
    leftOut.forEach((kind, why) -> recorder.skip("compare: " + kind.label(), why));
    recorder.finish(complete);
    if (options.html != null) {
      HtmlReport.write(recorder.run(complete), options.html);
    }
  }

  private void add(Recorder recorder, Slot slot, Metric metric, double value) throws IOException {
    boolean ours =
        options.kinds.stream()
            .filter(kind -> kind.name().equals(slot.directory()))
            .anyMatch(kind -> OURS.contains(kind.type()));
    recorder.add(
        new Cell(
            "compare",
            Map.of("query", slot.kind().label()),
            ours ? Contender.ours(slot.directory()) : Contender.other(slot.directory()),
            metric,
            List.of(value)));
  }
}
