/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

/** What is called. */
enum CallKind {
  STAT("stat"),
  OPEN_FSTAT_CLOSE("open+fstat+close"),
  FSTAT("fstat"),
  PREAD_8("pread 8 B"),
  PREAD_8192("pread 8 KiB");

  private final String text;

  CallKind(String text) {
    this.text = text;
  }

  /** As reports name it. */
  String text() {
    return text;
  }

  /** Bytes of a read. */
  int bytes() {
    return this == PREAD_8 ? 8 : 8192;
  }
}
