/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.ProcessFigures;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.CompilerHints;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One fork of JMH, which is a child of this process, so that it takes its turn, has a memory limit,
 * and is killed when the run is stopped: JMH itself is told to fork no more.
 *
 * @param benchmark the class with the benchmark, by its simple name in this package
 * @param params of the benchmark
 * @param threads at the same time
 * @param times of the iterations
 * @param options further options of the JVM
 */
record JmhTask(
    String benchmark, Map<String, String> params, int threads, Times times, List<String> options)
    implements ChildTask<JmhTask.Measured> {
  private static final String FAULTS = "major faults";

  /**
   * How long.
   *
   * @param warmups iterations that do not count, half as long as the others
   * @param iterations that count
   * @param seconds of each
   */
  record Times(int warmups, int iterations, double seconds) {
    double total() {
      return (warmups / 2.0 + iterations) * seconds;
    }
  }

  /**
   * What was measured.
   *
   * @param scores one for each iteration that counts
   * @param operations of all of them
   * @param majorFaults of the process meanwhile; negative if unknown
   */
  record Measured(List<Double> scores, long operations, long majorFaults) {}

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
    TimeValue time = millis(times.seconds());
    ChainedOptionsBuilder jmh =
        new OptionsBuilder()
            .include("^" + Pattern.quote(JmhTask.class.getPackageName() + "." + benchmark) + "\\.")
            .forks(0)
            .threads(threads)
            .warmupIterations(times.warmups())
            .warmupTime(millis(times.seconds() / 2))
            .measurementIterations(times.iterations())
            .measurementTime(time)
            .addProfiler(MajorFaults.class.getName())
            .shouldFailOnError(true);
    params.forEach(jmh::param);
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    OutputFormat quiet = OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.SILENT);
    try {
      List<Double> scores = new ArrayList<>();
      long operations = 0;
      long faults = 0;
      for (IterationResult iteration :
          new Runner(jmh.build(), quiet)
              .runSingle()
              .getBenchmarkResults()
              .iterator()
              .next()
              .getIterationResults()) {
        scores.add(iteration.getPrimaryResult().getScore());
        operations += iteration.getMetadata().getAllOps();
        faults += (long) iteration.getSecondaryResults().get(FAULTS).getScore();
      }
      return new Measured(scores, operations, faults);
    } catch (RunnerException e) {
      throw cause(e);
    }
  }

  private static TimeValue millis(double seconds) {
    return TimeValue.milliseconds(Math.max(1, Math.round(seconds * 1000)));
  }

  /** What the benchmark threw, which JMH has among the causes, or among what they suppress. */
  private static IOException cause(Throwable thrown) {
    Throwable last = thrown;
    while (last.getSuppressed().length > 0 || last.getCause() != null) {
      last = last.getSuppressed().length > 0 ? last.getSuppressed()[0] : last.getCause();
    }
    return last instanceof IOException failure ? failure : new IOException(last.toString(), thrown);
  }

  /** Counts the page faults of an iteration that wait for the device. */
  public static final class MajorFaults implements InternalProfiler {
    private long before;

    /** Made by JMH. */
    public MajorFaults() {}

    @Override
    public String getDescription() {
      return "page faults that wait for the device";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
      before = ProcessFigures.majorFaults();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
        BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
      long faults = before < 0 ? before : ProcessFigures.majorFaults() - before;
      return List.of(new ScalarResult(FAULTS, faults, "", AggregationPolicy.SUM));
    }
  }
}
