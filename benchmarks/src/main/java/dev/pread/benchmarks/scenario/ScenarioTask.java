/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.child.SafepointTicker;
import dev.pread.benchmarks.index.ReadKind;
import dev.pread.benchmarks.load.Arrivals;
import dev.pread.benchmarks.load.ClosedLoop;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.FSDirectory;

/**
 * Scenarios of one directory, one after the other: each warms up, is measured as fast as it can, as
 * a closed loop, and then at a rate, as an open loop.
 *
 * @param directory by name
 * @param steps to take
 * @param load of each
 * @param bodies file of {@link Bodies}
 * @param log to have safepoints written to
 */
record ScenarioTask(String directory, List<Step> steps, Load load, String bodies, String log)
    implements ChildTask<ScenarioTask.Result> {
  private static final int WARM = 0;
  private static final int CLOSED = 1;
  private static final int OPEN = 2;

  /**
   * One scenario.
   *
   * @param scenario to work by
   * @param index folder of it, changed if the scenario writes
   * @param warmupSeconds not measured
   * @param seconds of the closed loop; 0 for none
   * @param openSeconds of the open loop; 0 for none
   * @param rate requests per second of the open loop
   */
  record Step(
      Scenario scenario,
      String index,
      double warmupSeconds,
      double seconds,
      double openSeconds,
      double rate) {}

  /**
   * What was measured of a step.
   *
   * @param scenario it was
   * @param closed loop, or null
   * @param open loop, or null
   */
  record Slot(Scenario scenario, Phase closed, Phase open) {}

  /**
   * What was measured.
   *
   * @param slots of the steps, in their order
   * @param fellBack whether a directory for direct I/O went through the page cache instead
   */
  record Result(List<Slot> slots, boolean fellBack) {}

  @Override
  public String taskName() {
    return String.join(
        ", ", steps.stream().map(step -> step.scenario().label()).distinct().toList());
  }

  @Override
  public Class<Result> resultType() {
    return Result.class;
  }

  @Override
  public List<String> jvmOptions() {
    return SafepointLog.options(Path.of(log));
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    Bodies texts = Bodies.read(Path.of(bodies));
    List<Slot> slots = new ArrayList<>();
    boolean fellBack = false;
    SafepointTicker ticker = SafepointTicker.start();
    try {
      for (Step step : steps) {
        ReadKind kind = ReadKind.named(directory);
        Path path = Path.of(step.index());
        try (FSDirectory opened =
            step.scenario().writes() ? kind.openForWriting(path) : kind.openForReading(path)) {
          slots.add(slot(opened, step, texts));
          fellBack |= opened instanceof DirectPreadDirectory direct && direct.usesPageCache();
        } catch (HitMismatch e) {
          throw new HitMismatch(step.scenario().label() + ": " + e.getMessage(), e);
        }
      }
    } finally {
      ticker.close();
    }
    return new Result(slots, fellBack);
  }

  private Slot slot(FSDirectory opened, Step step, Bodies texts)
      throws IOException, UserError, HitMismatch {
    Scenario scenario = step.scenario();
    boolean reads = scenario.whileWriting() || !scenario.writes();
    try (Work work =
        reads
            ? new ReadWork(opened, scenario, load, texts)
            : new WriteWork(opened, scenario, load, texts)) {
      if (step.warmupSeconds() > 0) {
        ClosedLoop.run(load.threads(), step.warmupSeconds(), work.begin(WARM));
        work.end();
      }
      Phase closed = step.seconds() > 0 ? closed(work, step) : null;
      Phase open = step.openSeconds() > 0 ? open(work, step) : null;
      if (work instanceof ReadWork readWork) {
        readWork.finish();
      }
      return new Slot(scenario, closed, open);
    }
  }

  private Phase closed(Work work, Step step) throws IOException, UserError, HitMismatch {
    OpenLoop.Request request = work.begin(CLOSED);
    long beside = work.besideBytes();
    Costs.Meter meter = new Costs.Meter(Path.of(step.index()), Path.of(log));
    Histogram latencies = ClosedLoop.run(load.threads(), step.seconds(), request);
    return phase(work, meter, latencies, 0, beside);
  }

  private Phase open(Work work, Step step) throws IOException, UserError, HitMismatch {
    OpenLoop.Request request = work.begin(OPEN);
    long beside = work.besideBytes();
    Arrivals arrivals = Arrivals.poisson(step.rate(), load.seed());
    OpenLoop loop = new OpenLoop(load.threads(), arrivals, request);
    Costs.Meter meter = new Costs.Meter(Path.of(step.index()), Path.of(log));
    OpenLoop.Detail detail = loop.runInDetail(OpenLoop.End.after(step.openSeconds()));
    return phase(work, meter, detail.latencies(), detail.unserved(), beside);
  }

  private static Phase phase(
      Work work, Costs.Meter meter, Histogram latencies, long unserved, long besideBefore)
      throws IOException, UserError, HitMismatch {
    work.end();
    long end = System.nanoTime();
    Phase phase =
        new Phase(
            latencies.getTotalCount() - unserved,
            work.docs(),
            work.bytes(),
            end - meter.start(),
            unserved,
            work.besideBytes() - besideBefore,
            Phase.encode(latencies),
            meter.until(end));
    work.verify();
    return phase;
  }
}
