/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.SystemCalls;

/**
 * The heap of the C library, from which the JVM takes memory for itself, above all for its
 * compilers. glibc keeps most of what has been freed there, and to the kernel that is memory in
 * use, which no cache may have. While memory is short it is given back now and then: often after
 * the start, when compilers need most, and more and more seldom afterwards, since it takes a while.
 *
 * <p>The JVM does the same with {@code -XX:TrimNativeHeapInterval}, which is off by default. One
 * thread uses this class.
 */
final class NativeHeap {

  /** How many times the first pause the longest one is, but for those after a long call. */
  private static final int LONGEST = 32;

  /** A call and the pause after it are so many times as long as the call at least. */
  private static final int COST = 1000;

  private final SystemCalls calls;
  private final long longestNanos;
  private long pauseNanos;

  /** When to give back next, in the time of {@link System#nanoTime}. */
  private long next = System.nanoTime();

  /**
   * Creates it.
   *
   * @param pauseNanos how long to wait after the first time; it is twice as long after each further
   *     one
   */
  NativeHeap(SystemCalls calls, long pauseNanos) {
    this.calls = calls;
    this.longestNanos = LONGEST * pauseNanos;
    this.pauseNanos = pauseNanos;
  }

  /** Gives back what has been freed, unless that was done not long ago. */
  void returnFreed() {
    long now = System.nanoTime();
    if (now - next >= 0) {
      // Where the C library has no such function, there is nothing to be done about it.
      int ignored = calls.mallocTrim();
      next = now + Math.max(pauseNanos, COST * (System.nanoTime() - now));
      pauseNanos = Math.min(2 * pauseNanos, longestNanos);
    }
  }
}
