/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs a process to its end, inside a memory cgroup if there is to be a limit. It is killed when
 * the run is stopped, when the thread is interrupted, or when it takes too long; its standard input
 * stays open until then, so that it can see its parent die.
 */
public final class LimitedProcess {
  private static final long POLL_MILLIS = 50;

  private LimitedProcess() {}

  /** Says how a process ended: {@code exit} is 128 and the number of a signal if that ended it. */
  public record Ended(int exit, String out, String err, Usage usage) {}

  /** Holds what a cgroup counted, page cache included; -1 stands for what is unknown. */
  public record Usage(long peakBytes, long oomKills) {}

  /**
   * Runs a command to its end, and returns null if it is stopped before.
   *
   * @param group to run in, or null
   * @param stopped is asked all the time
   */
  public static Ended run(
      List<String> command, MemoryCgroup group, double maxSeconds, BooleanSupplier stopped)
      throws IOException {
    List<String> words = new ArrayList<>(group == null ? List.of() : group.prefix());
    words.addAll(command);
    Process process = new ProcessBuilder(words).start();
    try {
      // Read at the same time: a talkative process would wait for ever.
      CompletableFuture<String> out = reader(process.getInputStream());
      CompletableFuture<String> err = reader(process.getErrorStream());
      if (!await(process, maxSeconds, stopped)) {
        return null;
      }
      if (group != null && process.exitValue() == MemoryCgroup.CANNOT_JOIN) {
        throw new IOException("cannot join the cgroup " + group.path() + ": " + err.join());
      }
      Usage usage =
          group == null ? new Usage(-1, -1) : new Usage(group.peakBytes(), group.oomKills());
      return new Ended(process.exitValue(), out.join(), err.join(), usage);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + command.get(0) + " ran", e);
    } finally {
      process.destroyForcibly().onExit().join();
    }
  }

  private static boolean await(Process process, double maxSeconds, BooleanSupplier stopped)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      if ((System.nanoTime() - start) / 1e9 > maxSeconds) {
        throw new IOException(
            "process " + process.pid() + " hangs: killed after " + Math.round(maxSeconds) + " s");
      }
    }
    // A terminal sends Ctrl-C to all of us: the process may be gone before the signal is here.
    if (process.exitValue() != 0) {
      Thread.sleep(10 * POLL_MILLIS);
    }
    return !stopped.getAsBoolean();
  }

  private static CompletableFuture<String> reader(InputStream in) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException closed) {
            return "";
          }
        },
        task -> Thread.ofPlatform().name("process-output").daemon().start(task));
  }
}
