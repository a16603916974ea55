/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.function.LongSupplier;

/** Makes backends for which a test says what time it is, and what the process may have. */
public final class TimedBackend {

  private TimedBackend() {}

  /**
   * Makes one.
   *
   * @param nanoTime as {@link System#nanoTime} has it
   */
  public static Backend of(SystemCalls calls, LongSupplier nanoTime) {
    return of(calls, nanoTime, ProcessLimits.UNKNOWN);
  }

  /**
   * Makes one of a process that may have so many descriptors.
   *
   * @param nanoTime as {@link System#nanoTime} has it
   */
  public static Backend of(SystemCalls calls, LongSupplier nanoTime, long descriptors) {
    return new Backend(calls, nanoTime, descriptors);
  }
}
