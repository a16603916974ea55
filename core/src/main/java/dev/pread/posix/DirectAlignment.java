/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * What {@link Posix#directAlignment} tells of an open descriptor: the multiples that transfers of
 * direct I/O have to keep to. Both are 0 where the file can't be read or written directly.
 *
 * <p>An out-parameter as in C, not thread-safe.
 */
public final class DirectAlignment {

  private int memory;
  private int offset;

  /** Creates an empty one, to be filled by {@link Posix#directAlignment}. */
  public DirectAlignment() {}

  /** Fills in both values; called by backends. */
  public void set(int memory, int offset) {
    this.memory = memory;
    this.offset = offset;
  }

  /** {@code stx_dio_mem_align}: of the addresses of the caller's memory, in bytes. */
  public int memory() {
    return memory;
  }

  /** {@code stx_dio_offset_align}: of positions in the file and of lengths, in bytes. */
  public int offset() {
    return offset;
  }

  @Override
  public String toString() {
    return "DirectAlignment(memory=" + memory + ", offset=" + offset + ")";
  }
}
