/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures what the device gives, by fio or, without it, by {@link FfmLoopTask}. An engine that
 * fails once is left out from then on. One thread.
 */
final class DeviceSlots {
  private static final String IO_URING = "io_uring";
  private static final long LOOP_HEAP_BYTES = 128L << 20;
  private static final double NANOS_PER_MICRO = 1e3;

  private final Recorder recorder;
  private final TestBed bed;
  private final Path file;
  private final Fio fio;
  private final boolean loop;
  private final Set<String> refused = new HashSet<>();

  DeviceSlots(Recorder recorder, TestBed bed, Path file, String command) {
    this.recorder = recorder;
    this.bed = bed;
    this.file = file;
    this.fio = new Fio(command, bed);
    String missing = fio.missing();
    this.loop = missing != null;
    if (loop) {
      recorder.note("ceiling: the device is read by pread(2) through FFM, since " + missing);
      refuse(IO_URING, missing + ": install fio, or name it with --fio");
    }
  }

  /** Measures and records, or does nothing if its engine is left out. */
  void measure(FioJob job) throws IOException, UserError, HitMismatch {
    String engine = job.reads().engine();
    if (refused.contains(engine)) {
      return;
    }
    try {
      if (loop) {
        FfmLoopTask.Result result = loop(job);
        if (result != null) {
          record(job, "ffm", result.readsPerMs(), result.latencies());
        }
      } else {
        Fio.Measured result = fio.run(file, job);
        if (result != null) {
          record(job, engine, result.readsPerMs(), result.latencies());
        }
      }
    } catch (UnavailableException e) {
      refuse(engine, e.getMessage());
    }
  }

  private void refuse(String engine, String why) {
    refused.add(engine);
    recorder.skip("ceiling: " + engine, why);
  }

  private FfmLoopTask.Result loop(FioJob job)
      throws IOException, UserError, HitMismatch, UnavailableException {
    ChildJvm child = new ChildJvm(bed, LOOP_HEAP_BYTES, JavaOptions.parse(List.of(), List.of()));
    ChildJvm.Result<FfmLoopTask.Result> result =
        child.run(
            "ffm-loop",
            new FfmLoopTask(file.toString(), job),
            ChildLimits.maxSeconds(job.warmupSeconds() + job.seconds()));
    if (result == null) {
      return null;
    }
    if (result.value().unavailable() != null) {
      throw new UnavailableException(result.value().unavailable());
    }
    return result.value();
  }

  private void record(FioJob job, String engine, double readsPerMs, Latencies latencies)
      throws IOException {
    Map<String, String> conditions =
        conditions(
            Ceilings.DEVICE,
            job.reads().sequential() ? "sequential" : "random",
            job.reads().bytes(),
            engine,
            job.jobs() * job.depth());
    Contender contender = Contender.ceiling(loop ? "ffm-loop" : "fio");
    add(conditions, contender, Ceilings.THROUGHPUT, readsPerMs);
    add(conditions, contender, Metric.listedCost("p50", "us"), latencies.p50() / NANOS_PER_MICRO);
    add(conditions, contender, Metric.listedCost("p99", "us"), latencies.p99() / NANOS_PER_MICRO);
  }

  private void add(
      Map<String, String> conditions, Contender contender, Metric metric, double sample)
      throws IOException {
    recorder.add(new Cell(Ceilings.BENCHMARK, conditions, contender, metric, List.of(sample)));
  }

  /** As {@link Ceilings} says. */
  static Map<String, String> conditions(
      String of, String order, int bytes, String engine, int depth) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("of", of);
    conditions.put("order", order);
    conditions.put("bytes", Integer.toString(bytes));
    conditions.put("engine", engine);
    conditions.put("depth", Integer.toString(depth));
    return conditions;
  }
}
