/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Tells how far a long step has come, by a line every few seconds, and ends it when the run is
 * being stopped. Steps come one after another. It is thread-safe. A library's bar ({@code
 * me.tongfei:progressbar}) draws from a thread of its own, also while something else is printed,
 * and has to be told what is a terminal and what a log.
 */
public final class Progress {
  private static final long INTERVAL_NANOS = 5_000_000_000L;

  private final PrintWriter out;
  private final StopSignal stop;
  private String step = "";
  private long started;
  private long nextShown;

  public Progress(PrintWriter out, StopSignal stop) {
    this.out = out;
    this.stop = stop;
  }

  public synchronized void start(String name) {
    step = name;
    started = System.nanoTime();
    nextShown = started + INTERVAL_NANOS;
  }

  /**
   * Tells which fraction is done, with a few words more.
   *
   * @throws IOException if the run is being stopped
   */
  public synchronized void update(double fraction, String detail) throws IOException {
    stop.check();
    if (System.nanoTime() - nextShown >= 0) {
      nextShown = System.nanoTime() + INTERVAL_NANOS;
      double seconds = (System.nanoTime() - started) / 1e9;
      String left =
          fraction > 0.01
              ? String.format(Locale.ROOT, ", %.0f s left", seconds * (1 - fraction) / fraction)
              : "";
      String shown = String.format(Locale.ROOT, "%3.0f %%  %.0f s", 100 * fraction, seconds);
      out.println(step + " " + shown + left + "  " + detail);
      out.flush();
    }
  }

  public synchronized void finish(String result) {
    double seconds = (System.nanoTime() - started) / 1e9;
    out.println(result + String.format(Locale.ROOT, " in %.1f s", seconds));
    out.flush();
  }
}
