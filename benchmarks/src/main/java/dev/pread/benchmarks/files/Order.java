/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.util.Locale;

/** Where the reads of one operation are. */
enum Order {
  /** Each somewhere else. */
  RANDOM,
  /** The first one somewhere, the others right behind it. */
  SEQUENTIAL,
  /** Right behind those of the operation before: the whole file in a row, again and again. */
  FILE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
