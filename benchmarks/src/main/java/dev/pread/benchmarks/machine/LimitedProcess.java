/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a process inside a memory cgroup from its first page on: a shell joins the group and then
 * becomes the process. The process is killed when the run is stopped, when the thread is
 * interrupted, or when it takes too long; its standard input stays open until then, so that it can
 * see its parent die.
 */
public final class LimitedProcess {
  /** What the shell ends with if it may not join: no program of ours does. */
  private static final int CANNOT_JOIN = 97;

  private static final long POLL_MILLIS = 50;

  private LimitedProcess() {}

  /** How a process ended: by 128 and its number if that was a signal. */
  public record Ended(int exit, String out, String err, Usage usage) {}

  /** Holds what a cgroup counted, page cache included; -1 stands for what is unknown. */
  public record Usage(long peakBytes, long oomKills) {}

  /** Runs a command to its end, in a group that may be null; returns null if stopped before. */
  public static Ended run(
      List<String> command, MemoryCgroup group, double maxSeconds, StopSignal stop)
      throws IOException {
    Process process = new ProcessBuilder(within(group, command)).start();
    try {
      // Read at the same time: a talkative process would wait for ever.
      CompletableFuture<String> out = reader(process.getInputStream());
      CompletableFuture<String> err = reader(process.getErrorStream());
      if (!await(process, maxSeconds, stop)) {
        return null;
      }
      if (group != null && process.exitValue() == CANNOT_JOIN) {
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

  /** Returns the command that runs another inside a group, which may be null. */
  public static List<String> within(MemoryCgroup group, List<String> command) {
    List<String> words = new ArrayList<>(command);
    if (group != null) {
      String join = "echo $$ > \"$0\" || exit " + CANNOT_JOIN + "; exec \"$@\"";
      words.addAll(0, List.of("sh", "-c", join, group.procs().toString()));
    }
    return words;
  }

  private static boolean await(Process process, double maxSeconds, StopSignal stop)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      if (stop.requested()) {
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
    return !stop.requested();
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
