/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Curve;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Figures;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.apache.lucene.util.IOUtils;

/**
 * One run of {@code workloads}. In the first round all directories do a scenario as fast as they
 * can before any of them is measured at a rate, which is the same for all and stays the same.
 */
final class Rounds {
  /** Of what the slowest directory does: leaves room, and yet is no idle machine. */
  private static final double SHARE = 0.5;

  /** For opening, committing and checking, besides the seconds that are measured. */
  private static final double STEP_SECONDS = 20;

  /** Steps of a curve for each halving of the distance to 100 percent. */
  private static final int TICKS = 5;

  private final Session session;
  private final TestBed bed;
  private final PreparedIndex index;
  private final WorkloadsCommand command;
  private final ChildJvm jvm;
  private final Map<Scenario, Double> rates = new EnumMap<>(Scenario.class);
  private final Map<Figures, Histogram> latencies = new LinkedHashMap<>();
  private final Set<DirectoryKind> leftOut = new HashSet<>();

  Rounds(Session session, TestBed bed, PreparedIndex index, WorkloadsCommand command) {
    this.session = session;
    this.bed = bed;
    this.index = index;
    this.command = command;
    this.jvm = command.directories.jvm(bed);
  }

  void run() throws IOException {
    // With --quick one child does everything, or it would mostly start JVMs.
    List<List<Scenario>> units =
        session.options().quick()
            ? List.of(command.scenarios)
            : command.scenarios.stream().map(List::of).toList();
    boolean given = command.rate != null;
    if (given) {
      command.scenarios.forEach(scenario -> rates.put(scenario, command.rate));
    }
    int rounds = session.options().rounds();
    session.progress().start(WorkloadsCommand.NAME);
    try {
      for (int round = 0; round < rounds; round++) {
        for (List<Scenario> unit : units) {
          double done = (round + units.indexOf(unit) / (double) units.size()) / rounds;
          List<DirectoryKind> order = new ArrayList<>(command.directories.kinds());
          Collections.rotate(order, -round);
          boolean rateIsKnown = given || round > 0;
          pass(unit, order, done, true, rateIsKnown && (!given || command.rate > 0));
          if (!rateIsKnown) {
            pass(unit, order, done, false, true);
          }
        }
      }
    } finally {
      curves();
    }
  }

  private void pass(
      List<Scenario> unit, List<DirectoryKind> order, double done, boolean closed, boolean open)
      throws IOException {
    ScenarioTask.Load load =
        new ScenarioTask.Load(
            command.threads,
            session.options().seed(),
            command.warmup,
            closed ? command.seconds : 0,
            open ? command.seconds : 0);
    for (DirectoryKind kind : order) {
      if (!session.stop().requested() && !leftOut.contains(kind)) {
        session.progress().update(done, unit.get(0) + ", " + kind);
        child(kind, unit, load);
      }
    }
  }

  private void child(DirectoryKind kind, List<Scenario> unit, ScenarioTask.Load load)
      throws IOException {
    Path work = bed.folder().path();
    Path slots = work.resolve("slots");
    Path log = work.resolve("safepoints.log");
    try {
      Files.createDirectory(slots);
      List<ScenarioTask.Step> steps = new ArrayList<>();
      for (Scenario scenario : unit) {
        Path folder = scenario.writes() ? slots.resolve(scenario.toString()) : index.index();
        if (scenario.operation() == Scenario.Operation.ADD) {
          Files.createDirectory(folder);
        } else if (scenario.writes()) {
          IndexFiles.link(index.index(), folder);
        }
        double rate = rates.getOrDefault(scenario, 1.0);
        steps.add(new ScenarioTask.Step(scenario, folder.toString(), rate));
      }
      bed.drop(IndexFiles.of(index.index()));
      ScenarioTask task =
          new ScenarioTask(kind.name(), steps, load, index.texts().toString(), log.toString());
      double seconds = steps.size() * (STEP_SECONDS + command.warmup + 2 * command.seconds);
      ChildJvm.Result<ScenarioTask.Result> result = jvm.run(kind.name(), task, seconds);
      if (result != null && result.value().fellBack()) {
        leftOut.add(kind);
        session.skip(
            WorkloadsCommand.NAME + ": " + kind,
            "direct I/O was refused, and the page cache used instead: name a folder on another"
                + " file system with --work");
      } else if (result != null) {
        for (ScenarioTask.Slot slot : result.value().slots()) {
          record(kind, slot, result.usage().peakBytes());
        }
      }
    } finally {
      IOUtils.rm(slots, log);
    }
  }

