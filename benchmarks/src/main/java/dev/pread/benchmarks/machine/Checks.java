/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/** Checks options that several commands have. */
public final class Checks {
  private Checks() {}

  /** Checks the length of a file to measure, in bytes, and fills in its default. */
  public static long fileLength(String option, Long named, long otherwise) {
    long length = named == null ? otherwise : named;
    if (length < ByteSize.MEBI || length % ByteSize.MEBI != 0) {
      throw new UserError(option + " is " + length + ": it must be a multiple of 1m");
    }
    return length;
  }
}
