/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import java.util.Locale;

/** Where the reads of one operation are. */
enum Order {
  /** Each somewhere else. */
  RANDOM,
  /** The first one somewhere, the others right behind it. */
  SEQUENTIAL;

  /** As reports and command lines have it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Order labelled(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
