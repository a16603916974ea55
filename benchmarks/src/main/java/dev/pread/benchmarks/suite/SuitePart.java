/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.suite;

import dev.pread.benchmarks.HitMismatch;
import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** A part of the suite with its options: everything it needs besides the session. */
public interface SuitePart {

  /** What its cells are listed under, and its command. */
  String name();

  /**
   * Checks its options, and fills in defaults.
   *
   * @param options of the run
   */
  default void check(SuiteOptions options) throws UserError {}

  /** Its own settings, for the report of a run of several parts. */
  default Map<String, Object> settings() {
    return SuiteCommand.settings(CommandSpec.forAnnotatedObjectLenient(this));
  }

  /**
   * Measures, and records each figure as soon as it is known; returns early if the session is
   * stopped. What cannot be had here is recorded as skipped.
   *
   * @throws HitMismatch if a contender returned wrong bytes or answers
   * @throws ImplausibleResult if a figure cannot be true
   */
  void measure(Session session) throws IOException, UserError, HitMismatch, ImplausibleResult;
}
