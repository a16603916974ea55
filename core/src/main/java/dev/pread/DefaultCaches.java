/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The caches of directories that were not given one. There is one for each kind of directory in the
 * process; it is made when it is first asked for, and again if somebody has closed it. Memory that
 * holds no block is not taken from the system.
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

  /** The system property that sets how many direct reads a queue of either has under way. */
  static final String QUEUE_DEPTH_PROPERTY = "dev.pread.queue.depth";

  private DefaultCaches() {}

  private static final Default BUFFERED = new Default(BUFFERED_PROPERTY);
  private static final Default DIRECT = new Default(DIRECT_PROPERTY);

  /**
   * One of these caches. It is not a static field of a class of its own: the initialization of such
   * a class would fail with an {@code Error} that names no property, and from the second time on
   * gives no reason either.
   */
  private static final class Default {

    private final String property;
    private final ReentrantLock lock = new ReentrantLock();
    private BlockCache cache;

    Default(String property) {
      this.property = property;
    }

    BlockCache get() {
      lock.lock();
      try {
        if (cache == null) {
          cache = make(property);
        }
        return cache;
      } finally {
        lock.unlock();
      }
    }

    void forget(BlockCache closing) {
      lock.lock();
      try {
        if (cache == closing) {
          cache = null;
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Forgets a cache that is being closed, if it is one of these: once nobody refers to it, its
   * memory is unmapped, and its classes can be unloaded.
   */
  static void forget(BlockCache closing) {
    BUFFERED.forget(closing);
    DIRECT.forget(closing);
  }

  /**
   * Returns the cache of directories that read through the page cache.
   *
   * @throws IllegalArgumentException if a property has a value that can't be used, on each call
   */
  static BlockCache buffered() {
    return BUFFERED.get();
  }

  /**
   * Returns the cache of directories that read past the page cache, which have no other cache.
   *
   * @throws IllegalArgumentException as with {@link #buffered}
   */
  static BlockCache direct() {
    return DIRECT.get();
  }

  /**
   * Makes a cache as the properties say now: without a size it is elastic where it can be.
   *
   * @param property the name of the property that sets its size
   * @throws IllegalArgumentException naming the property, its value, and what can be used
   */
  static BlockCache make(String property) {
    int blockSize = blockSize();
    BlockCache.Builder builder = BlockCache.builder().blockSize(blockSize).queueDepth(queueDepth());
    String configured = System.getProperty(property);
    if (configured == null) {
      return builder.build();
    }
    long bytes = parse(property, configured);
    CacheSizes.require(setting(property, configured), CacheSizes.refusalOfSize(bytes, blockSize));
    return builder.size(bytes).build();
  }

  private static int blockSize() {
    String configured = System.getProperty(BLOCK_SIZE_PROPERTY);
    if (configured == null) {
      return BlockCache.DEFAULT_BLOCK_SIZE;
    }
    int bytes = (int) Math.min(Integer.MAX_VALUE, parse(BLOCK_SIZE_PROPERTY, configured));
    CacheSizes.require(
        setting(BLOCK_SIZE_PROPERTY, configured), CacheSizes.refusalOfBlockSize(bytes));
    return bytes;
  }

  private static int queueDepth() {
    String configured = System.getProperty(QUEUE_DEPTH_PROPERTY);
    if (configured == null) {
      return BlockCache.DEFAULT_QUEUE_DEPTH;
    }
    long depth;
    try {
      depth = Long.parseLong(configured.trim());
    } catch (NumberFormatException e) {
      depth = -1;
    }
    CacheSizes.require(
        setting(QUEUE_DEPTH_PROPERTY, configured), CacheSizes.refusalOfQueueDepth(depth));
    return (int) depth;
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
