/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.Checks;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Metric;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Measures an {@link OutputTask} of each directory, with and without asking, in a JVM of its own
 * each. Mutable only while its options are parsed and checked.
 */
public final class OutputPart implements SuitePart {
  private static final String NAME = "output";
  private static final long MEBI = 1L << 20;
  private static final List<String> ALL = List.of("mmap", "niofs", "pread", "direct");
  private static final List<String> OURS = List.of("pread", "direct");
  private static final long HEAP_BYTES = 128 * MEBI;

  /** Slower than any disk to measure: only for the time limit of a child. */
  private static final double SLOW_BYTES_PER_SECOND = 5e6;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Bytes to write; default: 64m, with --quick 8m")
  private Long fileSize;

  @Option(
      names = "--directories",
      paramLabel = "NAME",
      split = ",",
      description = "Whose outputs take part; default: mmap,niofs,pread,direct")
  private List<String> directories = ALL;

  /** With the defaults. */
  public OutputPart() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    fileSize = Checks.fileLength("--file-size", fileSize, options.quick() ? 8 * MEBI : 64 * MEBI);
    for (String directory : directories) {
      if (!ALL.contains(directory)) {
        throw new UserError("unknown directory '" + directory + "': use some of " + ALL);
      }
    }
  }

  @Override
  public Map<String, Object> settings() {
    return Map.of("fileBytes", fileSize);
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = session.bed(NAME, 0)) {
      bed.folder().require(2 * fileSize);
      measure(session, bed);
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
  }

  private void measure(Session session, TestBed bed) throws IOException, UserError, HitMismatch {
    ChildJvm jvm = new ChildJvm(bed, HEAP_BYTES, JavaOptions.parse(List.of(), List.of()));
    String folder = bed.folder().path().toString();
    double maxSeconds = ChildLimits.maxSeconds(2 * fileSize / SLOW_BYTES_PER_SECOND);
    int rounds = session.options().rounds();
    session.progress().start(NAME);
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      List<Turn> turns = turns();
      Collections.rotate(turns, -round);
      for (Turn turn : turns) {
        session.progress().update(done++ / (double) (rounds * turns.size()), turn.toString());
        OutputTask task =
            new OutputTask(
                turn.directory(), folder, fileSize, turn.ask(), session.options().seed());
        ChildJvm.Result<OutputTask.Result> result = jvm.run(turn.directory(), task, maxSeconds);
        if (result == null) {
          return;
        }
        record(session.recorder(), turn, result.value());
      }
    }
  }

  private record Turn(String directory, boolean ask) {
    @Override
    public String toString() {
      return directory + (ask ? ", asked" : ", not asked");
    }
  }

  private List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (String directory : directories) {
      turns.add(new Turn(directory, false));
      turns.add(new Turn(directory, true));
    }
    return turns;
  }

  private void record(Recorder recorder, Turn turn, OutputTask.Result result) throws IOException {
    String name = turn.directory();
    if (result.fellBack()) {
      recorder.skip(
          NAME + ": " + name,
          "it fell back to the page cache: it needs the ffm backend, and a file system with"
              + " O_DIRECT (--work)");
      return;
    }
    Contender contender = OURS.contains(name) ? Contender.ours(name) : Contender.other(name);
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("getFilePointer", turn.ask() ? "after every write" : "at the end");
    add(
        recorder,
        conditions,
        contender,
        Metric.throughput("MB/s"),
        fileSize / 1e6 / (result.nanos() / 1e9));
    add(recorder, conditions, contender, Metric.fact("writes", ""), (double) result.writes());
    if (result.writeCalls() < 0) {
      recorder.skip(
          NAME + ": system calls",
          "the kernel has no /proc/self/io: use one with CONFIG_TASK_IO_ACCOUNTING");
    } else {
      add(
          recorder,
          conditions,
          contender,
          Metric.listedCost("write calls", ""),
          (double) result.writeCalls());
    }
  }

  private static void add(
      Recorder recorder,
      Map<String, String> conditions,
      Contender contender,
      Metric metric,
      double sample)
      throws IOException {
    recorder.add(new Cell(NAME, conditions, contender, metric, List.of(sample)));
  }
}
