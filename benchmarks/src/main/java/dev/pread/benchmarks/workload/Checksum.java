/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.workload;

/**
 * Folds an answer into 64 bits, in order. Cheap enough to be part of every measured query, so that
 * every answer is checked and not only the first. Used by one thread.
 */
public final class Checksum {
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private long state = 1;

  /** An empty checksum. */
  public Checksum() {}

  /** Folds one value in. */
  public void add(long value) {
    long mixed = (state ^ value) * MULTIPLIER;
    state = mixed ^ (mixed >>> 32);
  }

  /** All that was folded in. */
  public long value() {
    return state;
  }
}
