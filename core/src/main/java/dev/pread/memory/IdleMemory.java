/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.QuietLog;
import dev.pread.posix.SystemCalls;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Supplier;

/**
 * Gives back memory that nobody uses, now and then: pages of caches in which no block is any more,
 * and, while memory is short, what the C library keeps of its heap.
 *
 * <p>The JVM takes memory from that heap for itself, above all for its compilers. glibc keeps most
 * of what has been freed there, and to the kernel that is memory in use, which no cache may have.
 * It is given back often after the start, when compilers need most, and more and more seldom
 * afterwards, since that may take a while. A thread of its own does it, so that nobody waits but
 * who wants memory of that heap. The JVM does the same with {@code -XX:TrimNativeHeapInterval},
 * which is off by default.
 *
 * <p>One thread uses this class, without the lock of its {@link MemoryGovernor}: nobody waits for
 * this, and there may be many pages.
 */
final class IdleMemory {

  private static final Logger LOGGER = System.getLogger(MemoryGovernor.class.getName());

  /** How many times the first pause after a trim the longest one is, but for a long trim. */
  private static final int LONGEST = 32;

  /** From one trim to the next it is so many times as long as the first of them has taken. */
  private static final int COST = 1000;

  private final SystemCalls calls;
  private final long pauseNanos;

  /** When to give back next, in the time of {@link System#nanoTime}. */
  private long next = System.nanoTime();

  /** The thread of the last trim, or null. What follows is its alone until it has ended. */
  private Thread trimmer;

  private long nextTrim = next;
  private long trimPauseNanos;

  /**
   * Creates it.
   *
   * @param pauseNanos how long to wait until something is given back again
   */
  IdleMemory(SystemCalls calls, long pauseNanos) {
    this.calls = calls;
    this.pauseNanos = pauseNanos;
    this.trimPauseNanos = pauseNanos;
  }

  /**
   * Gives back what nobody uses, if it is time to. It throws nothing: its thread has to go on.
   *
   * @param caches returns those that there are; it is asked only then
   */
  void giveBackIfDue(Supplier<List<ElasticCache>> caches) {
    if (System.nanoTime() - next < 0) {
      return;
    }
    try {
      boolean isShort = false;
      for (ElasticCache cache : caches.get()) {
        isShort |= cache.slots().isShortOfMemory();
        giveBack(cache);
      }
      if (isShort) {
        trimIfDue();
      }
    } catch (RuntimeException | Error e) {
      log(e);
    }
    next = System.nanoTime() + pauseNanos;
  }

  private static void giveBack(ElasticCache cache) {
    try {
      cache.returnIdle();
    } catch (RuntimeException | Error e) {
      // The others may do better.
      log(e);
    }
  }

  private void trimIfDue() {
    boolean isBusy = trimmer != null && trimmer.isAlive();
    if (!isBusy && System.nanoTime() - nextTrim >= 0) {
      trimmer = new Thread(null, this::trim, "lucene-pread-trim", 0, false);
      trimmer.setDaemon(true);
      trimmer.start();
    }
  }

  private void trim() {
    try {
      long now = System.nanoTime();
      // Where the C library has no such function, there is nothing to be done about it.
      int ignored = calls.mallocTrim();
      nextTrim = now + Math.max(trimPauseNanos, COST * (System.nanoTime() - now));
      trimPauseNanos = Math.min(2 * trimPauseNanos, LONGEST * pauseNanos);
    } catch (RuntimeException | Error e) {
      log(e);
    }
  }

  private static void log(Throwable cause) {
    QuietLog.log(
        LOGGER, Level.DEBUG, cause, () -> "memory that nobody uses could not be given back");
  }
}
