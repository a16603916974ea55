/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.scenario;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.OpenLoop;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.Closeable;
import java.io.IOException;

/**
 * A scenario at work on one index. A phase is {@link #begin}, requests of many threads, {@link
 * #end}, {@link #verify}; there may be several. Everything but the requests is one thread's.
 */
interface Work extends Closeable {

  /**
   * Begins a phase.
   *
   * @param phase of which it draws keys of its own
   */
  OpenLoop.Request begin(int phase) throws IOException;

  /** Ends it: makes what was written durable, which is part of what is measured. */
  void end() throws IOException, UserError, HitMismatch;

  /** Checks what the phase left, if that was not checked on the way. */
  void verify() throws IOException, HitMismatch;

  /** Documents read or written by the requests of the phase. */
  long docs();

  /** Bytes of their texts. */
  long bytes();

  /** Bytes of texts that a writer beside the requests has written, from the beginning on. */
  long besideBytes();
}
