/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.measure.HitMismatch;
import java.io.IOException;

/**
 * What a child JVM measures: a record, so that it travels as JSON, as its result does.
 *
 * @param <T> the result, a record too
 */
interface ChildTask<T> {

  /** What {@link ChildCommand} knows it by. */
  String taskName();

  /** Of what {@link #run()} returns. */
  Class<T> resultType();

  /** Measures. Everything it throws ends the child. */
  T run() throws IOException, UserError, HitMismatch;
}
