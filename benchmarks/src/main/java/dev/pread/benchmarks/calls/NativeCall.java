/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import java.io.Closeable;
import java.io.IOException;

/** Something to be called over and over by one thread; it owns what it needs. */
interface NativeCall extends Closeable {

  /**
   * Calls.
   *
   * @return something of the result, so that no compiler leaves the call out
   * @throws IOException if the result is not what it has to be
   */
  long call() throws IOException;

  @Override
  default void close() throws IOException {}
}
