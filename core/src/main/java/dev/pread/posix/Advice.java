/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * The advice of {@link SystemCalls#fadvise}, named as in {@code posix_fadvise(2)}. Which file gets
 * which, and what a new hint of Lucene means, is decided by {@code LuceneContext} and {@code
 * ReadPlan} in {@code dev.pread.store}.
 */
public enum Advice {
  /** {@code POSIX_FADV_NORMAL}: the kernel's own read-ahead, for the whole descriptor. */
  NORMAL(0),
  /** {@code POSIX_FADV_RANDOM}: no read-ahead, for the whole descriptor. */
  RANDOM(1),
  /** {@code POSIX_FADV_SEQUENTIAL}: doubled read-ahead, for the whole descriptor. */
  SEQUENTIAL(2),
  /** {@code POSIX_FADV_WILLNEED}: starts to read the range and returns at once. */
  WILLNEED(3),
  /**
   * {@code POSIX_FADV_DONTNEED}: drops the clean pages of the range from the page cache. Linux
   * begins to write the others to the device, and does not wait for that.
   */
  DONTNEED(4);

  private final int number;

  Advice(int number) {
    this.number = number;
  }

  /** Returns the number that Linux knows it by, on x86-64 and aarch64. */
  public int number() {
    return number;
  }
}
