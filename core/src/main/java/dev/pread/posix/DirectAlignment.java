/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Holds what {@link SystemCalls#directAlignment} reports about an open descriptor: the alignment
 * that direct I/O requires. Both values are 0 if the file can't be read or written directly.
 *
 * <p>This is an out-parameter as in C, and is not thread-safe.
 */
public final class DirectAlignment {

  private int memory;
  private int offset;

  /** Creates an empty instance, to be filled in by {@link SystemCalls#directAlignment}. */
  DirectAlignment() {}

  /** Fills in both values; backends call this. */
  public void set(int memory, int offset) {
    this.memory = memory;
    this.offset = offset;
  }

  /** Returns the alignment of the caller's memory addresses in bytes, {@code stx_dio_mem_align}. */
  public int memory() {
    return memory;
  }

  /** Returns the alignment of file positions and lengths in bytes, {@code stx_dio_offset_align}. */
  public int offset() {
    return offset;
  }

  @Override
  public String toString() {
    return "DirectAlignment(memory=" + memory + ", offset=" + offset + ")";
  }
}
