/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Shows how far a long step has come, by a line that is written again in its place on a terminal;
 * elsewhere, as under a build tool or in a log, a further line every few seconds. Steps are shown
 * one after another. Thread-safe, and cheap enough to be told of every small piece of work. It is
 * no progress bar of a library: {@code me.tongfei:progressbar} draws from a thread of its own, also
 * while something else is printed, and leaves it to its caller to know a terminal from a log and to
 * ask for plain lines there, which is most of what this class does.
 */
public final class Progress {
  /** Goes to the beginning of the terminal's line and empties it. */
  private static final String WIPE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private final long interval;
  private String within = "";
  private String step = "";
  private long started;
  private volatile long nextShown = System.nanoTime();

  /** Writes to the given writer, in place if that is a terminal. */
  public Progress(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    this.interval = terminal ? 200_000_000L : 5_000_000_000L;
  }

  /**
   * Returns whether standard error of this process is a terminal; false where there is no {@code
   * /proc}.
   */
  public static boolean onTerminal() {
    // Not System.console(), which tells this from Java 22 on only.
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException unknown) {
      return false;
    }
  }

  /** Puts words before the names of all steps that follow. */
  public synchronized void within(String words) {
    within = words;
  }

  /** Begins a step; what was shown of the one before goes away. */
  public synchronized void start(String name) {
    wipe();
    step = within + name;
    started = System.nanoTime();
    nextShown = terminal ? started : started + interval;
    update(0, "");
  }

  /**
   * Tells how far the step has come.
   *
   * @param fraction done, between 0 and 1
   * @param detail a few words more
   */
  public void update(double fraction, String detail) {
    if (System.nanoTime() - nextShown >= 0) {
      show(fraction, detail);
    }
  }

  private synchronized void show(double fraction, String detail) {
    if (System.nanoTime() - nextShown < 0) {
      return; // Another thread was faster.
    }
    nextShown = System.nanoTime() + interval;
    double seconds = seconds();
    String left =
        fraction > 0.01 && fraction < 1
            ? String.format(Locale.ROOT, ", %.0f s left", seconds * (1 - fraction) / fraction)
            : "";
    String line =
        String.format(
            Locale.ROOT, "%s %3.0f %%  %.0f s%s  %s", step, 100 * fraction, seconds, left, detail);
    out.print(terminal ? WIPE + line : line + System.lineSeparator());
    out.flush();
  }

  /** Ends the step with one line that stays. */
  public synchronized void finish(String result) {
    wipe();
    out.println(result + String.format(Locale.ROOT, " in %.1f s", seconds()));
    out.flush();
  }

  /** Takes an unfinished line off the terminal, so that something else can be printed. */
  public synchronized void wipe() {
    out.print(terminal ? WIPE : "");
    out.flush();
  }

  private double seconds() {
    return (System.nanoTime() - started) / 1e9;
  }
}
