/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Single system calls through each backend and others, and reads of a whole file into arrays: each
 * round is a fork of JMH for each.
 */
@Command(
    name = "native",
    description =
        "Measures what single system calls cost through each backend and through the JDK, and"
            + " reads a file in the page cache into arrays.")
public final class NativeCommand extends FileCommand {
  private static final String CACHED = "pread-directory-cached";
  private static final List<String> CALLERS =
      List.of("ffm", "jni", "channel", NativeCallBenchmark.JDK, NativeCallBenchmark.BARE);

  /** Who reads a file into arrays, and how; without a cache, so that what is measured is calls. */
  private static final Map<String, Way> READERS = new LinkedHashMap<>();

  static {
    READERS.put("ffm", Way.FFM);
    READERS.put("jni", Way.JNI);
    READERS.put("channel", Way.CHANNEL);
    READERS.put("pread-directory", Way.PREAD);
    // What a user has: the file is in the cache before it is measured.
    READERS.put(CACHED, Way.PREAD);
    READERS.put(NativeCallBenchmark.BARE, Way.FFM_PREAD);
    READERS.put("input-stream", Way.INPUT_STREAM);
    READERS.put("filechannel-heap", Way.CHANNEL_HEAP);
  }

  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      description =
          "Who takes part: ffm, jni, channel, pread-directory, pread-directory-cached, bare-ffm,"
              + " jdk, input-stream, filechannel-heap; default: all that can be had")
  private List<String> contenders;

  private long fileSize;
  private List<Integer> lengths;
  private JmhTask.Times times;

  private record Conditions(String call, String bytes) {}

  /**
   * A fork.
   *
   * @param factor that makes the metric of the score
   */
  private record Fork(
      Contender contender, Conditions conditions, JmhTask task, Metric metric, double factor) {
    @Override
    public String toString() {
      return contender.name() + ", " + conditions.call();
    }
  }

  @Override
  public void check(SuiteOptions options) {
    fileSize = (options.quick() ? 32 : 256) * MEBI;
    lengths = options.quick() ? List.of(128 << 10) : List.of(8 << 10, 128 << 10, 1 << 20);
    times = options.quick() ? new JmhTask.Times(1, 1, 0.1) : new JmhTask.Times(6, 3, 1);
    Set<String> all = new LinkedHashSet<>(CALLERS);
    all.addAll(READERS.keySet());
    contenders = or(contenders, List.copyOf(all));
    if (!all.containsAll(contenders)) {
      throw new UserError("--contenders " + contenders + ": use some of " + all);
    }
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException {
    bed.folder().require(fileSize);
    Path file = data(session, bed, "data", fileSize);
    if (session.stop().requested()) {
      return;
    }
    ChildJvm jvm = children(bed, HEAP);
    session.rounds(
        name(),
        forks(session, file),
        (fork, round) ->
            run(
                jvm,
                fork.contender().name(),
                fork.task(),
                2 * times.total(),
                result -> {
                  Figures figures = Figures.under(fork.conditions());
                  for (double score : result.value().scores(fork.factor())) {
                    figures.add(fork.metric(), score);
                  }
                  session.recorder().add(name(), fork.contender(), figures);
                }));
  }

  /** All forks of a round, those of the same call after each other. */
  private List<Fork> forks(Session session, Path file) throws IOException {
    List<Way> available = available(session, new LinkedHashSet<>(READERS.values()), file);
    List<Fork> forks = new ArrayList<>();
    for (NativeCallBenchmark.Kind kind : NativeCallBenchmark.Kind.values()) {
      for (String caller : CALLERS) {
        if (contenders.contains(caller)) {
          try {
            NativeCallBenchmark.tryOnce(file, caller, kind);
            forks.add(call(file, caller, kind));
          } catch (IllegalStateException | LinkageError e) {
            session.skip(name() + ": " + kind + ", " + caller, e.getMessage());
          }
        }
      }
    }
    for (int length : lengths) {
      READERS.forEach(
          (reader, way) -> {
            if (contenders.contains(reader) && available.contains(way)) {
              forks.add(read(file, reader, way, length));
            }
          });
    }
    return forks;
  }

  private Fork call(Path file, String caller, NativeCallBenchmark.Kind kind) {
    Map<String, String> params =
        Map.of("file", file.toString(), "caller", caller, "kind", kind.name());
    String benchmark = NativeCallBenchmark.class.getSimpleName();
    JmhTask task = new JmhTask(benchmark, params, false, 1, times, List.of());
    Conditions conditions = new Conditions(kind.toString(), "-");
    return new Fork(contender(caller), conditions, task, Metric.cost("time", "ns/call"), 1);
  }

  private Fork read(Path file, String reader, Way way, int bytes) {
    long cache = reader.equals(CACHED) ? 2 * fileSize : 0;
    JmhTask task =
        JmhTask.reads(
            new Reads(way, Order.FILE, bytes, file.toString(), times.seconds(), false),
            1,
            times,
            List.of(
                "-Ddev.pread.cache.bytes=" + cache,
                "-XX:MaxDirectMemorySize=" + (2 * fileSize + HEAP)));
    Conditions conditions = new Conditions("read a file", Integer.toString(bytes));
    // An operation is 16 reads, and 1 byte/ms is 1 kB/s.
    double factor = Kernel.READS * bytes / 1e3;
    return new Fork(contender(reader), conditions, task, Plausibility.THROUGHPUT, factor);
  }

  private static Contender contender(String name) {
    return name.equals(NativeCallBenchmark.BARE)
        ? Contender.ceiling(name)
        : new Contender(name, READERS.getOrDefault(name, Way.NIOFS).contender().role());
  }

  @Override
  List<String> violations(Run run) {
    return new Plausibility(name(), run).ofResidentFiles(cell -> true);
  }
}
