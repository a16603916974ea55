/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * Measures single system calls through each backend and others, and reads of a whole file into
 * arrays: each round is a fork of JMH for each.
 */
@Command(name = "native")
public final class NativeCommand extends FileCommand {
  private static final String CACHED_READER = "pread-directory-cached";

  static final List<String> CALLERS =
      List.of("ffm", "jni", "channel", NativeCallBenchmark.JDK, NativeCallBenchmark.BARE);

  /** Who reads a file into arrays, and how; without a cache, so that what is measured is calls. */
  private static final Map<String, Way> READERS = new LinkedHashMap<>();

  static {
    READERS.put("ffm", Way.FFM);
    READERS.put("jni", Way.JNI);
    READERS.put("channel", Way.CHANNEL);
    READERS.put("pread-directory", Way.PREAD);
    // What a user has: the file is in the cache before it is measured.
    READERS.put(CACHED_READER, Way.PREAD);
    READERS.put(NativeCallBenchmark.BARE, Way.FFM_PREAD);
    READERS.put("input-stream", Way.INPUT_STREAM);
    READERS.put("filechannel-heap", Way.CHANNEL_HEAP);
  }

  private long fileSize;
  private List<Integer> lengths;
  private JmhTask.Times times;

  private record Conditions(String call, String bytes) {}

  /**
   * Describes a fork.
   *
   * @param factor that makes the metric of the score
   */
  private record Fork(
      String caller, Conditions conditions, JmhTask task, Metric metric, double factor) {
    @Override
    public String toString() {
      return caller + ", " + conditions.call();
    }

    Contender contender() {
      return caller.equals(NativeCallBenchmark.BARE)
          ? Contender.ceiling(caller)
          : new Contender(caller, READERS.getOrDefault(caller, Way.NIOFS).contender().role());
    }
  }

  @Override
  public void check(SuiteOptions options) {
    fileSize = (options.quick() ? 32 : 256) * MEBI;
    lengths = options.quick() ? List.of(128 << 10) : List.of(8 << 10, 128 << 10, 1 << 20);
    times = options.quick() ? new JmhTask.Times(1, 1, 0.1) : new JmhTask.Times(6, 3, 1);
  }

  @Override
  protected void measureOnBed() throws IOException {
    Path file = data("data", fileSize, 0);
    List<Way> available = available(new LinkedHashSet<>(READERS.values()), file);
    List<String> readers = new ArrayList<>(READERS.keySet());
    readers.removeIf(name -> !available.contains(READERS.get(name)));
    List<Fork> forks = calls(readers, file);
    forks.addAll(reads(readers, file));
    session.rounds(
        name(),
        forks,
        (fork, round) ->
            run(
                fork.contender(),
                fork.task(),
                20,
                result -> result.value().figures(fork.conditions(), fork.metric(), fork.factor())));
  }

  /** Returns the forks that measure calls, those of the same call after each other. */
  private List<Fork> calls(List<String> readers, Path file) {
    List<Fork> forks = new ArrayList<>();
    Metric metric = Metric.cost("time", "ns/call");
    boolean noStat = readers.contains(NativeCallBenchmark.BARE) && FfmCalls.STAT == null;
    if (noStat) {
      session.skip(name() + ": stat and fstat, bare-ffm", "this C library has none to call");
    }
    for (NativeCallBenchmark.Kind kind : NativeCallBenchmark.Kind.values()) {
      for (String caller : CALLERS) {
        boolean isHere = caller.equals(NativeCallBenchmark.JDK) || readers.contains(caller);
        boolean isMissing =
            caller.equals(NativeCallBenchmark.BARE)
                ? noStat && kind.toString().contains("stat")
                // Backends ask descriptors, never paths.
                : kind == NativeCallBenchmark.Kind.STAT && !caller.equals(NativeCallBenchmark.JDK);
        if (isHere && !isMissing) {
          Map<String, Object> params = Map.of("file", file, "caller", caller, "kind", kind.name());
          JmhTask task = JmhTask.of(NativeCallBenchmark.class, params, 1, times, List.of());
          forks.add(new Fork(caller, new Conditions(kind.toString(), "-"), task, metric, 1));
        }
      }
    }
    return forks;
  }

  private List<Fork> reads(List<String> readers, Path file) {
    List<Fork> forks = new ArrayList<>();
    for (int length : lengths) {
      for (String reader : readers) {
        Map<String, Object> params =
            Map.of(
                "way",
                READERS.get(reader),
                "order",
                Order.FILE,
                "bytes",
                length,
                "file",
                file,
                "checkSeconds",
                times.seconds());
        long cache = reader.equals(CACHED_READER) ? 2 * fileSize : 0;
        List<String> options =
            List.of(
                "-Ddev.pread.cache.bytes=" + cache,
                "-XX:MaxDirectMemorySize=" + (2 * fileSize + HEAP));
        JmhTask task = JmhTask.of(ReadBenchmark.class, params, 1, times, options);
        Conditions conditions = new Conditions("read a file", Integer.toString(length));
        // An operation is 16 reads, and 1 byte/ms is 1 kB/s.
        forks.add(new Fork(reader, conditions, task, BYTES, Kernel.READS * length / 1e3));
      }
    }
    return forks;
  }
}
