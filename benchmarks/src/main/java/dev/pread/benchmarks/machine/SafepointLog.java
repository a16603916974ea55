/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

/**
 * Reads what a JVM wrote about its safepoints and pauses, as {@link #options} has it written: each
 * line with the time of {@link System#nanoTime()}, so that a stretch of time can be cut out. The
 * time to a safepoint is what all threads wait for the last one; a thread in a page fault cannot be
 * stopped before its page is there, one in a system call need not be.
 */
public final class SafepointLog {
  private static final Pattern REACHING =
      line("Safepoint \"[^\"]*\".* Reaching safepoint: (\\d+) ns,.*");

  /** The pauses of any collector, without the phases of one, which debug levels would add. */
  private static final Pattern PAUSE = line("\\bGC\\(\\d+\\) Pause .* (\\d+\\.\\d+)ms");

  private static final long TICK_MILLIS = 10;

  private SafepointLog() {}

  private static Pattern line(String said) {
    return Pattern.compile("^\\[(\\d{1,18})ns\\].*" + said + "$", Pattern.MULTILINE);
  }

  /**
   * Tells what happened in a stretch of time: how many safepoints, the median, the 99th percentile
   * and the longest of the nanoseconds to reach one, and how long the collector paused.
   */
  public record Summary(
      long count, double p50, double p99, double max, double pauseTotal, double pauseMax) {}

  public static List<String> options(Path file) {
    return List.of(
        // By a thread of its own: a slow disk would hold up whoever writes, and that may be the
        // thread that all others wait for.
        "-Xlog:async", "-Xlog:safepoint,gc:file=\"" + file + "\":timenanos,tags:filecount=0");
  }

  /**
   * Brings this JVM to a safepoint every 10 ms until it is closed, whether or not the collector has
   * work: by asking for a stack trace, for which all threads have to stop. (The option {@code
   * GuaranteedSafepointInterval} does not bring JDK 25 to any.)
   */
  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the ticker.
  public static ExecutorService ticker() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("safepoint-ticker").daemon().factory());
    ticker.scheduleWithFixedDelay(
        () -> threads.getThreadInfo(new long[] {Thread.currentThread().threadId()}, 1),
        TICK_MILLIS,
        TICK_MILLIS,
        TimeUnit.MILLISECONDS);
    return ticker;
  }

  /** Reads what was written about the time between two values of {@link System#nanoTime()}. */
  public static Summary read(Path file, long from, long to) throws IOException {
    // Not readString, since a line may be half written.
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    double[] reaching = figures(REACHING, text, from, to);
    double[] pauses = figures(PAUSE, text, from, to);
    return new Summary(
        reaching.length,
        percentile(reaching, 50),
        percentile(reaching, 99),
        percentile(reaching, 100),
        1e6 * StatUtils.sum(pauses),
        1e6 * percentile(pauses, 100));
  }

  private static double[] figures(Pattern line, String text, long from, long to) {
    return line.matcher(text)
        .results()
        .filter(match -> Long.parseLong(match.group(1)) - from >= 0)
        .filter(match -> Long.parseLong(match.group(1)) - to < 0)
        .mapToDouble(match -> Double.parseDouble(match.group(2)))
        .toArray();
  }

  /** Returns a percentile by the nearest rank; 0 of nothing. */
  private static double percentile(double[] figures, double rank) {
    Percentile ranks = new Percentile(rank).withEstimationType(Percentile.EstimationType.R_1);
    return figures.length == 0 ? 0 : ranks.evaluate(figures);
  }
}
