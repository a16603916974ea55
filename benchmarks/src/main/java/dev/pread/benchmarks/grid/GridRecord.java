/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Curve;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes cells and curves of forks that went well, and the right failure of those that did not. */
final class GridRecord {
  /** By which contenders are compared. */
  static final Metric THROUGHPUT = Metric.throughput("ops/ms");

  /** Of cold files: until nine tenths of the rate it ends with. */
  static final Metric SECONDS_TO_WARM = Metric.cost("seconds to warm", "s");

  static final Metric MAJOR_FAULTS = Metric.fact("major faults per operation", "");
  static final Metric PEAK_MEMORY = Metric.fact("peak memory", "bytes");
  private static final Curve.Axes WARMING =
      new Curve.Axes("warming up", "seconds", "reads/ms", Curve.Scale.LINEAR);
  private static final String KILLED = "exit code 137";
  private static final int SAID_LINES = 12;

  private final Recorder recorder;
  private final long memory;

  /**
   * @param memory limit of the forks, for messages and by which files are sized
   */
  GridRecord(Recorder recorder, long memory) {
    this.recorder = recorder;
    this.memory = memory;
  }

  /**
   * Records a fork.
   *
   * @throws HitMismatch if its strategy returned wrong bytes, or failed
   * @throws UserError if its JVM did not start because of its options
   */
  void add(Plan.Turn turn, GridFork.Ended ended) throws IOException, HitMismatch, UserError {
    if (ended.failure() != null) {
      fail(turn, ended);
      return;
    }
    add(turn, THROUGHPUT, ended.opsPerMs());
    long operations = 0;
    long faults = 0;
    boolean known = true;
    for (IterationLog.Iteration iteration : ended.iterations()) {
      operations += iteration.operations();
      faults += iteration.majorFaults();
      known &= iteration.majorFaults() >= 0;
    }
    if (known && operations > 0) {
      add(turn, MAJOR_FAULTS, List.of(faults / (double) operations));
    }
    if (ended.peakBytes() >= 0) {
      add(turn, PEAK_MEMORY, List.of((double) ended.peakBytes()));
    }
    if (turn.point().regime() == Regime.COLD) {
      warming(turn, ended.iterations());
    }
  }

  private void add(Plan.Turn turn, Metric metric, List<Double> samples) throws IOException {
    recorder.add(
        new Cell(
            GridPart.NAME,
            turn.point().conditions(),
            turn.strategy().contender(),
            metric,
            samples));
  }

  private void warming(Plan.Turn turn, List<IterationLog.Iteration> iterations) throws IOException {
    boolean first = turn.round() == 0;
    for (IterationLog.Iteration iteration : iterations) {
      ColdCurve curve = new ColdCurve(iteration.reads());
      if (first) {
        // One shows how it goes; the figures are of all.
        recorder.add(curve(turn, curve));
        first = false;
      }
      if (turn.strategy().keeps() == Strategy.Keeps.NOTHING) {
        continue; // There is nothing that gets warm.
      }
      if (isWarm(turn.point(), iteration, curve)) {
        add(turn, SECONDS_TO_WARM, List.of(curve.secondsToWarm()));
      } else {
        recorder.note(GridPart.NAME + ": not warm at the end: " + turn + "; raise --cold-seconds");
      }
    }
  }

  /** Whether it had read as much as the file has, was no longer getting faster, and has a time. */
  private boolean isWarm(Plan.Point point, IterationLog.Iteration iteration, ColdCurve curve) {
    long reads = iteration.reads().stream().mapToLong(Long::longValue).sum();
    return reads * point.bytes() >= point.regime().fileBytes(memory)
        && !curve.rising()
        && !Double.isNaN(curve.secondsToWarm());
  }

  private static Curve curve(Plan.Turn turn, ColdCurve curve) {
    List<Curve.Point> points = new ArrayList<>();
    for (int i = 0; i < curve.intervals(); i++) {
      points.add(new Curve.Point((i + 1) * (ColdCurve.INTERVAL_NANOS / 1e9), curve.rate(i)));
    }
    return new Curve(
        GridPart.NAME, turn.point().conditions(), turn.strategy().contender(), WARMING, points);
  }

  private void fail(Plan.Turn turn, GridFork.Ended ended)
      throws IOException, HitMismatch, UserError {
    GridFork.Failure failure = ended.failure();
    WrongBytesException wrong = wrongBytes(failure.cause(), newSet());
    if (wrong != null || failure.said().contains(WrongBytesException.class.getName())) {
      throw new HitMismatch(
          turn + (wrong == null ? ": wrong bytes" : ": " + wrong.getMessage()), null);
    }
    if (failure.said().contains("exit code " + ForkScript.CANNOT_JOIN)) {
      throw new IOException("a fork cannot join its cgroup: " + summary(failure));
    }
    if (ended.oomKills() > 0 || failure.said().contains(KILLED)) {
      recorder.skip(
          GridPart.NAME + ": " + turn,
          "killed by the kernel, since its caches and buffers exceed the limit: raise --memory, or"
              + " lower -Ddev.pread.cache.bytes");
      return;
    }
    if (failure.said().contains("Could not create the Java Virtual Machine")
        || failure.said().contains("Error occurred during initialization of VM")) {
      throw new UserError(
          turn + ": its JVM does not start: correct --java-option (" + summary(failure) + ")");
    }
    throw new HitMismatch(turn + " failed: " + summary(failure), failure.cause());
  }

  /** Without what JMH says of itself, and what it says twice. */
  private static String summary(GridFork.Failure failure) {
    return failure
        .said()
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#") && !line.startsWith("<"))
        .distinct()
        .limit(SAID_LINES)
        .collect(Collectors.joining("; "));
  }

  private static Set<Throwable> newSet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /** JMH has what the fork threw among the causes, or among what they suppress. */
  private static WrongBytesException wrongBytes(Throwable thrown, Set<Throwable> seen) {
    if (thrown == null || !seen.add(thrown)) {
      return null;
    }
    if (thrown instanceof WrongBytesException wrong) {
      return wrong;
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      WrongBytesException wrong = wrongBytes(suppressed, seen);
      if (wrong != null) {
        return wrong;
      }
    }
    return wrongBytes(thrown.getCause(), seen);
  }
}
