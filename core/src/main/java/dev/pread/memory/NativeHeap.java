/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.SystemCalls;

/**
 * The heap of the C library, from which the JVM takes memory for itself, above all for its
 * compilers. glibc keeps most of what has been freed there, and to the kernel that is memory in
 * use, which no cache may have. While memory is short it is given back now and then: often after
 * the start, when compilers need most, and more and more seldom afterwards, since it takes
 * milliseconds.
 *
 * <p>The JVM does the same with {@code -XX:TrimNativeHeapInterval}, which is off by default. One
 * thread uses this class.
 */
final class NativeHeap {

  private static final int LONGEST_PAUSE = 32;

  private final SystemCalls calls;

  /** How many calls have to pass until the next one that gives something back, and then again. */
  private int left = 1;

  private int pause = 1;

  NativeHeap(SystemCalls calls) {
    this.calls = calls;
  }

  /** Gives back what has been freed, if that was not done just before. */
  void returnFreed() {
    left--;
    if (left == 0) {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      left = pause;
      // Where the C library has no such function, there is nothing to be done about it.
      int ignored = calls.mallocTrim();
    }
  }
}
