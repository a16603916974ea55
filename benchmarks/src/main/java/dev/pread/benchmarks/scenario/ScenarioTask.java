/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildTask;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.child.SafepointTicker;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.load.Arrivals;
import dev.pread.benchmarks.load.ClosedLoop;
import dev.pread.benchmarks.load.OpenLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.FSDirectory;

/**
 * Scenarios of one directory, one after the other: each warms up, is measured as fast as it can, as
 * a closed loop, and then at a rate, as an open loop.
 *
 * @param directory by name
 * @param steps to take
 * @param load of each
 * @param texts file of them, see {@link PreparedIndex}
 * @param log to have safepoints written to
 */
record ScenarioTask(String directory, List<Step> steps, Load load, String texts, String log)
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
    return steps.stream()
        .map(step -> step.scenario().toString())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  @Override
  public List<String> jvmOptions() {
    return SafepointLog.options(Path.of(log));
  }

  @Override
  public Result run() throws IOException, UserError, HitMismatch {
    List<String> bodies = PreparedIndex.readTexts(Path.of(texts));
    DirectoryKind kind = DirectoryKind.named(directory);
    List<Slot> slots = new ArrayList<>();
    boolean fellBack = false;
    SafepointTicker ticker = SafepointTicker.start();
    try {
      for (Step step : steps) {
        Path path = Path.of(step.index());
        try (FSDirectory opened =
                step.scenario().writes() ? kind.openForWriting(path) : kind.openForReading(path);
            Work work = new Work(opened, step.scenario(), load, bodies)) {
          slots.add(slot(work, step));
          fellBack |= opened instanceof DirectPreadDirectory direct && direct.usesPageCache();
        } catch (HitMismatch e) {
          throw new HitMismatch(step.scenario() + ": " + e.getMessage(), e);
        }
      }
    } finally {
      ticker.close();
    }
    return new Result(slots, fellBack);
  }

  private Slot slot(Work work, Step step) throws IOException, UserError, HitMismatch {
    if (step.warmupSeconds() > 0) {
      ClosedLoop.run(load.threads(), step.warmupSeconds(), work.begin(WARM));
      work.end();
    }
    Phase closed = null;
    if (step.seconds() > 0) {
      closed =
          phase(
              work,
              step,
              CLOSED,
              request ->
                  new OpenLoop.Detail(ClosedLoop.run(load.threads(), step.seconds(), request), 0));
    }
    Phase open = null;
    if (step.openSeconds() > 0) {
      Arrivals arrivals = Arrivals.poisson(step.rate(), load.seed());
      open =
          phase(
              work,
              step,
              OPEN,
              request ->
                  new OpenLoop(load.threads(), arrivals, request)
                      .runInDetail(OpenLoop.End.after(step.openSeconds())));
    }
    work.finish();
    return new Slot(step.scenario(), closed, open);
  }

  /** How requests are sent. */
  private interface Loop {
    OpenLoop.Detail run(OpenLoop.Request request) throws IOException, UserError, HitMismatch;
  }

  private Phase phase(Work work, Step step, int number, Loop loop)
      throws IOException, UserError, HitMismatch {
    OpenLoop.Request request = work.begin(number);
    long beside = work.besideBytes();
    Phase.Meter meter = new Phase.Meter(Path.of(step.index()), Path.of(log));
    OpenLoop.Detail detail = loop.run(request);
    work.end();
    Histogram latencies = detail.latencies();
    Phase phase =
        new Phase(
            latencies.getTotalCount() - detail.unserved(),
            work.docs(),
            work.bytes(),
            work.besideBytes() - beside,
            detail.unserved(),
            latencies,
            meter.stop());
    work.verify();
    return phase;
  }
}
