/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The caches of directories that were not given one. There is one for each kind of directory in the
 * process; it is made when it is first asked for, and never closed. Memory that holds no block is
 * not taken from the system.
 */
final class DefaultCaches {

  /**
   * The system property that sets the size in bytes, with or without k, m or g, of the cache of
   * directories that read through the page cache.
   */
  static final String BUFFERED_PROPERTY = "dev.pread.cache.bytes";

  /** The system property that does the same for directories that read past the page cache. */
  static final String DIRECT_PROPERTY = "dev.pread.direct.cache.bytes";

  /** The system property that sets the block size of both, in the same way. */
  static final String BLOCK_SIZE_PROPERTY = "dev.pread.cache.block.bytes";

  /** The size of a cache where the memory of the machine is not known. */
  private static final long FALLBACK = 64L << 20;

  private static final long SMALLEST = 8L << 20;

  /**
   * The largest size of a cache beside the page cache. What does not fit is in the page cache, so
   * that more memory is seldom better spent here.
   */
  private static final long LARGEST_BUFFERED = 1L << 30;

  private DefaultCaches() {}

  private static final int BUFFERED_PART = 8;
  private static final int DIRECT_PART = 2;

  private static final Default BUFFERED =
      new Default(BUFFERED_PROPERTY, BUFFERED_PART, LARGEST_BUFFERED);
  private static final Default DIRECT = new Default(DIRECT_PROPERTY, DIRECT_PART, Long.MAX_VALUE);

  /**
   * One of these caches. It is not a static field of a class of its own: the initialization of such
   * a class would fail with an {@code Error} that names no property, and from the second time on
   * gives no reason either.
   */
  private static final class Default {

    private final String property;
    private final int part;
    private final long largest;
    private final ReentrantLock lock = new ReentrantLock();
    private BlockCache cache;

    Default(String property, int part, long largest) {
      this.property = property;
      this.part = part;
      this.largest = largest;
    }

    BlockCache get() {
      lock.lock();
      try {
        if (cache == null) {
          cache = make(property, part, largest);
        }
        return cache;
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Returns the cache of directories that read through the page cache. By default it has an eighth
   * of the memory that the heap leaves.
   *
   * @throws IllegalArgumentException if a property has a value that can't be used, on each call
   */
  static BlockCache buffered() {
    return BUFFERED.get();
  }

  /**
   * Returns the cache of directories that read past the page cache, which have no other cache. By
   * default it has half of the memory that the heap leaves.
   *
   * @throws IllegalArgumentException as with {@link #buffered}
   */
  static BlockCache direct() {
    return DIRECT.get();
  }

  /**
   * Makes a cache as the properties say now.
   *
   * @param property the name of the property that sets its size
   * @param part the divisor that gives the cache's part of the memory beside the heap
   * @param largest bytes the cache has at most where the property does not say otherwise
   * @throws IllegalArgumentException naming the property, its value, and what can be used
   */
  static BlockCache make(String property, int part, long largest) {
    int blockSize = blockSize();
    if (System.getProperty(property) == null && MemoryLimit.bytes() != MemoryLimit.UNKNOWN) {
      return BlockCache.builder().blockSize(blockSize).build();
    }
    return new BlockCache(size(property, part, largest, blockSize), blockSize);
  }

  private static int blockSize() {
    String configured = System.getProperty(BLOCK_SIZE_PROPERTY);
    if (configured == null) {
      return BlockCache.DEFAULT_BLOCK_SIZE;
    }
    int bytes = (int) Math.min(Integer.MAX_VALUE, parse(BLOCK_SIZE_PROPERTY, configured));
    String refusal = BlockCache.refusalOfBlockSize(bytes);
    if (refusal != null) {
      throw new IllegalArgumentException(setting(BLOCK_SIZE_PROPERTY, configured) + ": " + refusal);
    }
    return bytes;
  }

  private static long size(String property, int part, long largest, int blockSize) {
    String configured = System.getProperty(property);
    if (configured != null) {
      long bytes = parse(property, configured);
      String refusal = BlockCache.refusalOfSize(bytes, blockSize);
      if (refusal != null) {
        throw new IllegalArgumentException(setting(property, configured) + ": " + refusal);
      }
      return bytes;
    }
    return size(part, largest, MemoryLimit.bytes(), Runtime.getRuntime().maxMemory());
  }

  /** Returns the size that {@link BlockCache#defaultSize} specifies. */
  static long buffered(long memory, long heap) {
    return size(BUFFERED_PART, LARGEST_BUFFERED, memory, heap);
  }

  private static long size(int part, long largest, long memory, long heap) {
    if (memory <= 0 || memory == MemoryLimit.UNKNOWN) {
      return FALLBACK;
    }
    return Math.max(SMALLEST, Math.min(largest, (memory - heap) / part));
  }

  /**
   * Returns how many bytes {@code text} stands for, as users write it.
   *
   * @param property the property that the text is the value of, for the message
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
    String example = property.equals(BLOCK_SIZE_PROPERTY) ? "16k" : "512m, 0 for no cache";
    return new IllegalArgumentException(
        setting(property, text)
            + " is no size: use bytes, or a number with k, m or g, such as "
            + example,
        cause);
  }

  private static String setting(String property, String text) {
    return "-D" + property + "=" + text;
  }
}
