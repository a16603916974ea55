/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.machine.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;

/**
 * One fork of JMH in a memory cgroup of its own, which is killed when the run is stopped or when it
 * takes too long. One at a time.
 */
final class GridFork {
  private static final long POLL_MILLIS = 50;
  private static final long KILL_SECONDS = 10;

  private final Path folder;
  private final long memory;
  private final StopSignal stop;

  /**
   * @param folder for files of its own
   * @param memory limit in bytes; 0 for none
   */
  GridFork(Path folder, long memory, StopSignal stop) {
    this.folder = folder;
    this.memory = memory;
    this.stop = stop;
  }

  /**
   * How it ended.
   *
   * @param opsPerMs of each measured iteration; empty if it failed
   * @param iterations what JMH does not count of them
   * @param peakBytes of the cgroup; -1 if unknown
   * @param oomKills in the cgroup; -1 if unknown
   * @param failure what went wrong; null if nothing did
   */
  record Ended(
      List<Double> opsPerMs,
      List<IterationLog.Iteration> iterations,
      long peakBytes,
      long oomKills,
      Failure failure) {}

  /**
   * What went wrong.
   *
   * @param said what JMH and the fork said of it
   * @param cause what JMH threw
   */
  record Failure(String said, Throwable cause) {}

  /** Where a fork writes its log of iterations. */
  Path log() {
    return folder.resolve("log");
  }

  /**
   * Runs it.
   *
   * @param options with everything but the JVM
   * @param maxSeconds after which it counts as hanging
   * @param progress told of each iteration
   * @return null if stopped
   * @throws IOException if it hangs, or no cgroup can be made
   */
  Ended run(ChainedOptionsBuilder options, double maxSeconds, Consumer<String> progress)
      throws IOException {
    if (memory == 0) {
      return run(options, maxSeconds, progress, null);
    }
    try (MemoryCgroup group = MemoryCgroup.create(memory)) {
      return run(options, maxSeconds, progress, group);
    } catch (UnavailableException e) {
      throw new IOException("no further memory cgroup", e); // One was made at the beginning.
    }
  }

  private Ended run(
      ChainedOptionsBuilder options,
      double maxSeconds,
      Consumer<String> progress,
      MemoryCgroup group)
      throws IOException {
    // Who keeps a second JMH away keeps away other users of this machine, too.
    System.setProperty("jmh.ignoreLock", "true");
    ForkScript script = ForkScript.write(folder, group == null ? null : group.procs());
    try {
      Files.deleteIfExists(log());
      options.jvm(script.path().toString());
      QuietFormat format = new QuietFormat(progress);
      Running running = new Running(new Runner(options.build(), format));
      running.start();
      if (!await(running, script, maxSeconds)) {
        return null;
      }
      long peak = group == null ? -1 : group.peakBytes();
      long kills = group == null ? -1 : group.oomKills();
      if (running.thrown != null) {
        Failure failure = new Failure(format.said(), running.thrown);
        return new Ended(List.of(), List.of(), peak, kills, failure);
      }
      return new Ended(scores(running.results), IterationLog.measured(log()), peak, kills, null);
    } finally {
      script.delete();
    }
  }

  /** JMH, which knows no way to be stopped but the end of its fork. */
  private static final class Running extends Thread {
    private final Runner runner;
    private volatile Collection<RunResult> results;
    private volatile Throwable thrown;

    Running(Runner runner) {
      super("jmh");
      this.runner = runner;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        results = runner.run();
      } catch (RunnerException | RuntimeException | Error e) {
        thrown = e;
      }
    }
  }

  /** Whether it came to its end, good or bad, without being stopped. */
  private boolean await(Running running, ForkScript script, double maxSeconds) throws IOException {
    long start = System.nanoTime();
    try {
      while (true) {
        running.join(POLL_MILLIS);
        if (!running.isAlive()) {
          break;
        }
        if (stop.requested()) {
          kill(running, script);
          return false;
        }
        if ((System.nanoTime() - start) / 1e9 > maxSeconds) {
          kill(running, script);
          throw new IOException("a fork hangs: killed after " + Math.round(maxSeconds) + " s");
        }
      }
      // A terminal sends Ctrl-C to the whole group: the fork may be gone before the signal is here.
      if (running.thrown != null) {
        Thread.sleep(10 * POLL_MILLIS);
      }
      return !stop.requested();
    } catch (InterruptedException e) {
      kill(running, script);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a fork ran", e);
    }
  }

  /** Kills the fork again and again: it may be about to start. */
  private static void kill(Running running, ForkScript script) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(KILL_SECONDS);
    boolean interrupted = Thread.interrupted();
    while (running.isAlive() && System.nanoTime() - deadline < 0) {
      script
          .processId()
          .ifPresent(
              id ->
                  ProcessHandle.current()
                      .children()
                      .filter(child -> child.pid() == id)
                      .forEach(ProcessHandle::destroyForcibly));
      try {
        running.join(POLL_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Double> scores(Collection<RunResult> results) {
    return results.stream()
        .flatMap(run -> run.getBenchmarkResults().stream())
        .map(BenchmarkResult::getIterationResults)
        .flatMap(Collection::stream)
        .map(IterationResult::getPrimaryResult)
        .map(result -> result.getScore())
        .toList();
  }
}
