/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.SafepointLog;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import dev.pread.benchmarks.suite.SuitePart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

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

  private boolean quick;

  private record Conditions(String collector, int threads) {}

  @Override
  protected List<SuitePart> parts() {
    return List.of(this);
  }

  @Override
  public void check(SuiteOptions options) {
    quick = options.quick();
  }

  @Override
  void measure() throws IOException, UnavailableException {
    Path file = data("data", (quick ? 64 : 1024) * MEBI, 0);
    List<Way> available = available(WAYS, file);
    if (available.isEmpty()) {
      return;
    }
    // Dirty pages could not be dropped while it is read.
    PageCache.drop(file);
    // Collections of a small heap.
    ChildJvm jvm = children(64 * MEBI);
    session.rounds(
        name(),
        available,
        (way, round) -> {
          measure(jvm, way, file, "G1");
          measure(jvm, way, file, "Serial");
        });
  }

  private void measure(ChildJvm jvm, Way way, Path file, String collector) throws IOException {
    double seconds = quick ? 0.5 : 10;
    List<String> options = new ArrayList<>(SafepointLog.options(Disturbances.log(file)));
    options.add("-XX:+Use" + collector + "GC");
    // One thread for a collection: how long it takes shall not depend on who else runs.
    options.add("-XX:ParallelGCThreads=1");
    Map<String, Object> params =
        Map.of(
            "way", way,
            "bytes", BYTES,
            "file", file,
            "checkSeconds", seconds / 10,
            "watch", ReadBenchmark.Watch.DISTURBED);
    JmhTask.Times times = new JmhTask.Times(1, 1, seconds);
    run(
        jvm,
        way.contender(),
        JmhTask.of(ReadBenchmark.class, params, THREADS, times, options),
        2 * seconds,
        result -> {
          Figures figures = Figures.under(new Conditions(collector, THREADS));
          double rate = result.value().scores(Kernel.READS)[0];
          figures.add(Metric.throughput("reads/ms"), rate);
          figures.samples().addAll(result.value().more());
          return List.of(figures);
        });
  }
}
