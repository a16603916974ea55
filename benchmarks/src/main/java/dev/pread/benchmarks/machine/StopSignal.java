/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Makes a flag of Ctrl-C. Long work asks by {@link #check()} often, and its exception has all that
 * was made deleted and what was measured printed in the ordinary way; the JVM's exit waits for that
 * until {@link #close()}. It is thread-safe.
 */
public final class StopSignal implements AutoCloseable {
  /**
   * Winding up takes a table and a few deletions; a defect there must not hold the JVM for ever.
   */
  private static final long MAX_WAIT_SECONDS = 30;

  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Thread hook = new Thread(this::shutdown, "stop-signal");
  private volatile boolean requested;

  /** Follows the JVM's shutdown until it is closed. */
  public StopSignal() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  public void request() {
    requested = true;
  }

  public boolean requested() {
    return requested;
  }

  /** Ends by an exception what nobody waits for any more, once it is time to wind up. */
  public void check() throws IOException {
    if (requested) {
      throw new IOException("stopped");
    }
  }

  private void shutdown() {
    request();
    done.completeOnTimeout(null, MAX_WAIT_SECONDS, TimeUnit.SECONDS).join();
  }

  /** Tells a shutdown under way that all is wound up, and ends the connection to it. */
  @Override
  public void close() {
    done.complete(null);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // Then the hook is what was waiting for this.
    }
  }
}
