/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.child.ChildJvm;
import dev.pread.benchmarks.child.ChildLimits;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Recorder;
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
 * Measures the {@link Ceilings}: the device under fio or, without it, under a loop through FFM, and
 * copies in memory. Mutable only while its options are parsed and checked.
 */
public final class CeilingPart implements SuitePart {
  private static final long MEBI = 1L << 20;

  /** Of random reads and of copies. */
  private static final List<Integer> LENGTHS = List.of(4096, 16384);

  private static final List<Integer> THREADS = List.of(1, 4, 16);
  private static final List<Integer> DEPTHS = List.of(16, 64);
  private static final List<Integer> SEQUENTIAL_JOBS = List.of(1, 4);
  private static final int SEQUENTIAL_BYTES = 1 << 20;

  private static final long MIN_REGION = 4 * MEBI;
  private static final long COPY_HEAP_BYTES = 128 * MEBI;

  @Option(
      names = "--fio",
      paramLabel = "COMMAND",
      defaultValue = Fio.COMMAND,
      description = "The fio to run, where it is not on the path; default: ${DEFAULT-VALUE}")
  private String fio = Fio.COMMAND;

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

  @Option(
      names = "--copy-region",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description =
          "Memory that copies are taken out of, larger than the processor's caches to say anything"
              + " of files; default: 256m")
  private long region = 256 * MEBI;

  /** With the defaults. */
  public CeilingPart() {}

  @Override
  public String name() {
    return Ceilings.BENCHMARK;
  }

  @Override
  public void check(SuiteOptions options) throws UserError {
    if (fileSize == null) {
      fileSize = options.quick() ? 128 * MEBI : 1024 * MEBI;
    }
    if (seconds == null) {
      seconds = options.quick() ? 0.4 : 2.0;
    }
    if (!(seconds > 0) || Double.isInfinite(seconds)) {
      throw new UserError("--seconds is " + seconds + ": it must be greater than 0");
    }
    long least = (long) SEQUENTIAL_BYTES * Collections.max(SEQUENTIAL_JOBS);
    if (fileSize < least) {
      throw new UserError("--file-size " + fileSize + " is too small: name at least 4m");
    }
    if (region < MIN_REGION || region > Integer.MAX_VALUE) {
      throw new UserError("--copy-region " + region + ": name one from 4m to 2047m");
    }
    fileSize = fileSize / SEQUENTIAL_BYTES * SEQUENTIAL_BYTES;
  }

  @Override
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("fileBytes", fileSize);
    settings.put("seconds", seconds);
    settings.put("copyRegionBytes", region);
    return settings;
  }

  @Override
  public void measure(Session session) throws IOException, UserError, HitMismatch {
    try (TestBed bed = session.bed(name(), 0)) {
      bed.folder().require(fileSize);
      Path file = bed.folder().path().resolve("data");
      DataPattern.write(file, fileSize, session.progress(), session.stop());
      if (!session.stop().requested()) {
        measure(session, bed, new DeviceSlots(session.recorder(), bed, file, fio));
      }
    } catch (UnavailableException e) {
      throw new IllegalStateException("no memory limit was asked for", e);
    }
  }

  private void measure(Session session, TestBed bed, DeviceSlots device)
      throws IOException, UserError, HitMismatch {
    session.progress().start("ceiling");
    int rounds = session.options().rounds();
    int done = 0;
    for (int round = 0; round < rounds; round++) {
      List<Turn> turns = turns();
      Collections.rotate(turns, -round);
      for (Turn turn : turns) {
        if (session.stop().requested()) {
          return;
        }
        session.progress().update(done++ / (double) (rounds * turns.size()), turn.name());
        if (turn.job() != null) {
          device.measure(turn.job());
        } else {
          memcpy(session.recorder(), bed);
        }
      }
    }
  }

  /**
   * One step of a round.
   *
   * @param job of the device, or null for all copies in memory
   */
  private record Turn(String name, FioJob job) {}

  private List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (int length : LENGTHS) {
      for (int jobs : THREADS) {
        turns.add(turn(new FioJob.Reads("psync", false, length), jobs, 1));
      }
      for (int depth : DEPTHS) {
        turns.add(turn(new FioJob.Reads("io_uring", false, length), 1, depth));
      }
    }
    for (int jobs : SEQUENTIAL_JOBS) {
      turns.add(turn(new FioJob.Reads("psync", true, SEQUENTIAL_BYTES), jobs, 1));
    }
    turns.add(new Turn("memcpy", null));
    return turns;
  }

  private Turn turn(FioJob.Reads reads, int jobs, int depth) {
    String name = reads.engine() + " " + reads.bytes() + " x" + jobs * depth;
    return new Turn(name, new FioJob(reads, jobs, depth, seconds / 4, seconds));
  }

  private void memcpy(Recorder recorder, TestBed bed) throws IOException, UserError, HitMismatch {
    double warmup = seconds / 4;
    double measured = seconds / 2;
    MemcpyTask task = new MemcpyTask((int) region, LENGTHS, THREADS, warmup, measured);
    double total = LENGTHS.size() * THREADS.size() * (warmup + measured);
    ChildJvm child = new ChildJvm(bed, COPY_HEAP_BYTES, JavaOptions.parse(List.of(), List.of()));
    ChildJvm.Result<MemcpyTask.Result> result =
        child.run("memcpy", task, ChildLimits.maxSeconds(total));
    if (result == null) {
      return;
    }
    if (result.value().hugeBytes() < region) {
      recorder.note(
          "ceiling: memcpy copies out of "
              + ByteSize.format(region)
              + ", not all of it in huge pages: allow them in"
              + " /sys/kernel/mm/transparent_hugepage/enabled (madvise)");
    }
    for (MemcpyTask.Slot slot : result.value().slots()) {
      recorder.add(
          new Cell(
              Ceilings.BENCHMARK,
              DeviceSlots.conditions(
                  Ceilings.MEMCPY, "random", slot.bytes(), "copy", slot.threads()),
              Contender.ceiling("memcpy"),
              Ceilings.THROUGHPUT,
              List.of(slot.copiesPerMs())));
    }
  }
}
