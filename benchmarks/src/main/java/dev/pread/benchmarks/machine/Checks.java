/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/** Checks options that several commands have. */
public final class Checks {
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

  /** Checks the length of a file to measure, in bytes, and fills in its default. */
  public static long fileLength(String option, Long named, long otherwise) {
    long length = named == null ? otherwise : named;
    if (length < ByteSize.MEBI || length % ByteSize.MEBI != 0) {
      throw new UserError(option + " is " + length + ": it must be a multiple of 1m");
    }
    return length;
  }
}
