/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Turns slots into cells, and the latencies of all rounds into curves. One thread. */
final class SlotRecorder {
  private static final double NANOS_PER_US = 1e3;
  private static final double NANOS_PER_MS = 1e6;

  /** Steps of a curve for each halving of the distance to 100 percent. */
  private static final int TICKS = 5;

  private final Recorder recorder;
  private final String benchmark;
  private final int threads;
  private final Map<Subject, Histogram> latencies = new LinkedHashMap<>();

  private record Subject(Scenario scenario, Contender contender) {}

  SlotRecorder(Recorder recorder, String benchmark, int threads) {
    this.recorder = recorder;
    this.benchmark = benchmark;
    this.threads = threads;
  }

  /** Who it is in reports. */
  static Contender contender(ReadKind kind) {
    boolean ours =
        Set.of(PreadDirectory.class, DirectPreadDirectory.class).contains(kind.directory().type());
    return ours ? Contender.ours(kind.name()) : Contender.other(kind.name());
  }

  /** What was done as fast as possible. */
  void closed(Contender contender, Scenario scenario, Phase phase) throws IOException {
    Subject subject = new Subject(scenario, contender);
    double seconds = phase.nanos() / 1e9;
    long ops =
        scenario.operation() == Scenario.Operation.MULTI_GET ? phase.docs() : phase.requests();
    add(subject, Metric.throughput("ops/s"), ops / seconds);
    add(subject, Metric.fact("text", "MB/s"), phase.bytes() / 1e6 / seconds);
    if (scenario.whileWriting()) {
      add(subject, Metric.fact("writer", "MB/s"), phase.besideBytes() / 1e6 / seconds);
    }
    Costs costs = phase.costs();
    known(subject, Metric.fact("device read", "bytes"), costs.device().read());
    known(subject, Metric.fact("device written", "bytes"), costs.device().written());
    known(subject, Metric.fact("process read", "bytes"), costs.processRead());
    known(subject, Metric.fact("process written", "bytes"), costs.processWritten());
    known(subject, Metric.listedCost("major faults", ""), costs.majorFaults());
    SafepointLog.Summary safepoints = costs.safepoints();
    add(subject, Metric.fact("safepoints", ""), (double) safepoints.count());
    if (safepoints.count() > 0) {
      add(subject, Metric.listedCost("safepoint p50", "us"), safepoints.p50() / NANOS_PER_US);
      add(subject, Metric.cost("safepoint p99", "us"), safepoints.p99() / NANOS_PER_US);
      add(subject, Metric.listedCost("safepoint max", "us"), safepoints.max() / NANOS_PER_US);
    }
    add(subject, Metric.listedCost("gc pause total", "ms"), safepoints.pauseTotal() / NANOS_PER_MS);
    add(subject, Metric.listedCost("gc pause max", "ms"), safepoints.pauseMax() / NANOS_PER_MS);
  }

  /** How long requests took, of an open loop or, where there is none, of the closed one. */
  void latencies(Contender contender, Scenario scenario, Phase phase, Double rate)
      throws IOException {
    Subject subject = new Subject(scenario, contender);
    Histogram histogram = phase.latencies();
    if (rate != null) {
      add(subject, Metric.fact("arrivals", "1/s"), rate);
      add(subject, Metric.listedCost("unserved", ""), (double) phase.unserved());
    }
    if (histogram.getTotalCount() == 0) {
      return;
    }
    at(subject, Metric.listedCost("p50", "us"), histogram, 50);
    at(subject, Metric.listedCost("p75", "us"), histogram, 75);
    at(subject, Metric.cost("p99", "us"), histogram, 99);
    at(subject, Metric.cost("p99.9", "us"), histogram, 99.9);
    at(subject, Metric.listedCost("p99.99", "us"), histogram, 99.99);
    at(subject, Metric.listedCost("max", "us"), histogram, 100);
    latencies.computeIfAbsent(subject, any -> Latencies.histogram()).add(histogram);
  }

  /** The highest memory usage of the process that did it; -1 if unknown. */
  void peak(Contender contender, Scenario scenario, long bytes) throws IOException {
    known(new Subject(scenario, contender), Metric.listedCost("peak memory", "bytes"), bytes);
  }

  /** Adds the curves of all that was recorded: call it once, at the end. */
  void finish() throws IOException {
    for (Map.Entry<Subject, Histogram> entry : latencies.entrySet()) {
      List<Curve.Point> points = new ArrayList<>();
      for (HistogramIterationValue value : entry.getValue().percentiles(TICKS)) {
        double percentile = value.getPercentileLevelIteratedTo();
        if (percentile < 100) {
          points.add(new Curve.Point(percentile, value.getValueIteratedTo() / NANOS_PER_US));
        }
      }
      recorder.add(
          new Curve(
              benchmark,
              conditions(entry.getKey().scenario()),
              entry.getKey().contender(),
              new Curve.Axes("latency", "percentile", "latency, us", Curve.Scale.PERCENTILES),
              points));
    }
  }

  private void at(Subject subject, Metric metric, Histogram histogram, double percentile)
      throws IOException {
    add(subject, metric, histogram.getValueAtPercentile(percentile) / NANOS_PER_US);
  }

  private void known(Subject subject, Metric metric, long value) throws IOException {
    if (value >= 0) {
      add(subject, metric, (double) value);
    }
  }

  private void add(Subject subject, Metric metric, double value) throws IOException {
    recorder.add(
        new Cell(
            benchmark,
            conditions(subject.scenario()),
            subject.contender(),
            metric,
            List.of(value)));
  }

  private Map<String, String> conditions(Scenario scenario) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("scenario", scenario.label());
    conditions.put("threads", Integer.toString(threads));
    return conditions;
  }
}
