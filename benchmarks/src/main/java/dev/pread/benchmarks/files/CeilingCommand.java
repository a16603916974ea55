/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Ceilings;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the {@link Ceilings}: the device under fio, and copies in memory. */
@Command(
    name = Ceilings.BENCHMARK,
    description =
        "Measures what no directory can beat: the device with O_DIRECT, by fio, and copies in"
            + " memory.")
public final class CeilingCommand extends FileCommand {
  /** Memory that copies are taken out of, larger than the caches of most processors. */
  private static final long COPIED_BYTES = 256 * MEBI;

  private static final String PSYNC = "psync";
  private static final String IO_URING = "io_uring";
  private static final String COPY = "copy";

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

  /** Engines that can't be had here. */
  private final Set<String> refused = new HashSet<>();

  private double seconds;

  private record Conditions(String of, Order order, int bytes, String engine, int depth) {
    static Conditions of(Fio.Job job) {
      return new Conditions(
          job.engine().equals(COPY) ? Ceilings.MEMCPY : Ceilings.DEVICE,
          job.sequential() ? Order.SEQUENTIAL : Order.RANDOM,
          job.bytes(),
          job.engine(),
          job.jobs() * job.depth());
    }
  }

  @Override
  protected List<SuitePart> parts() {
    return List.of(this);
  }

  @Override
  public void check(SuiteOptions options) {
    fileSize = Objects.requireNonNullElse(fileSize, (options.quick() ? 128 : 1024) * MEBI);
    seconds = options.quick() ? 0.1 : 2.0;
    if (fileSize < Kernel.READS * MEBI || fileSize % MEBI != 0) {
      throw new UserError(
          "--file-size is " + fileSize + ": it must be a multiple of 1m, and 16m or more");
    }
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require(fileSize + COPIED_BYTES);
    Path file = data(session, bed, "data", fileSize);
    Path copied = data(session, bed, "copied", COPIED_BYTES);
    Fio fio = new Fio(command, bed);
    String missing = fio.missing();
    if (missing != null) {
      refused.addAll(List.of(PSYNC, IO_URING));
      session.skip("ceiling: device", missing + ": install fio, or name it with --fio");
    }
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        jobs(),
        (job, round) -> {
          if (job.engine().equals(COPY)) {
            copy(session, jvm, job, copied);
          } else if (!refused.contains(job.engine())) {
            device(session, fio, job, file);
          }
        });
  }

  private static List<Fio.Job> jobs() {
    List<Fio.Job> jobs = new ArrayList<>();
    for (int bytes : new int[] {4096, 16384}) {
      for (int threads : new int[] {1, 4, 16}) {
        jobs.add(new Fio.Job(PSYNC, false, bytes, threads, 1));
        jobs.add(new Fio.Job(COPY, false, bytes, threads, 1));
      }
      jobs.add(new Fio.Job(IO_URING, false, bytes, 1, 16));
      jobs.add(new Fio.Job(IO_URING, false, bytes, 1, 64));
    }
    jobs.add(new Fio.Job(PSYNC, true, (int) MEBI, 1, 1));
    jobs.add(new Fio.Job(PSYNC, true, (int) MEBI, 4, 1));
    return jobs;
  }

  private void device(Session session, Fio fio, Fio.Job job, Path file) throws IOException {
    try {
      Fio.Measured measured = fio.run(file, job, seconds);
      if (measured != null) {
        Figures figures = Figures.under(Conditions.of(job));
        figures.add(Ceilings.THROUGHPUT, measured.readsPerMs());
        figures.add(Metric.listedCost("p50", "us"), measured.p50() / 1e3);
        figures.add(Metric.listedCost("p99", "us"), measured.p99() / 1e3);
        session.recorder().add(name(), Contender.ceiling("fio"), figures);
      }
    } catch (UnavailableException e) {
      refused.add(job.engine());
      session.skip("ceiling: " + job.engine(), e.getMessage());
    }
  }

  /** Measures copies as the grid does. */
  private void copy(Session session, ChildJvm jvm, Fio.Job job, Path file) throws IOException {
    Map<String, Object> params =
        Map.of("way", Way.MEMCPY, "bytes", job.bytes(), "file", file, "checkSeconds", seconds / 4);
    JmhTask task =
        JmhTask.reads(
            params,
            job.jobs(),
            new JmhTask.Times(1, 1, seconds / 2),
            List.of("-XX:MaxDirectMemorySize=" + 2 * COPIED_BYTES));
    run(
        jvm,
        Way.MEMCPY,
        task,
        2 * seconds,
        result -> {
          Figures figures = Figures.under(Conditions.of(job));
          figures.add(Ceilings.THROUGHPUT, result.value().scores().get(0) * Kernel.READS);
          session.recorder().add(name(), Way.MEMCPY.contender(), figures);
        });
  }
}
