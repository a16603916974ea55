/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.store.IOContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the {@link Ceilings}: the device under fio or, without it, by {@code pread(2)} through
 * FFM, and copies in memory. Mutable only while its options are parsed and checked.
 */
@Command(
    name = "ceiling",
    description =
        "Measures what no directory can beat: the device with O_DIRECT (fio, or a loop of pread(2)"
            + " through FFM where there is no fio), and copies in memory.")
public final class CeilingCommand extends FileCommand {
  private static final List<Integer> LENGTHS = List.of(4096, 16384);
  private static final List<Integer> THREADS = List.of(1, 4, 16);
  private static final List<Integer> DEPTHS = List.of(16, 64);
  private static final List<Integer> SEQUENTIAL_JOBS = List.of(1, 4);
  private static final int SEQUENTIAL_BYTES = (int) MEBI;
  private static final long HEAP = 128 * MEBI;
  private static final double NANOS_PER_MICRO = 1e3;

  /** Memory that copies are taken out of, larger than the caches of most processors. */
  private static final long COPIED = 256 * MEBI;

  @Option(
      names = "--fio",
      paramLabel = "COMMAND",
      defaultValue = Fio.COMMAND,
      description = "The fio to run, where it is not on the path; default: ${DEFAULT-VALUE}")
  private String command = Fio.COMMAND;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the file that is read; default: 1g, with --quick 128m")
  private Long fileSize;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds that each slot of a round is measured; default: 2, with --quick 0.4")
  private Double seconds;

  private final Set<String> refused = new HashSet<>();

  /** With the defaults; or made by picocli. */
  public CeilingCommand() {
    super(Ceilings.BENCHMARK);
  }

  @Override
  protected List<SuitePart> parts() {
    return List.of(this);
  }

  /**
   * A kind of reads, by fio or by a loop of ours.
   *
   * @param engine of fio, or {@code copy} for copies in memory
   * @param depth reads at the same time
   */
  private record Turn(String engine, boolean sequential, int bytes, int jobs, int depth) {
    boolean copies() {
      return engine.equals("copy");
    }

    @Override
    public String toString() {
      return engine + " " + bytes + " x" + jobs * depth;
    }
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize = or(fileSize, (options.quick() ? 128 : 1024) * MEBI);
    seconds = or(seconds, options.quick() ? 0.4 : 2.0);
    if (!(seconds > 0) || Double.isInfinite(seconds)) {
      throw new UserError("--seconds is " + seconds + ": it must be greater than 0");
    }
    if (fileSize < Kernel.READS * (long) SEQUENTIAL_BYTES || fileSize % SEQUENTIAL_BYTES != 0) {
      throw new UserError(
          "--file-size is " + fileSize + ": it must be a multiple of 1m, and 16m or more");
    }
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(name(), 0, bed -> measure(session, bed));
  }

