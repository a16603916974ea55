/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Measures in a child JVM; a record, as its result is, so that both travel as JSON. */
public interface ChildTask<T> {
  /** Returns what messages call it. */
  default String taskName() {
    return getClass().getSimpleName().replace("Task", "").toLowerCase(Locale.ROOT);
  }

  /** Returns further options of its JVM. */
  default List<String> jvmOptions() {
    return List.of();
  }

  /** Measures in the child. */
  T run() throws IOException;
}
