/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.store.IOContext;
import picocli.CommandLine.Option;

/**
 * Measures a {@link SafepointsTask} of each way to read and each collector, in a JVM of its own.
 * Mutable only while its options are parsed and checked.
 */
public final class SafepointsPart extends FilePart {
  private static final long HEAP = 64 * MEBI;
  private static final List<Way> WAYS = List.of(Way.JNI, Way.FFM, Way.NAIVE_JNI, Way.NAIVE_FFM);
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
  public SafepointsPart() {
    super("safepoints");
  }

  private record Turn(Way way, String collector) {
    @Override
    public String toString() {
      return way.label() + ", " + collector;
    }
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize =
        Checks.fileLength("--cold-file-size", fileSize, options.quick() ? 64 * MEBI : 1024 * MEBI);
    seconds = seconds != null ? seconds : options.quick() ? 0.5 : 10.0;
    if (!(seconds >= 0.1 && seconds <= 3600)) {
      throw new UserError("--cold-seconds is " + seconds + ": it must be between 0.1 and 3600");
    }
  }

  @Override
  public Map<String, Object> settings() {
    return Map.of(
        "fileBytes", fileSize,
        "seconds", seconds,
        "threads", SafepointsTask.THREADS,
        "readBytes", SafepointsTask.BYTES);
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = bed(session)) {
      Path file = data(session, bed, fileSize, 0);
      if (session.stop().requested()) {
        return;
      }
      // Dirty pages could not be dropped while it is read.
      PageCache.drop(file);
      ChildJvm jvm = children(bed, HEAP);
      Path log = bed.folder().path().resolve("safepoints.log");
      rounds(
          session,
          turns(session, file),
          (round, turn) -> {
            SafepointsTask task =
                new SafepointsTask(
                    turn.way(), turn.collector(), file.toString(), seconds, log.toString());
            ChildJvm.Result<SafepointsTask.Result> result =
                jvm.run(turn.way().label(), task, ChildLimits.maxSeconds(2 * seconds));
            if (result == null) {
              return false;
            }
            record(session, turn, result.value());
            return true;
          });
    } catch (UnavailableException e) {
      session.recorder().skip(name(), e.getMessage());
    }
  }

  private List<Turn> turns(Session session, Path file) throws IOException {
    List<Turn> turns = new ArrayList<>();
    for (Way way : WAYS) {
      try {
        way.open(file, SafepointsTask.BYTES, IOContext.DEFAULT).close();
        turns.add(new Turn(way, "G1"));
        turns.add(new Turn(way, "Serial"));
      } catch (IllegalStateException e) {
        session.recorder().skip(name() + ": " + way.label(), e.getMessage());
      }
    }
    return turns;
  }

  private void record(Session session, Turn turn, SafepointsTask.Result result)
      throws IOException {
    Map<Metric, Double> figures = new LinkedHashMap<>();
    figures.put(Metric.throughput("reads/ms"), result.reads() / seconds / 1000);
    figures.put(Metric.listedCost("safepoint p50", "us"), result.safepoints().p50() / NANOS_PER_US);
    figures.put(Metric.cost("safepoint p99", "us"), result.safepoints().p99() / NANOS_PER_US);
    figures.put(Metric.listedCost("safepoint max", "us"), result.safepoints().max() / NANOS_PER_US);
    figures.put(
        Metric.listedCost("System.gc p50", "us"), result.collections().p50() / NANOS_PER_US);
    figures.put(Metric.cost("System.gc p99", "us"), result.collections().p99() / NANOS_PER_US);
    figures.put(
        Metric.listedCost("System.gc max", "us"), result.collections().max() / NANOS_PER_US);
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("collector", turn.collector());
    conditions.put("threads", Integer.toString(SafepointsTask.THREADS));
    for (Map.Entry<Metric, Double> figure : figures.entrySet()) {
      record(session, conditions, turn.way().contender(), figure.getKey(), figure.getValue());
    }
  }
}
