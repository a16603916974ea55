/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Finds out how much memory the heap of this JVM may still take from the system: what it has
 * reserved and not touched yet. That is never lent, since the heap takes it without asking. It is
 * not thread-safe.
 */
final class HeapGrowth {

  private final Runtime runtime = Runtime.getRuntime();
  private final boolean isTouched = isTouchedAtStart();

  /** The most that has been in use at a time, and so has been touched. */
  private long touched;

  private static boolean isTouchedAtStart() {
    try {
      return isTouchedAtStart(ManagementFactory.getRuntimeMXBean().getInputArguments());
    } catch (SecurityException | LinkageError e) {
      // Nobody may ask, or a small runtime has left out what would tell.
      return false;
    }
  }

  /**
   * Returns whether a JVM with these options touches its heap at the start: the last one counts.
   */
  static boolean isTouchedAtStart(List<String> options) {
    return options.lastIndexOf("-XX:+AlwaysPreTouch") > options.lastIndexOf("-XX:-AlwaysPreTouch");
  }

  /** Returns the number of bytes that the heap may still take. */
  long bytes() {
    long committed = runtime.totalMemory();
    return bytes(runtime.maxMemory(), committed, isTouched ? 0 : runtime.freeMemory());
  }

  /**
   * Returns the same for a heap of which so many bytes are committed, and so many of these free.
   */
  long bytes(long max, long committed, long free) {
    touched = Math.min(committed, Math.max(touched, committed - free));
    return Math.max(0, max - touched);
  }
}
