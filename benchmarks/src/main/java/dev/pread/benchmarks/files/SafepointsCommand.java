/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads with {@link Disturbances}, in each way and with each collector, in a JVM of its own. */
@Command(
    name = "safepoints",
    description =
        "Measures how long safepoints and collections are held up while 16 threads read a file"
            + " that is not in memory: through the backends, and in critical sections.")
public final class SafepointsCommand extends FileCommand {
  private static final int THREADS = 16;
  private static final int BYTES = 8192;
  private static final List<Way> WAYS = List.of(Way.JNI, Way.FFM, Way.NAIVE_JNI, Way.NAIVE_FFM);

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

  private record Conditions(String collector, int threads) {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(this);
  }

  @Override
  public void check(SuiteOptions options) {
    fileSize =
        Checks.fileLength("--cold-file-size", fileSize, (options.quick() ? 64 : 1024) * MEBI);
    seconds = Objects.requireNonNullElse(seconds, options.quick() ? 0.5 : 10.0);
    Checks.positive("--cold-seconds", seconds);
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException, UnavailableException {
    bed.folder().require(fileSize);
    Path file = data(session, bed, "data", fileSize);
    if (session.stop().requested()) {
      return;
    }
    // Dirty pages could not be dropped while it is read.
    PageCache.drop(file);
    // Collections of a small heap.
    ChildJvm jvm = children(bed, 64 * MEBI);
    session.rounds(
        name(),
        turns(available(session, WAYS, file), "G1", "Serial"),
        (turn, round) -> {
          List<String> options = new ArrayList<>(SafepointLog.options(Disturbances.log(file)));
          options.add("-XX:+Use" + turn.manner() + "GC");
          // One thread for a collection: how long it takes shall not depend on who else runs.
          options.add("-XX:ParallelGCThreads=1");
          Map<String, Object> params =
              Map.of(
                  "way",
                  turn.way(),
                  "bytes",
                  BYTES,
                  "file",
                  file,
                  "checkSeconds",
                  seconds / 10,
                  "timed",
                  true);
          JmhTask task =
              JmhTask.reads(params, THREADS, new JmhTask.Times(1, 1, seconds), options)
                  .whileDisturbed();
          run(jvm, turn.way(), task, 2 * seconds, result -> record(session, turn, result.value()));
        });
  }

  private void record(Session session, Turn turn, JmhTask.Measured measured) throws IOException {
    Figures figures = Figures.under(new Conditions(turn.manner(), THREADS));
    figures.add(Metric.throughput("reads/ms"), measured.scores().get(0) * Kernel.READS);
    for (Map.Entry<String, Double> time : measured.more().entrySet()) {
      String what = time.getKey();
      if (what.endsWith("p99")) {
        figures.add(Metric.cost(what, "us"), time.getValue());
      } else if (!what.equals(MajorFaults.NAME)) {
        figures.add(Metric.listedCost(what, "us"), time.getValue());
      }
    }
    session.recorder().add(name(), turn.way().contender(), figures);
  }
}
