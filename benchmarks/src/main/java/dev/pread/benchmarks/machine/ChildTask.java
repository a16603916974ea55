/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Measures in a child JVM; it is a record, so that it travels as JSON, as its result does.
 *
 * @param <T> the result, a record too
 */
public interface ChildTask<T> {

  /** Returns what messages call it; by default, as its class is called. */
  default String taskName() {
    return getClass().getSimpleName().replace("Task", "").toLowerCase(Locale.ROOT);
  }

  /** Returns further options of its JVM, such as those of a log that it reads. */
  default List<String> jvmOptions() {
    return List.of();
  }

  /** Measures. Everything it throws ends the child. */
  T run() throws IOException;
}
