/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.util.Locale;

/** Says where the reads of one operation are. */
enum Order {
  /** Each read is somewhere else. */
  RANDOM,
  /** The first read is somewhere, and the others come right behind it. */
  SEQUENTIAL,
  /**
   * The reads come right behind those of the operation before: the whole file in a row, again and
   * again.
   */
  FILE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
