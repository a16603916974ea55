/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.load;

import org.HdrHistogram.Histogram;

/** How long requests took, in nanoseconds, to three digits. */
public final class Latencies {
  private static final int DIGITS = 3;

  private Latencies() {}

  /** An empty histogram that grows as it has to; one thread. */
  public static Histogram histogram() {
    return new Histogram(DIGITS);
  }
}
