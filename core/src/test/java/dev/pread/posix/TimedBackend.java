/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.function.LongSupplier;

/** Makes backends for which a test says what time it is. */
public final class TimedBackend {

  private TimedBackend() {}

  /**
   * Makes one.
   *
   * @param nanoTime as {@link System#nanoTime} has it
   */
  public static Backend of(SystemCalls calls, LongSupplier nanoTime) {
    return new Backend(calls, nanoTime);
  }
}
