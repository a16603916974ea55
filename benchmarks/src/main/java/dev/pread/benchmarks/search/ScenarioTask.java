/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import dev.pread.DirectPreadDirectory;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.BlockDevice;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.harness.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.FSDirectory;

/**
 * Runs a scenario through one directory: it warms up and is measured as fast as it can, as a closed
 * loop, and then at a rate, as an open loop.
 *
 * @param index folder of it, changed if the scenario writes
 * @param texts file of them, with {@link #BETWEEN_TEXTS}
 * @param log to have safepoints written to
 */
record ScenarioTask(
    String directory, Scenario scenario, String index, String texts, String log, Effort load)
    implements ChildJvm.Task<ScenarioTask.Result> {
  /** No text has it. */
  static final String BETWEEN_TEXTS = "\0";

  private static final int WARMUP_PHASE = 0;
  private static final int CLOSED_PHASE = 1;
  private static final int OPEN_PHASE = 2;

  /** The time in which the thread that writes the log is done with a line. */
  private static final long LOG_DELAY_NANOS = 50_000_000;

  /**
   * Says how hard an index is worked on.
   *
   * @param seed of keys and arrivals
   * @param warmupSeconds not measured
   * @param rate requests per second of the open loop; null for none, and 0 for none but the
   *     latencies of the closed one
   */
  record Effort(int threads, long seed, double warmupSeconds, double seconds, Double rate) {}

  private record Conditions(Scenario scenario, int threads) {}

  /**
   * Holds what was measured.
   *
   * @param perSecond requests of the closed loop
   */
  record Result(double perSecond, Figures figures) {}

  @Override
  public String taskName() {
    return scenario.toString();
  }

  @Override
  public List<String> jvmOptions() {
    return SafepointLog.options(Path.of(log));
  }

  @Override
  public Result run() throws IOException {
    List<String> bodies = List.of(Files.readString(Path.of(texts)).split(BETWEEN_TEXTS, -1));
    DirectoryKind kind = DirectoryKind.named(directory);
    Path path = Path.of(index);
    ExecutorService ticker = SafepointLog.ticker();
    try (FSDirectory opened =
            scenario.writes() ? kind.openForWriting(path) : kind.openForReading(path);
        Work work = new Work(opened, scenario, load.seed(), bodies)) {
      Figures figures = Figures.under(new Conditions(scenario, load.threads()));
      if (load.warmupSeconds() > 0) {
        Load.closed(load.threads(), load.warmupSeconds(), work.begin(WARMUP_PHASE));
        work.end();
      }
      double perSecond = closed(work, figures);
      if (load.rate() != null && load.rate() > 0) {
        open(work, figures);
      }
      work.finish();
      if (opened instanceof DirectPreadDirectory direct && direct.usesPageCache()) {
        throw new UserError(
            "direct I/O was refused: leave direct out, or name another file system with --work");
      }
      return new Result(perSecond, figures);
    } catch (WrongResult e) {
      throw new WrongResult(scenario + ": " + e.getMessage(), e);
    } finally {
      ticker.close();
    }
  }

  /** Sends requests as fast as possible; returns how many per second. */
  private double closed(Work work, Figures figures) throws IOException {
    Load.Request request = work.begin(CLOSED_PHASE);
    BlockDevice device = BlockDevice.under(Path.of(index));
    Map<Metric, Long> before = counted(device);
    long start = System.nanoTime();
    Histogram latencies = Load.closed(load.threads(), load.seconds(), request);
    work.end();
    long end = System.nanoTime();
    Map<Metric, Long> after = counted(device);
    work.verify();
    double seconds = (end - start) / 1e9;
    double perSecond = latencies.getTotalCount() / seconds;
    boolean batches = scenario == Scenario.MULTI_READ_RANDOM;
    figures.add(Metric.throughput("ops/s"), (batches ? Work.BATCH : 1) * perSecond);
    if (scenario.ofVectors()) {
      figures.add(Metric.fact("recall", ""), work.recall());
    }
    after.forEach(
        (metric, count) -> {
          boolean known = count >= 0 && before.get(metric) >= 0;
          figures.addKnown(metric, known ? count - before.get(metric) : -1);
        });
    addPauses(figures, start, end);
    if (load.rate() != null && load.rate() == 0) {
      figures.addLatencies(latencies, "us");
    }
    return perSecond;
  }

  /** Counts the device's traffic, whoever causes it, and the faults of this process alone. */
  private static Map<Metric, Long> counted(BlockDevice device) {
    Map<Metric, Long> counted = new LinkedHashMap<>();
    counted.put(Metric.fact("device read", "bytes"), device.bytesRead());
    counted.put(Metric.fact("device written", "bytes"), device.bytesWritten());
    counted.put(Metric.listedCost("major faults", ""), ProcessFigures.majorFaults());
    return counted;
  }

  private void addPauses(Figures figures, long start, long end) throws IOException {
    LockSupport.parkNanos(LOG_DELAY_NANOS);
    SafepointLog.Summary safepoints = SafepointLog.read(Path.of(log), start, end);
    figures.add(Metric.fact("safepoints", ""), (double) safepoints.reaching().getTotalCount());
    if (safepoints.reaching().getTotalCount() > 0) {
      figures.addPauses("safepoint", safepoints.reaching());
    }
    Histogram pauses = safepoints.pauses();
    double total = pauses.getMean() * pauses.getTotalCount();
    figures.add(Metric.listedCost("gc pause total", "ms"), total / 1e6);
    figures.add(Metric.listedCost("gc pause max", "ms"), pauses.getMaxValue() / 1e6);
  }

  /** Sends requests when they are due. */
  private void open(Work work, Figures figures) throws IOException {
    // What makes an index ready takes time, which is not of the loop's.
    Load.Request request = work.begin(OPEN_PHASE);
    Histogram latencies =
        Load.open(
            load.threads(),
            Load.poisson(load.rate(), load.seed()),
            Load.End.after(load.seconds()),
            request);
    work.end();
    work.verify();
    figures.add(Metric.fact("arrivals", "1/s"), load.rate());
    figures.addLatencies(latencies, "us");
  }
}