  private void measure(Session session, TestBed bed) throws IOException, UserError, HitMismatch {
    Path file = data(session, bed, fileSize, COPIED);
    Path copied = bed.folder().path().resolve("copied");
    DataPattern.write(copied, COPIED, session.progress(), session.stop());
    Fio fio = new Fio(command, bed);
    String missing = fio.missing();
    if (missing != null) {
      session
          .recorder()
          .note("ceiling: the device is read by pread(2) through FFM, since " + missing);
      refuse(session, "io_uring", missing + ": install fio, or name it with --fio");
      probe(session, file);
    }
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        turns(),
        (turn, round) -> {
          if (turn.copies()) {
            loop(session, jvm, turn, Way.MEMCPY, copied);
          } else if (!refused.contains(turn.engine())) {
            if (missing == null) {
              device(session, fio, turn, file);
            } else {
              loop(session, jvm, turn, Way.FFM_ODIRECT, file);
            }
          }
        });
  }

  /** Whether the device can be read without fio. */
  private void probe(Session session, Path file) {
    try {
      Way.FFM_ODIRECT.open(file, SEQUENTIAL_BYTES, IOContext.DEFAULT).close();
    } catch (IOException | IllegalStateException e) {
      refuse(session, "psync", e.getMessage() + ": use --work on a file system with O_DIRECT");
    }
  }

  private void refuse(Session session, String engine, String why) {
    refused.add(engine);
    session.recorder().skip("ceiling: " + engine, why);
  }

  private static List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (int length : LENGTHS) {
      for (int jobs : THREADS) {
        turns.add(new Turn("psync", false, length, jobs, 1));
        turns.add(new Turn("copy", false, length, jobs, 1));
      }
      for (int depth : DEPTHS) {
        turns.add(new Turn("io_uring", false, length, 1, depth));
      }
    }
    for (int jobs : SEQUENTIAL_JOBS) {
      turns.add(new Turn("psync", true, SEQUENTIAL_BYTES, jobs, 1));
    }
    return turns;
  }

  private void device(Session session, Fio fio, Turn turn, Path file) throws IOException {
    FioJob.Reads reads = new FioJob.Reads(turn.engine(), turn.sequential(), turn.bytes());
    try {
      Fio.Measured measured =
          fio.run(file, new FioJob(reads, turn.jobs(), turn.depth(), seconds / 4, seconds));
      if (measured == null) {
        return;
      }
      Map<String, String> conditions = conditions(Ceilings.DEVICE, turn, turn.engine());
      Contender contender = Contender.ceiling("fio");
      record(session, conditions, contender, Ceilings.THROUGHPUT, measured.readsPerMs());
      double p50 = measured.p50() / NANOS_PER_MICRO;
      record(session, conditions, contender, Metric.listedCost("p50", "us"), p50);
      double p99 = measured.p99() / NANOS_PER_MICRO;
      record(session, conditions, contender, Metric.listedCost("p99", "us"), p99);
    } catch (UnavailableException e) {
      refuse(session, turn.engine(), e.getMessage());
    }
  }

  /** Measures one way to read as the grid does. */
  private void loop(Session session, ChildJvm jvm, Turn turn, Way way, Path file)
      throws IOException, UserError, HitMismatch {
    Map<String, String> params = new LinkedHashMap<>();
    params.put("way", way.label());
    params.put("bytes", Integer.toString(turn.bytes()));
    params.put("order", (turn.sequential() ? Order.SEQUENTIAL : Order.RANDOM).label());
    params.put("file", file.toString());
    params.put("checkSeconds", Double.toString(seconds / 4));
    JmhTask.Times times = new JmhTask.Times(1, 1, seconds / 2);
    JmhTask task =
        new JmhTask(
            ReadBenchmark.class.getSimpleName(),
            params,
            turn.jobs(),
            times,
            List.of("-XX:MaxDirectMemorySize=" + 2 * COPIED));
    ChildJvm.Result<JmhTask.Measured> result =
        jvm.run(way.label(), task, ChildLimits.maxSeconds(2 * seconds));
    if (result == null) {
      return;
    }
    Map<String, String> conditions =
        way == Way.MEMCPY
            ? conditions(Ceilings.MEMCPY, turn, "copy")
            : conditions(Ceilings.DEVICE, turn, "ffm");
    double readsPerMs = result.value().scores().get(0) * Kernel.READS;
    record(
        session,
        conditions,
        Contender.ceiling(way == Way.MEMCPY ? way.label() : "ffm-loop"),
        Ceilings.THROUGHPUT,
        readsPerMs);
  }

  /** As {@link Ceilings} says. */
  private static Map<String, String> conditions(String of, Turn turn, String engine) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("of", of);
    conditions.put("order", turn.sequential() ? "sequential" : "random");
    conditions.put("bytes", Integer.toString(turn.bytes()));
    conditions.put("engine", engine);
    conditions.put("depth", Integer.toString(turn.jobs() * turn.depth()));
    return conditions;
  }
}