  private void record(DirectoryKind kind, ScenarioTask.Slot slot, long peak) throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("scenario", slot.scenario().toString());
    conditions.put("threads", Integer.toString(command.threads));
    Figures figures =
        new Figures(session.recorder(), WorkloadsCommand.NAME, conditions, kind.contender());
    Phase closed = slot.closed();
    Phase open = slot.open();
    if (closed != null) {
      record(figures, slot.scenario(), closed);
      figures.addKnown(Metric.listedCost("peak memory", "bytes"), peak);
      if (command.rate == null && open == null) {
        // The slowest one in the first round tells the rate of all others.
        rates.merge(slot.scenario(), Math.max(1, SHARE * closed.rate()), Math::min);
      }
    }
    if (open != null) {
      figures.add(Metric.fact("arrivals", "1/s"), rates.get(slot.scenario()));
      figures.add(Metric.listedCost("unserved", ""), (double) open.unserved());
    }
    Phase latent = open != null || command.rate == null ? open : closed;
    if (latent != null) {
      figures.addLatencies(latent.latencies(), "us");
      latencies.computeIfAbsent(figures, any -> new Histogram(3)).add(latent.latencies());
    }
  }

  /** What was done as fast as possible. */
  private static void record(Figures figures, Scenario scenario, Phase phase) throws IOException {
    Phase.Costs costs = phase.costs();
    boolean batches = scenario.operation() == Scenario.Operation.MULTI_GET;
    int operations = batches ? scenario.operation().docs() : 1;
    figures.add(Metric.throughput("ops/s"), operations * phase.rate());
    figures.add(Metric.fact("text", "MB/s"), phase.bytes() / 1e6 / costs.seconds());
    if (scenario.whileWriting()) {
      figures.add(Metric.fact("writer", "MB/s"), phase.besideBytes() / 1e6 / costs.seconds());
    }
    for (Map.Entry<String, Long> count : costs.counted().entrySet()) {
      String name = count.getKey();
      figures.addKnown(
          name.equals(Phase.FAULTS) ? Metric.listedCost(name, "") : Metric.fact(name, "bytes"),
          count.getValue());
    }
    SafepointLog.Summary safepoints = costs.safepoints();
    figures.add(Metric.fact("safepoints", ""), (double) safepoints.count());
    if (safepoints.count() > 0) {
      figures.add(Metric.listedCost("safepoint p50", "us"), safepoints.p50() / 1e3);
      figures.add(Metric.cost("safepoint p99", "us"), safepoints.p99() / 1e3);
      figures.add(Metric.listedCost("safepoint max", "us"), safepoints.max() / 1e3);
    }
    figures.add(Metric.listedCost("gc pause total", "ms"), safepoints.pauseTotal() / 1e6);
    figures.add(Metric.listedCost("gc pause max", "ms"), safepoints.pauseMax() / 1e6);
  }

  /** The latencies of all rounds by percentile. */
  private void curves() throws IOException {
    Curve.Axes axes =
        new Curve.Axes("latency", "percentile", "latency, us", Curve.Scale.PERCENTILES);
    for (Map.Entry<Figures, Histogram> entry : latencies.entrySet()) {
      List<Curve.Point> points = new ArrayList<>();
      for (HistogramIterationValue value : entry.getValue().percentiles(TICKS)) {
        double percentile = value.getPercentileLevelIteratedTo();
        if (percentile < 100) {
          points.add(new Curve.Point(percentile, value.getValueIteratedTo() / 1e3));
        }
      }
      Figures of = entry.getKey();
      session
          .recorder()
          .add(new Curve(of.benchmark(), of.conditions(), of.contender(), axes, points));
    }
  }
}
