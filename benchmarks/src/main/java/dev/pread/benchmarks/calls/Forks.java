/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH one fork at a time, so that contenders can take turns, and ends its process as soon as
 * the run is stopped, which JMH by itself does not. One thread.
 */
final class Forks {
  private static final long POLL_MILLIS = 50;

  static {
    // It keeps out other JMH processes by a file that it then leaves among the temporary ones.
    System.setProperty("jmh.ignoreLock", "true");
  }

  private Forks() {}

  /**
   * Runs all iterations of one benchmark with one set of parameters in one fork.
   *
   * @return the score of each measured iteration; null if stopped
   * @throws HitMismatch if the benchmark fails; with what it says
   */
  static List<Double> run(ChainedOptionsBuilder options, StopSignal stop)
      throws IOException, HitMismatch, UserError {
    if (stop.requested()) {
      return null;
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Options built =
        options
            .forks(1)
            .shouldFailOnError(true)
            .jvmArgsAppend("--enable-native-access=ALL-UNNAMED")
            .build();
    FutureTask<Collection<RunResult>> task =
        new FutureTask<>(
            () ->
                new Runner(
                        built,
                        OutputFormatFactory.createFormatInstance(
                            new PrintStream(said, true, StandardCharsets.UTF_8),
                            VerboseMode.NORMAL))
                    .run());
    Set<ProcessHandle> others = ProcessHandle.current().children().collect(Collectors.toSet());
    Thread thread = new Thread(task, "jmh");
    thread.setDaemon(true);
    thread.start();
    try {
      return scores(await(task, stop, others));
    } catch (ExecutionException e) {
      if (stop.requested()) {
        return null;
      }
      if (e.getCause() instanceof RunnerException) {
        throw new HitMismatch(
            "the benchmark failed: " + said.toString(StandardCharsets.UTF_8).strip(), e.getCause());
      }
      throw new IOException("JMH failed", e.getCause());
    } catch (InterruptedException e) {
      killAllBut(others);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    }
  }

  private static Collection<RunResult> await(
      FutureTask<Collection<RunResult>> task, StopSignal stop, Set<ProcessHandle> others)
      throws ExecutionException, InterruptedException {
    while (true) {
      if (stop.requested()) {
        killAllBut(others);
      }
      try {
        return task.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException notYet) {
        // Look at the signal again.
      }
    }
  }

  /** Their command lines tell nothing where the class path is long. */
  private static void killAllBut(Set<ProcessHandle> others) {
    ProcessHandle.current()
        .children()
        .filter(child -> !others.contains(child))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static List<Double> scores(Collection<RunResult> results) {
    List<Double> scores = new ArrayList<>();
    for (RunResult result : results) {
      for (BenchmarkResult fork : result.getBenchmarkResults()) {
        for (IterationResult iteration : fork.getIterationResults()) {
          scores.add(iteration.getPrimaryResult().getScore());
        }
      }
    }
    return scores;
  }
}
