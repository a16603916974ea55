/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.util.Locale;

/**
 * The caches of directories that were not given one: one for each kind of directory in the process,
 * made when first asked for, never closed. Memory that no block is in is not taken from the system.
 */
final class DefaultCaches {

  /** The system property that sets the size of each, bytes, with or without k, m or g. */
  static final String PROPERTY = "dev.pread.cache.bytes";

  /** The system property that sets their block size, in the same way. */
  static final String BLOCK_SIZE_PROPERTY = "dev.pread.cache.block.bytes";

  /** Where the memory of the machine is not known. */
  private static final long FALLBACK = 64L << 20;

  private static final long SMALLEST = 8L << 20;

  /** Beside the page cache, which has what does not fit, more is seldom better spent here. */
  private static final long LARGEST_BUFFERED = 1L << 30;

  private DefaultCaches() {}

  private static final class Buffered {
    static final BlockCache CACHE = cache(8, LARGEST_BUFFERED);
  }

  private static final class Direct {
    static final BlockCache CACHE = cache(2, Long.MAX_VALUE);
  }

  /** Of directories that read through the page cache: an eighth of what the heap leaves. */
  static BlockCache buffered() {
    return Buffered.CACHE;
  }

  /** Of directories that read past it, for which it is all there is: half of that. */
  static BlockCache direct() {
    return Direct.CACHE;
  }

  private static BlockCache cache(int part, long largest) {
    String blockSize = System.getProperty(BLOCK_SIZE_PROPERTY);
    return new BlockCache(
        size(part, largest),
        blockSize == null
            ? BlockCache.DEFAULT_BLOCK_SIZE
            : (int) Math.min(Integer.MAX_VALUE, parse(BLOCK_SIZE_PROPERTY, blockSize)));
  }

  private static long size(int part, long largest) {
    String configured = System.getProperty(PROPERTY);
    if (configured != null) {
      return parse(PROPERTY, configured);
    }
    long beside = MemoryLimit.bytesBesideHeap();
    if (beside == Long.MAX_VALUE) {
      return FALLBACK;
    }
    return Math.max(SMALLEST, Math.min(largest, beside / part));
  }

  /**
   * Bytes as a user writes them.
   *
   * @param property the text is of, for the message
   * @throws IllegalArgumentException if {@code text} is no size; the message says what is
   */
  static long parse(String property, String text) {
    String trimmed = text.trim().toLowerCase(Locale.ROOT);
    int shift =
        switch (trimmed.isEmpty() ? ' ' : trimmed.charAt(trimmed.length() - 1)) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          default -> 0;
        };
    String digits = shift == 0 ? trimmed : trimmed.substring(0, trimmed.length() - 1);
    try {
      long bytes = Math.multiplyExact(Long.parseLong(digits), 1L << shift);
      if (bytes >= 0) {
        return bytes;
      }
    } catch (NumberFormatException | ArithmeticException e) {
      throw notASize(property, text, e);
    }
    throw notASize(property, text, null);
  }

  private static IllegalArgumentException notASize(String property, String text, Exception cause) {
    return new IllegalArgumentException(
        "-D"
            + property
            + "="
            + text
            + " is no size: use bytes, or a number with k, m or g, such as 512m",
        cause);
  }
}
