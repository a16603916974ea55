/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C as a flag. Long work asks {@link #requested()} often and winds up in the ordinary way when
 * it is set, printing what it has and deleting what it made; the JVM's exit waits for that until
 * {@link #close()}. Thread-safe.
 */
public final class StopSignal implements AutoCloseable {
  /**
   * Winding up takes a table and a few deletions; a defect there must not hold the JVM for ever.
   */
  private static final long MAX_WAIT_SECONDS = 30;

  private final CountDownLatch done = new CountDownLatch(1);
  private volatile boolean requested;
  private Thread hook;

  private StopSignal() {}

  /** A signal that follows the JVM's shutdown until it is closed. */
  public static StopSignal ofShutdown() {
    StopSignal signal = new StopSignal();
    signal.hook = new Thread(signal::shutdown, "stop-signal");
    Runtime.getRuntime().addShutdownHook(signal.hook);
    return signal;
  }

  /** Sets the flag. */
  public void request() {
    requested = true;
  }

  /** Whether to wind up. */
  public boolean requested() {
    return requested;
  }

  private void shutdown() {
    request();
    try {
      if (!done.await(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("could not clean up in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells a shutdown under way that all is wound up, and ends the connection to it. */
  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook is what was waiting for this.
    }
  }
}
