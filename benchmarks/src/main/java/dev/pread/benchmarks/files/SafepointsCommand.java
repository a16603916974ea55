/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.SafepointLog;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.IOContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures a {@link SafepointsTask} of each way to read and each collector, in a JVM of its own.
 * Mutable only while its options are parsed and checked.
 */
@Command(
    name = "safepoints",
    description =
        "Measures how long safepoints and collections are held up while 16 threads read a file"
            + " that is not in memory: through the backends, and in critical sections.")
public final class SafepointsCommand extends FileCommand {
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

  /** With the defaults; or made by picocli. */
  public SafepointsCommand() {
    super("safepoints");
  }

  private record Turn(Way way, String collector) {
    @Override
    public String toString() {
      return way.label() + ", " + collector;
    }
  }

  @Override
  protected List<SuitePart> parts() {
    return List.of(this);
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize =
        Checks.fileLength("--cold-file-size", fileSize, options.quick() ? 64 * MEBI : 1024 * MEBI);
    seconds = or(seconds, options.quick() ? 0.5 : 10.0);
    if (!(seconds >= 0.1 && seconds <= 3600)) {
      throw new UserError("--cold-seconds is " + seconds + ": it must be between 0.1 and 3600");
    }
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(name(), 0, bed -> measure(session, bed));
  }

  private void measure(Session session, TestBed bed)
      throws IOException, UserError, HitMismatch, UnavailableException {
    Path file = data(session, bed, fileSize, 0);
    if (session.stop().requested()) {
      return;
    }
    // Dirty pages could not be dropped while it is read.
    PageCache.drop(file);
    ChildJvm jvm = children(bed, HEAP);
    Path log = bed.folder().path().resolve("safepoints.log");
    session.rounds(
        name(),
        turns(session, file),
        (turn, round) -> {
          SafepointsTask task =
              new SafepointsTask(
                  turn.way(), turn.collector(), file.toString(), seconds, log.toString());
          ChildJvm.Result<SafepointsTask.Result> result =
              jvm.run(turn.way().label(), task, ChildLimits.maxSeconds(2 * seconds));
          if (result != null) {
            record(session, turn, result.value());
          }
        });
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

  private void record(Session session, Turn turn, SafepointsTask.Result result) throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("collector", turn.collector());
    conditions.put("threads", Integer.toString(SafepointsTask.THREADS));
    Contender contender = turn.way().contender();
    double rate = result.reads() / seconds / 1000;
    record(session, conditions, contender, Metric.throughput("reads/ms"), rate);
    SafepointLog.Summary reached = result.safepoints();
    Map<String, double[]> times = new LinkedHashMap<>();
    times.put("safepoint", new double[] {reached.p50(), reached.p99(), reached.max()});
    Histogram collections = result.collections();
    times.put(
        "System.gc",
        new double[] {
          collections.getValueAtPercentile(50),
          collections.getValueAtPercentile(99),
          collections.getMaxValue()
        });
    for (Map.Entry<String, double[]> time : times.entrySet()) {
      String what = time.getKey();
      double[] nanos = time.getValue();
      Metric p50 = Metric.listedCost(what + " p50", "us");
      record(session, conditions, contender, p50, nanos[0] / NANOS_PER_US);
      record(
          session,
          conditions,
          contender,
          Metric.cost(what + " p99", "us"),
          nanos[1] / NANOS_PER_US);
      Metric max = Metric.listedCost(what + " max", "us");
      record(session, conditions, contender, max, nanos[2] / NANOS_PER_US);
    }
  }
}
