/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.nio.file.Files;
import java.nio.file.Path;

/** Checks options that several commands have. */
public final class Checks {
  private static final long MEBI = 1L << 20;

  private Checks() {}

  public static void positive(String option, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new UserError(option + " is " + value + ": it must be greater than 0");
    }
  }

  public static void notNegative(String option, double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new UserError(option + " is " + value + ": it must not be negative");
    }
  }

  /**
   * Checks the length of a file to measure, and fills in its default.
   *
   * @param named in bytes; null if the option was not given
   * @param otherwise what it is then
   * @throws UserError if it is no multiple of 1 MiB
   */
  public static long fileLength(String option, Long named, long otherwise) {
    long length = named == null ? otherwise : named;
    if (length < MEBI || length % MEBI != 0) {
      throw new UserError(option + " is " + length + ": it must be a multiple of 1m");
    }
    return length;
  }

  /** Checks that a file can be made there, or written over. */
  public static void writable(String option, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder)) {
      throw new UserError(
          option + " " + file + " cannot be written: name a file in a folder of yours");
    }
  }
}
