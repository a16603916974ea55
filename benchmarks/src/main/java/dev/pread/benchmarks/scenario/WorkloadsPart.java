/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.corpus.Corpora;
import dev.pread.benchmarks.corpus.DebianSource;
import dev.pread.benchmarks.index.IndexCorpus;
import dev.pread.benchmarks.index.IndexFiles;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.util.IOUtils;
import picocli.CommandLine.Mixin;

/**
 * Key-value workloads on Lucene, each slot in a JVM of its own within the memory limit. In the
 * first round all directories do a scenario as fast as they can before any of them is measured at a
 * rate, which is the same for all and stays the same.
 */
public final class WorkloadsPart implements SuitePart {
  private static final String NAME = "workloads";

  /** Of what the slowest directory does: leaves room, and yet is no idle machine. */
  private static final double SHARE = 0.5;

  /** For opening, committing and checking, besides the seconds that are measured. */
  private static final double STEP_SECONDS = 20;

  @Mixin private WorkloadsOptions options = new WorkloadsOptions();

  /** With the defaults; picocli fills in what the user said. */
  public WorkloadsPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions suite) throws UserError {
    options.check(suite);
  }

  @Override
  public Map<String, Object> settings() {
    return options.describe();
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = session.bed(NAME, session.options().memory())) {
      new Rounds(session, bed).run();
    } catch (UnavailableException e) {
      session.recorder().skip(NAME, e.getMessage());
    }
  }

  /** Which loops a child runs. */
  private enum Loops {
    CLOSED,
    OPEN,
    BOTH
  }

  /** One run. */
  private final class Rounds {
    private final Session session;
    private final TestBed bed;
    private final SlotRecorder slots;
    private final List<ReadKind> kinds;
    private final Map<Scenario, Double> rates = new EnumMap<>(Scenario.class);
    private PreparedIndex index;
    private int children;
    private int expected;

    Rounds(Session session, TestBed bed) throws UserError {
      this.session = session;
      this.bed = bed;
      this.slots = new SlotRecorder(session.recorder(), NAME, options.load().threads());
      this.kinds = new ArrayList<>(options.kinds());
    }

    void run() throws IOException, UserError, HitMismatch {
      index = prepare();
      if (index == null) {
        return;
      }
      describe();
      List<List<Scenario>> units = units();
      int rounds = session.options().rounds();
      expected = units.size() * kinds.size() * (rounds + (options.rate() == null ? 1 : 0));
      session.progress().start(NAME);
      try {
        for (int round = 0; round < rounds; round++) {
          for (List<Scenario> unit : units) {
            round(unit, round);
          }
        }
      } finally {
        slots.finish();
      }
    }

    /** What one child does: with {@code --quick} everything, or it would mostly start JVMs. */
    private List<List<Scenario>> units() throws UserError {
      List<Scenario> scenarios = options.scenarios();
      return session.options().quick()
          ? List.of(scenarios)
          : scenarios.stream().map(List::of).toList();
    }

    private void round(List<Scenario> unit, int round) throws IOException, UserError, HitMismatch {
      if (options.rate() != null) {
        unit.forEach(scenario -> rates.put(scenario, options.rate()));
        pass(unit, round, options.rate() > 0 ? Loops.BOTH : Loops.CLOSED);
      } else if (round > 0) {
        pass(unit, round, Loops.BOTH);
      } else {
        pass(unit, round, Loops.CLOSED);
        pass(unit, round, Loops.OPEN);
      }
    }

    private void pass(List<Scenario> unit, int round, Loops loops)
        throws IOException, UserError, HitMismatch {
      List<ReadKind> order = new ArrayList<>(kinds);
      if (!order.isEmpty()) {
        Collections.rotate(order, -(round % order.size()));
      }
      for (ReadKind kind : order) {
        if (session.stop().requested()) {
          return;
        }
        child(kind, unit, loops);
        session
            .progress()
            .update(
                Math.min(1, ++children / (double) expected),
                unit.get(0).label() + (unit.size() > 1 ? " ..." : "") + ", " + kind.name());
      }
    }

    private void child(ReadKind kind, List<Scenario> unit, Loops loops)
        throws IOException, UserError, HitMismatch {
      List<Path> folders = new ArrayList<>();
      Path log = bed.folder().path().resolve("safepoints.log");
      try {
        List<ScenarioTask.Step> steps = new ArrayList<>();
        for (Scenario scenario : unit) {
          steps.add(step(scenario, loops, folders));
        }
        bed.drop(IndexFiles.of(index.index()));
        ScenarioTask task =
            new ScenarioTask(
                kind.name(), steps, options.load(), index.bodies().toString(), log.toString());
        double seconds = steps.size() * (STEP_SECONDS + options.warmup() + 2 * options.seconds());
        ChildJvm.Result<ScenarioTask.Result> result =
            new ChildJvm(bed, options.heap(), options.javaOptions())
                .run(kind.name(), task, ChildLimits.maxSeconds(seconds));
        if (result != null) {
          record(kind, result);
        }
      } finally {
        for (Path folder : folders) {
          IOUtils.rm(folder);
        }
        Files.deleteIfExists(log);
      }
    }

    private ScenarioTask.Step step(Scenario scenario, Loops loops, List<Path> folders)
        throws IOException {
      Path folder = index.index();
      if (scenario.writes()) {
        folder = bed.folder().path().resolve("slot-" + scenario.label());
        folders.add(folder);
        if (scenario.operation() == Scenario.Operation.ADD) {
          Files.createDirectory(folder);
        } else {
          IndexFiles.link(index.index(), folder);
        }
      }
      double rate = rates.getOrDefault(scenario, 1.0);
      return new ScenarioTask.Step(
          scenario,
          folder.toString(),
          options.warmup(),
          loops == Loops.OPEN ? 0 : options.seconds(),
          loops == Loops.CLOSED ? 0 : options.seconds(),
          rate);
    }

    private void record(ReadKind kind, ChildJvm.Result<ScenarioTask.Result> result)
        throws IOException {
      if (result.value().fellBack()) {
        session
            .recorder()
            .skip(
                NAME + ": " + kind.name(),
                "direct I/O was refused, and the page cache used instead: name a folder on another"
                    + " file system with --work");
        kinds.remove(kind);
        return;
      }
      for (ScenarioTask.Slot slot : result.value().slots()) {
        if (slot.closed() != null) {
          slots.closed(SlotRecorder.contender(kind), slot.scenario(), slot.closed());
          slots.peak(SlotRecorder.contender(kind), slot.scenario(), result.usage().peakBytes());
          if (options.rate() == null) {
            half(slot);
          } else if (slot.open() == null) {
            slots.latencies(SlotRecorder.contender(kind), slot.scenario(), slot.closed(), null);
          }
        }
        if (slot.open() != null) {
          slots.latencies(
              SlotRecorder.contender(kind),
              slot.scenario(),
              slot.open(),
              rates.get(slot.scenario()));
        }
      }
    }

    /** The slowest one in the first round tells the rate; later rounds have it then. */
    private void half(ScenarioTask.Slot slot) {
      if (slot.open() == null) {
        double rate = Math.max(1, SHARE * slot.closed().rate());
        rates.merge(slot.scenario(), rate, Math::min);
      }
    }

    private PreparedIndex prepare() throws IOException, UserError {
      Path work = bed.folder().path();
      if (options.index() != null && options.anySize() && PreparedIndex.isKeyed(options.index())) {
        return PreparedIndex.open(options.index(), work, 0);
      }
      PreparedIndex.Size size = options.size();
      bed.folder().require(size.documents() > 0 ? 0 : 3 * size.bytes());
      return PreparedIndex.build(work, size, source(work), session.progress(), session.stop());
    }

    private PreparedIndex.Source source(Path work) throws IOException, UserError {
      if (options.isLinux()) {
        session.progress().start("downloading " + DebianSource.LINUX);
        Path file = DebianSource.fetch(DebianSource.LINUX, work, session.stop());
        session.progress().wipe();
        return () -> DebianSource.open(file);
      }
      if (options.index() != null) {
        session
            .recorder()
            .note(
                "workloads: the text is what the documents of " + options.index() + " have stored");
        return () -> IndexCorpus.open(options.index());
      }
      Path text = options.corpus() == null ? Corpora.jdkSource() : options.corpus();
      return () -> Corpora.open(text);
    }

    private void describe() throws IOException {
      String copies =
          index.copies() > 1
              ? String.format(
                  Locale.ROOT, ", the text REPLICATED %.1f times under new keys", index.copies())
              : "";
      session
          .recorder()
          .note(
              String.format(
                  Locale.ROOT,
                  "workloads: index of %,d documents, %s%s; memory limit %s, heap %s",
                  index.docs(),
                  ByteSize.format(index.bytes()),
                  copies,
                  ByteSize.format(session.options().memory()),
                  ByteSize.format(options.heap())));
      if (index.bytes() < session.options().memory()) {
        session.recorder().note("workloads: the index FITS the memory limit");
      }
      session
          .recorder()
          .note(
              "workloads: device read and written are of the whole machine, process read and written"
                  + " of the measured process alone; safepoints are provoked every 10 ms");
      session
          .recorder()
          .note(
              options.rate() == null || options.rate() > 0
                  ? "workloads: percentiles are of an open loop with Poisson arrivals, counted from"
                      + " when a request was due, at the same rate for all directories"
                  : "workloads: percentiles are plain latencies of a closed loop");
      if (session.options().quick()) {
        session
            .recorder()
            .note(
                "workloads: with --quick one process runs all scenarios, so that caches and peak"
                    + " memory are those of all of them");
      }
    }
  }
}
