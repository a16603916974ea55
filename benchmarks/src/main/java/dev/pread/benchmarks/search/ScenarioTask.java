/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.Arrivals;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.ClosedLoop;
import dev.pread.benchmarks.machine.OpenLoop;
import dev.pread.benchmarks.machine.SafepointLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.IOFunction;

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
   * How hard an index is worked on.
   *
   * @param threads that serve requests
   * @param seed of keys and arrivals
   * @param warmupSeconds not measured
   * @param seconds of the closed loop; 0 for none
   * @param openSeconds of the open loop; 0 for none
   */
  record Load(int threads, long seed, double warmupSeconds, double seconds, double openSeconds) {}

  /**
   * One scenario.
   *
   * @param scenario to work by
   * @param index folder of it, changed if the scenario writes
   * @param rate requests per second of the open loop
   */
  record Step(Scenario scenario, String index, double rate) {}

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
    boolean fellBack = false;
    ExecutorService ticker = SafepointLog.ticker();
    try {
      for (Step step : steps) {
        Path path = Path.of(step.index());
        try (FSDirectory opened =
                step.scenario().writes() ? kind.openForWriting(path) : kind.openForReading(path);
            Work work = new Work(opened, step.scenario(), load.seed(), bodies)) {
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

  private Slot slot(Work work, Step step) throws IOException {
    if (load.warmupSeconds() > 0) {
      closed(load.warmupSeconds(), work.begin(WARM));
      work.end();
    }
    Phase closed = null;
    if (load.seconds() > 0) {
      closed = phase(work, step, CLOSED, request -> closed(load.seconds(), request));
    }
    Phase open = null;
    if (load.openSeconds() > 0) {
      Arrivals arrivals = Arrivals.poisson(step.rate(), load.seed());
      open =
          phase(
              work,
              step,
              OPEN,
              request ->
                  new OpenLoop(load.threads(), arrivals, request)
                      .runInDetail(OpenLoop.End.after(load.openSeconds())));
    }
    work.finish();
    return new Slot(step.scenario(), closed, open);
  }

  private OpenLoop.Detail closed(double seconds, OpenLoop.Request request) throws IOException {
    return new OpenLoop.Detail(ClosedLoop.run(load.threads(), seconds, request), 0);
  }

  private Phase phase(
      Work work, Step step, int number, IOFunction<OpenLoop.Request, OpenLoop.Detail> loop)
      throws IOException {
    OpenLoop.Request request = work.begin(number);
    long beside = work.besideBytes();
    Phase.Meter meter = new Phase.Meter(Path.of(step.index()), Path.of(log));
    OpenLoop.Detail detail = loop.apply(request);
    work.end();
    Phase phase =
        new Phase(
            work.bytes(),
            work.besideBytes() - beside,
            detail.unserved(),
            detail.latencies(),
            meter.stop());
    work.verify();
    return phase;
  }
}
