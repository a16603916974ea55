/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Curve;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutorService;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.HdrHistogram.HistogramIterationValue;
import org.apache.lucene.store.FSDirectory;

/**
 * Runs scenarios of one directory, one after the other: each warms up, is measured as fast as it
 * can, as a closed loop, and then at a rate, as an open loop.
 *
 * @param texts file of them, see {@link PreparedIndex}
 * @param log to have safepoints written to
 */
record ScenarioTask(String directory, List<Step> steps, Effort load, String texts, String log)
    implements ChildTask<ScenarioTask.Result> {
  private static final int WARMUP_PHASE = 0;
  private static final int CLOSED_PHASE = 1;
  private static final int OPEN_PHASE = 2;

  /** Steps of a curve for each halving of the distance to 100 percent. */
  private static final int CURVE_TICKS = 5;

  /**
   * How hard an index is worked on.
   *
   * @param seed of keys and arrivals
   * @param warmupSeconds not measured
   * @param seconds of the closed loop; 0 for none
   * @param openSeconds of the open loop; 0 for none
   * @param plain whether latencies are those of the closed loop
   */
  record Effort(
      int threads,
      long seed,
      double warmupSeconds,
      double seconds,
      double openSeconds,
      boolean plain) {}

  /**
   * Names one scenario and its index.
   *
   * @param index folder of it, changed if the scenario writes
   * @param rate requests per second of the open loop
   */
  record Step(Scenario scenario, String index, double rate) {}

  private record Conditions(Scenario scenario, int threads) {}

  /**
   * Holds what was measured of a step.
   *
   * @param perSecond requests of the closed loop; 0 without one
   * @param recalls of the closed loop, see {@link Neighbours#compare}
   * @param figures of both loops
   */
  record Slot(Scenario scenario, double perSecond, List<Double> recalls, Figures figures) {}

  /**
   * Holds what was measured.
   *
   * @param usesPageCache whether a directory for direct I/O went through the page cache instead
   */
  record Result(List<Slot> slots, boolean usesPageCache) {}

  @Override
  public String taskName() {
    return steps.stream().map(step -> step.scenario().toString()).collect(Collectors.joining(", "));
  }

  @Override
  public List<String> jvmOptions() {
    return SafepointLog.options(Path.of(log));
  }

  @Override
  public Result run() throws IOException {
    List<String> bodies = PreparedIndex.readTexts(Path.of(texts));
    DirectoryKind kind = DirectoryKind.named(directory);
    List<Slot> slots = new ArrayList<>();
    boolean usesPageCache = false;
    ExecutorService ticker = SafepointLog.ticker();
    try {
      for (Step step : steps) {
        Path path = Path.of(step.index());
        try (FSDirectory opened =
                step.scenario().writes() ? kind.openForWriting(path) : kind.openForReading(path);
            Work work = new Work(opened, step.scenario(), load.seed(), bodies)) {
          slots.add(slot(work, step));
          usesPageCache |= opened instanceof DirectPreadDirectory direct && direct.usesPageCache();
        } catch (WrongResult e) {
          throw new WrongResult(step.scenario() + ": " + e.getMessage(), e);
        }
      }
    } finally {
      ticker.close();
    }
    return new Result(slots, usesPageCache);
  }

  private Slot slot(Work work, Step step) throws IOException {
    Figures figures = Figures.under(new Conditions(step.scenario(), load.threads()));
    if (load.warmupSeconds() > 0) {
      Load.closed(load.threads(), load.warmupSeconds(), work.begin(WARMUP_PHASE));
      work.end();
    }
    double perSecond = load.seconds() > 0 ? closed(work, step, figures) : 0;
    List<Double> recalls = work.recalls();
    if (load.openSeconds() > 0) {
      open(work, step, figures);
    }
    work.finish();
    return new Slot(step.scenario(), perSecond, recalls, figures);
  }

  /** Sends requests as fast as possible; returns how many per second. */
  private double closed(Work work, Step step, Figures figures) throws IOException {
    Load.Request request = work.begin(CLOSED_PHASE);
    long beside = work.besideBytes();
    CostMeter meter = new CostMeter(Path.of(step.index()), Path.of(log));
    Load.Outcome outcome = Load.closed(load.threads(), load.seconds(), request);
    work.end();
    double seconds = meter.stop();
    work.verify();
    Scenario.Operation operation = step.scenario().operation();
    double perSecond = outcome.latencies().getTotalCount() / seconds;
    boolean batches = operation == Scenario.Operation.MULTI_GET;
    figures.add(Metric.throughput("ops/s"), (batches ? operation.docs() : 1) * perSecond);
    OptionalDouble recall = work.recalls().stream().mapToDouble(part -> part).average();
    recall.ifPresent(mean -> figures.add(Metric.fact("recall", ""), mean));
    if (!step.scenario().ofVectors()) {
      figures.add(Metric.fact("text", "MB/s"), work.bytes() / 1e6 / seconds);
    }
    if (step.scenario().whileWriting()) {
      double written = work.besideBytes() - beside;
      figures.add(Metric.fact("writer", "MB/s"), written / 1e6 / seconds);
    }
    meter.addTo(figures);
    if (load.plain()) {
      latencies(outcome, figures);
    }
    return perSecond;
  }

  private void open(Work work, Step step, Figures figures) throws IOException {
    DoubleSupplier arrivals = Load.poisson(step.rate(), load.seed());
    // What makes an index ready takes time, which is not of the loop's.
    Load.Request request = work.begin(OPEN_PHASE);
    Load.Outcome outcome =
        Load.open(load.threads(), arrivals, Load.End.after(load.openSeconds()), request);
    work.end();
    work.verify();
    figures.add(Metric.fact("arrivals", "1/s"), step.rate());
    figures.add(Metric.listedCost("unserved", ""), (double) outcome.unserved());
    latencies(outcome, figures);
  }

  private static void latencies(Load.Outcome outcome, Figures figures) {
    figures.addLatencies(outcome.latencies(), "us");
    List<Curve.Point> points = new ArrayList<>();
    for (HistogramIterationValue value : outcome.latencies().percentiles(CURVE_TICKS)) {
      double percentile = value.getPercentileLevelIteratedTo();
      if (percentile < 100) {
        points.add(new Curve.Point(percentile, value.getValueIteratedTo() / 1e3));
      }
    }
    Curve.Axes axes =
        new Curve.Axes("latency", "percentile", "latency, us", Curve.Scale.PERCENTILES);
    figures.lines().add(new Figures.Line(axes, points));
  }
}
