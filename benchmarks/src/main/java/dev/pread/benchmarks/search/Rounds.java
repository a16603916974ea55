/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.lucene.util.IOUtils;

/**
 * Runs the rounds of {@code workloads}. In the first one all directories do a scenario as fast as
 * they can before any of them is measured at a rate, which is the same for all and stays the same.
 */
final class Rounds {
  /**
   * The part of what the slowest directory can do that is asked of all: it leaves room, and yet the
   * machine is not idle.
   */
  private static final double LOAD_FACTOR = 0.5;

  /** The time for opening, committing and checking, besides the seconds that are measured. */
  private static final double STEP_SECONDS = 20;

  private final Session session;
  private final TestBed bed;
  private final Map<Scenario, Path> indexes;
  private final WorkloadsCommand command;
  private final ChildJvm jvm;
  private final Path texts;
  private final Map<Scenario, Double> rates = new EnumMap<>(Scenario.class);
  private final Map<Scenario, Map<String, List<Double>>> recalls = new EnumMap<>(Scenario.class);
  private final Set<DirectoryKind> leftOut = new HashSet<>();

  /**
   * @param indexes what each scenario begins with
   * @param texts file of them, see {@link PreparedIndex}
   */
  Rounds(
      Session session,
      TestBed bed,
      Map<Scenario, Path> indexes,
      Path texts,
      WorkloadsCommand command) {
    this.session = session;
    this.bed = bed;
    this.indexes = indexes;
    this.command = command;
    this.jvm = command.directories.jvm(bed);
    this.texts = texts;
  }

  void run() throws IOException {
    // With --quick one child does everything, or it would mostly start JVMs.
    List<List<Scenario>> units =
        session.options().quick()
            ? List.of(command.scenarios)
            : command.scenarios.stream().map(List::of).toList();
    boolean given = command.rate != null;
    session.rounds(
        WorkloadsCommand.NAME,
        units,
        (unit, round) -> {
          boolean rateIsKnown = given || round > 0;
          pass(unit, round, true, rateIsKnown && (!given || command.rate > 0));
          if (!rateIsKnown) {
            pass(unit, round, false, true);
          }
        });
  }

  private void pass(List<Scenario> unit, int round, boolean closed, boolean open)
      throws IOException {
    ScenarioTask.Effort load =
        new ScenarioTask.Effort(
            command.threads,
            session.options().seed(),
            command.warmup,
            closed ? command.seconds : 0,
            open ? command.seconds : 0,
            command.rate != null && command.rate == 0);
    List<DirectoryKind> order = new ArrayList<>(command.directories.kinds());
    Collections.rotate(order, -round);
    for (DirectoryKind kind : order) {
      if (!session.stop().requested() && !leftOut.contains(kind)) {
        child(kind, unit, load);
      }
    }
  }

  private void child(DirectoryKind kind, List<Scenario> unit, ScenarioTask.Effort load)
      throws IOException {
    Path slots = bed.folder().path().resolve("slots");
    Path log = bed.folder().path().resolve("safepoints.log");
    try {
      Files.createDirectory(slots);
      List<ScenarioTask.Step> steps = new ArrayList<>();
      for (Scenario scenario : unit) {
        bed.drop(IndexFiles.of(indexes.get(scenario)));
        Path folder = scenario.folder(indexes.get(scenario), slots);
        double rate = command.rate != null ? command.rate : rates.getOrDefault(scenario, 1.0);
        steps.add(new ScenarioTask.Step(scenario, folder.toString(), rate));
      }
      ScenarioTask task =
          new ScenarioTask(kind.name(), steps, load, texts.toString(), log.toString());
      double seconds = steps.size() * (STEP_SECONDS + command.warmup + 2 * command.seconds);
      ChildJvm.Result<ScenarioTask.Result> result = jvm.run(kind.name(), task, seconds);
      if (result != null && result.value().usesPageCache()) {
        leftOut.add(kind);
        session.skip(
            WorkloadsCommand.NAME + ": " + kind,
            "direct I/O was refused, and the page cache used instead: name a folder on another"
                + " file system with --work");
      } else if (result != null) {
        for (ScenarioTask.Slot slot : result.value().slots()) {
          record(kind, slot, load, result.usage().peakBytes());
        }
      }
    } finally {
      IOUtils.rm(slots, log);
    }
  }

  private void record(
      DirectoryKind kind, ScenarioTask.Slot slot, ScenarioTask.Effort load, long peak)
      throws IOException {
    if (load.seconds() > 0) {
      Map<String, List<Double>> all =
          recalls.computeIfAbsent(slot.scenario(), scenario -> new TreeMap<>());
      all.put(kind.toString(), slot.recalls());
      Neighbours.compare(all);
      slot.figures().addKnown(Metric.listedCost("peak memory", "bytes"), peak);
      if (load.openSeconds() == 0) {
        // The slowest one in the first round tells the rate of all others.
        rates.merge(slot.scenario(), Math.max(1, LOAD_FACTOR * slot.perSecond()), Math::min);
      }
    }
    session.recorder().add(WorkloadsCommand.NAME, kind.contender(), slot.figures());
  }
}
