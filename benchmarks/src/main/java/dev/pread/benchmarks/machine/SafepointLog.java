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
import org.HdrHistogram.Histogram;

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
   * Tells what happened in a stretch of time, in nanoseconds: how long it took to reach each
   * safepoint, and how long each pause of the collector was.
   */
  public record Summary(Histogram reaching, Histogram pauses) {}

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
    return new Summary(
        histogram(REACHING, 1, text, from, to), histogram(PAUSE, 1e6, text, from, to));
  }

  private static Histogram histogram(Pattern line, double nanos, String text, long from, long to) {
    Histogram histogram = new Histogram(3);
    line.matcher(text)
        .results()
        .filter(match -> Long.parseLong(match.group(1)) - from >= 0)
        .filter(match -> Long.parseLong(match.group(1)) - to < 0)
        .mapToDouble(match -> nanos * Double.parseDouble(match.group(2)))
        .forEach(figure -> histogram.recordValue((long) figure));
    return histogram;
  }
}
