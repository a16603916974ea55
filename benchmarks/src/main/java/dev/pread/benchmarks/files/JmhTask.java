/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.IOUtils;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.CompilerHints;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs a JMH benchmark in this process, with {@code forks(0)}: this process is the fork, a child
 * JVM that the suite starts in its turn, in a cgroup of its own where there is a memory limit, and
 * kills when the run is stopped.
 *
 * @param benchmark the class with the benchmark, by its simple name in this package
 * @param params of the benchmark that are not their defaults
 * @param options further options of the JVM
 */
record JmhTask(
    String benchmark, Map<String, String> params, int threads, Times times, List<String> options)
    implements ChildJvm.Task<JmhTask.Measured> {

  /**
   * Says for how long to measure.
   *
   * @param warmups iterations that do not count, half as long as the others
   */
  record Times(int warmups, int iterations, double seconds) {
    /** Returns the tenths of a second of a {@link ColdCurve}. */
    static Times intervals(double seconds) {
      double interval = ColdCurve.INTERVAL_SECONDS;
      return new Times(0, (int) Math.max(1, Math.round(seconds / interval)), interval);
    }
  }

  /**
   * Holds what was measured: the score of each iteration that counts, and what all have together.
   *
   * @param more what {@link SafepointsCommand.Disturbances} took; without any, the latencies of
   *     reads if they were timed
   */
  record Measured(List<Double> scores, List<Figures.Sample> more) {
    double[] scores(double factor) {
      return scores.stream().mapToDouble(score -> score * factor).toArray();
    }

    /** Returns figures that have each score, times a factor, as a sample of a metric. */
    List<Figures> figures(Record conditions, Metric metric, double factor) {
      Figures figures = Figures.under(conditions);
      scores.forEach(score -> figures.add(metric, score * factor));
      figures.samples().addAll(more);
      return List.of(figures);
    }
  }

  static JmhTask of(
      Class<?> benchmark, Map<String, ?> params, int threads, Times times, List<String> options) {
    Map<String, String> texts = new LinkedHashMap<>();
    params.forEach((name, value) -> texts.put(name, value.toString()));
    return new JmhTask(benchmark.getSimpleName(), texts, threads, times, options);
  }

  @Override
  public String taskName() {
    return benchmark;
  }

  @Override
  public List<String> jvmOptions() {
    List<String> words = new ArrayList<>(options);
    // JMH keeps other JMH processes out by a file that it then leaves among the temporary ones.
    words.add("-Djmh.ignoreLock=true");
    CompilerHints.addCompilerHints(words); // As JMH does for its forks.
    return words;
  }

  @Override
  public Measured run() throws IOException {
    ChainedOptionsBuilder jmh =
        new OptionsBuilder()
            .include("\\." + benchmark + "\\.")
            .forks(0)
            .threads(threads)
            .warmupIterations(times.warmups())
            .warmupTime(millis(times.seconds() / 2))
            .measurementIterations(times.iterations())
            .measurementTime(millis(times.seconds()))
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true);
    params.forEach(jmh::param);
    try {
      List<Double> scores = new ArrayList<>();
      RunResult result = new Runner(jmh.build()).runSingle();
      for (IterationResult iteration :
          result.getBenchmarkResults().iterator().next().getIterationResults()) {
        scores.add(iteration.getPrimaryResult().getScore());
      }
      Figures more = ReadBenchmark.DISTURBED;
      if (more.samples().isEmpty()) {
        more.addLatencies(ReadBenchmark.LATENCIES, "us");
      }
      return new Measured(scores, more.samples());
    } catch (RunnerException e) {
      throw IOUtils.rethrowAlways(cause(e));
    }
  }

  private static TimeValue millis(double seconds) {
    return TimeValue.milliseconds(Math.max(1, Math.round(seconds * 1000)));
  }

  /**
   * Finds what the benchmark threw, which JMH has among the causes, or among what they suppress.
   */
  private static Throwable cause(Throwable thrown) {
    Throwable last = thrown;
    while (last.getSuppressed().length > 0 || last.getCause() != null) {
      last = last.getSuppressed().length > 0 ? last.getSuppressed()[0] : last.getCause();
    }
    return last;
  }
}
