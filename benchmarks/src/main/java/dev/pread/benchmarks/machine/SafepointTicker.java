/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Brings the JVM to a safepoint every 10 ms, so that the time this takes can be measured whether or
 * not the collector has work: by asking for a stack trace, its own, for which all threads have to
 * stop. (The option {@code GuaranteedSafepointInterval} does not bring JDK 25 to any.)
 */
public final class SafepointTicker implements Closeable {
  private static final long INTERVAL_MILLIS = 10;

  private final Thread thread = new Thread(this::tick, "safepoint-ticker");
  private volatile boolean closed;

  private SafepointTicker() {}

  /** Begins; close it to end it. */
  public static SafepointTicker start() {
    SafepointTicker ticker = new SafepointTicker();
    ticker.thread.setDaemon(true);
    ticker.thread.start();
    return ticker;
  }

  private void tick() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long[] self = {Thread.currentThread().threadId()};
    try {
      while (!closed) {
        Thread.sleep(INTERVAL_MILLIS);
        threads.getThreadInfo(self, 1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
