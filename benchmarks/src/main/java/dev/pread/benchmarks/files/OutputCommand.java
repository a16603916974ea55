/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures an {@link OutputTask} of each directory, with and without asking, in a JVM of its own
 * each. Mutable only while its options are parsed and checked.
 */
@Command(
    name = "output",
    description =
        "Measures writers that are asked for their position after every write beside some that"
            + " are not: time, and system calls.")
public final class OutputCommand extends FileCommand {
  private static final List<Way> WAYS = List.of(Way.MMAP, Way.NIOFS, Way.PREAD, Way.DIRECT);
  private static final long HEAP = 128 * MEBI;

  /** Slower than any disk to measure: only for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 5e6;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Bytes to write; default: 64m, with --quick 8m")
  private Long fileSize;

  /** With the defaults; or made by picocli. */
  public OutputCommand() {
    super("output");
  }

  private record Turn(Way way, boolean ask) {
    @Override
    public String toString() {
      return way.label() + (ask ? ", asked" : ", not asked");
    }
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize = Checks.fileLength("--file-size", fileSize, options.quick() ? 8 * MEBI : 64 * MEBI);
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    session.onBed(name(), 0, bed -> measure(session, bed));
  }

  private void measure(Session session, TestBed bed) throws IOException, UserError, HitMismatch {
    bed.folder().require(2 * fileSize);
    ChildJvm jvm = children(bed, HEAP);
    String folder = bed.folder().path().toString();
    double maxSeconds = ChildLimits.maxSeconds(2 * fileSize / SLOW_BYTES_PER_SECOND);
    List<Turn> turns = new ArrayList<>();
    for (Way way : WAYS) {
      turns.add(new Turn(way, false));
      turns.add(new Turn(way, true));
    }
    session.rounds(
        name(),
        turns,
        (turn, round) -> {
          long seed = session.options().seed();
          OutputTask task = new OutputTask(turn.way().label(), folder, fileSize, turn.ask(), seed);
          ChildJvm.Result<OutputTask.Result> result = jvm.run(turn.way().label(), task, maxSeconds);
          if (result != null) {
            record(session, turn, result.value());
          }
        });
  }

  private void record(Session session, Turn turn, OutputTask.Result result) throws IOException {
    if (result.fellBack()) {
      session.recorder().skip(name() + ": " + turn.way().label(), StreamsCommand.FELL_BACK);
      return;
    }
    Contender contender = turn.way().contender();
    Map<String, String> conditions =
        Map.of("getFilePointer", turn.ask() ? "after every write" : "at the end");
    double rate = fileSize / 1e6 / (result.nanos() / 1e9);
    record(session, conditions, contender, Metric.throughput("MB/s"), rate);
    record(session, conditions, contender, Metric.fact("writes", ""), (double) result.writes());
    if (result.writeCalls() >= 0) {
      Metric calls = Metric.listedCost("write calls", "");
      record(session, conditions, contender, calls, (double) result.writeCalls());
    } else {
      session
          .recorder()
          .skip(
              name() + ": system calls",
              "the kernel has no /proc/self/io: use one with CONFIG_TASK_IO_ACCOUNTING");
    }
  }
}
