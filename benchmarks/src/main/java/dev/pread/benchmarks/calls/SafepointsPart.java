/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Measures a {@link SafepointsTask} of each way to read and each collector, in a JVM of its own.
 * Mutable only while its options are parsed and checked.
 */
public final class SafepointsPart implements SuitePart {
  private static final String NAME = "safepoints";
  private static final long MEBI = 1L << 20;
  private static final long HEAP_BYTES = 64 * MEBI;
  private static final List<String> COLLECTORS = List.of("G1", "Serial");
  private static final double NANOS_PER_US = 1e3;

  @Option(
      names = "--cold-file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Length of the file that is kept out of the page cache; default: 1g, with --quick 64m")
  private Long fileSize;

  @Option(
      names = "--cold-seconds",
      paramLabel = "S",
      description = "How long each JVM is measured; default: 10, with --quick 0.5")
  private Double seconds;

  /** With the defaults. */
  public SafepointsPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize =
        Checks.fileLength("--cold-file-size", fileSize, options.quick() ? 64 * MEBI : 1024 * MEBI);
    if (seconds == null) {
      seconds = options.quick() ? 0.5 : 10.0;
    }
    if (!(seconds >= 0.1 && seconds <= 3600)) {
      throw new UserError("--cold-seconds is " + seconds + ": it must be between 0.1 and 3600");
    }
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("seconds", seconds);
    settings.put("threads", SafepointsTask.THREADS);
    settings.put("readBytes", SafepointsTask.BYTES);
    return settings;
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = session.bed(NAME, 0)) {
      bed.folder().require(fileSize);
      Path file = bed.folder().path().resolve("data");
      DataPattern.write(file, fileSize, session.progress(), session.stop());
      if (!session.stop().requested()) {
        // Dirty pages could not be dropped while it is read.
        PageCache.drop(file);
        measure(session, bed, file);
      }
    } catch (UnavailableException e) {
      session.recorder().skip(NAME, e.getMessage());
    }
  }

  private record Turn(String way, String collector) {
    @Override
    public String toString() {
      return way + ", " + collector;
    }
  }

  private void measure(Session session, TestBed bed, Path file)
      throws IOException, UserError, HitMismatch {
    List<Turn> turns = new ArrayList<>();
    List<String> ways = available(session, file);
    for (String collector : COLLECTORS) {
      for (String way : ways) {
        turns.add(new Turn(way, collector));
      }
    }
    ChildJvm jvm = new ChildJvm(bed, HEAP_BYTES, JavaOptions.parse(List.of(), List.of()));
    int rounds = session.options().rounds();
    session.progress().start(NAME);
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      Collections.rotate(turns, -1);
      for (Turn turn : turns) {
        session.progress().update(done++ / (double) (rounds * turns.size()), turn.toString());
        Path log = bed.folder().path().resolve("safepoints-" + done + ".log");
        SafepointsTask task =
            new SafepointsTask(
                turn.way(), turn.collector(), file.toString(), seconds, log.toString());
        ChildJvm.Result<SafepointsTask.Result> result =
            jvm.run(turn.way(), task, ChildLimits.maxSeconds(2 * seconds));
        if (result == null) {
          return;
        }
        record(session, turn, result.value());
      }
    }
  }

  /** Those that can be had; the others are told. */
  private static List<String> available(Session session, Path file) throws IOException {
    List<String> ways = new ArrayList<>();
    for (String way : ColdReader.NAMES) {
      try {
        ColdReader.open(way, file).close();
        ways.add(way);
      } catch (IllegalStateException e) {
        session.recorder().skip(NAME + ": " + way, e.getMessage());
      }
    }
    return ways;
  }

  private void record(Session session, Turn turn, SafepointsTask.Result result) throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("collector", turn.collector());
    conditions.put("threads", Integer.toString(SafepointsTask.THREADS));
    Contender contender =
        turn.way().startsWith("naive") ? Contender.other(turn.way()) : Contender.ours(turn.way());
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.throughput("reads/ms"), result.reads() / seconds / 1000);
    figures.put(Metric.listedCost("safepoint p50", "us"), result.safepoints().p50() / NANOS_PER_US);
    figures.put(Metric.cost("safepoint p99", "us"), result.safepoints().p99() / NANOS_PER_US);
    figures.put(Metric.listedCost("safepoint max", "us"), result.safepoints().max() / NANOS_PER_US);
    figures.put(Metric.listedCost("System.gc p50", "us"), result.collectP50() / NANOS_PER_US);
    figures.put(Metric.cost("System.gc p99", "us"), result.collectP99() / NANOS_PER_US);
    figures.put(Metric.listedCost("System.gc max", "us"), result.collectMax() / NANOS_PER_US);
    for (Map.Entry<Metric, Double> figure : figures.entrySet()) {
      session
          .recorder()
          .add(new Cell(NAME, conditions, contender, figure.getKey(), List.of(figure.getValue())));
    }
  }
}
