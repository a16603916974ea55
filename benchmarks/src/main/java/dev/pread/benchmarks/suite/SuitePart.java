/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import java.io.IOException;
import picocli.CommandLine.Command;

/** A part of the suite with its options: everything it needs besides the session. */
public interface SuitePart {
  /** Returns what its cells are listed under: the name of its command. */
  default String name() {
    return getClass().getAnnotation(Command.class).name();
  }

  /** Checks its options, and fills in defaults. */
  default void check(SuiteOptions options) {}

  /**
   * Measures, and records each figure as soon as it is known; returns early if the session is
   * stopped. What cannot be had here is recorded as skipped; a wrong byte or answer ends it by an
   * exception. The frame looks for figures that cannot be true.
   */
  void measure(Session session) throws IOException;
}
