/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
import java.util.Locale;

/**
 * What a node was told in its settings, and what each of them may be. A value that can't be used is
 * refused by a message that names the setting, the value, and what is allowed.
 *
 * @param cacheSize bytes of the node's block cache, or {@link #AUTO}: what {@link CacheSize} says
 * @param blockSize bytes of a block
 * @param queueDepth how many direct reads each queue of the cache may have under way; 0 for no
 *     queue
 * @param backend {@code auto}, {@code ffm}, {@code jni} or {@code channel}
 * @param warmRestart whether the node reads after a restart what its cache had before
 */
public record NodeSettings(
    long cacheSize, int blockSize, int queueDepth, String backend, boolean warmRestart) {

  /** The size of a cache that takes what memory nobody else wants. */
  public static final long AUTO = -1;

  /** The key of the size of the cache, which {@link CacheSize#parse} reads. */
  public static final String CACHE_SIZE = "pread.cache.size";

  /** The key of the size of a block, which {@link #parseBlockSize} reads. */
  public static final String BLOCK_SIZE = "pread.block.size";

  /** The key of the depth of its queues, which {@link #parseQueueDepth} reads. */
  public static final String QUEUE_DEPTH = "pread.queue.depth";

  /** The key of what the cache does after a restart, which {@link #parseWarmRestart} reads. */
  public static final String WARM_RESTART = "pread.cache.warm_restart";

  /** The key of the backend, which {@link #parseBackend} reads. */
  public static final String BACKEND = "pread.backend";

  /**
   * Returns the bytes of a block that a user wrote.
   *
   * @throws IllegalArgumentException if {@link BlockCache} has no such blocks
   */
  public static int parseBlockSize(String text, Sizes sizes) {
    long bytes;
    try {
      bytes = sizes.parse(text, BLOCK_SIZE);
    } catch (RuntimeException e) {
      String allowed =
          "use a size from "
              + sizes.print(BlockCache.MIN_BLOCK_SIZE)
              + " to "
              + sizes.print(BlockCache.MAX_BLOCK_SIZE)
              + ", such as "
              + sizes.print(BlockCache.DEFAULT_BLOCK_SIZE);
      throw refused(BLOCK_SIZE, text, allowed, e);
    }
    try {
      int blockSize = Math.clamp(bytes, Integer.MIN_VALUE, Integer.MAX_VALUE);
      BlockCache.builder().blockSize(blockSize);
      return blockSize;
    } catch (IllegalArgumentException e) {
      throw refused(BLOCK_SIZE, text, e.getMessage(), e);
    }
  }

  /**
   * Returns how many direct reads a user wants each queue to have under way.
   *
   * @throws IllegalArgumentException if {@link BlockCache} has no such queues
   */
  public static int parseQueueDepth(String text) {
    try {
      int reads = Integer.parseInt(text.trim());
      BlockCache.builder().queueDepth(reads);
      return reads;
    } catch (NumberFormatException e) {
      String allowed =
          "use a number from 0 to "
              + BlockCache.MAX_QUEUE_DEPTH
              + ", such as "
              + BlockCache.DEFAULT_QUEUE_DEPTH;
      throw refused(QUEUE_DEPTH, text, allowed, e);
    } catch (IllegalArgumentException e) {
      throw refused(QUEUE_DEPTH, text, e.getMessage(), e);
    }
  }

  /**
   * Returns the name of the backend that a user wrote. Whether it can be used here is found out
   * when the node's {@link NodeDirectories} are made.
   *
   * @throws IllegalArgumentException if there is no backend of that name
   */
  public static String parseBackend(String text) {
    try {
      String name = text.trim().toLowerCase(Locale.ROOT);
      return PreadConfig.builder().backend(name).build().backend();
    } catch (IllegalArgumentException e) {
      throw refusedBackend(text, e);
    }
  }

  /**
   * Returns whether a user wants a warm restart.
   *
   * @throws IllegalArgumentException if it is neither true nor false
   */
  public static boolean parseWarmRestart(String text) {
    return switch (text.trim()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refused(WARM_RESTART, text, "use true or false", null);
    };
  }

  /** Refuses it with the reason and the remedy of {@code cause}. */
  static IllegalArgumentException refusedBackend(String text, Exception cause) {
    return refused(BACKEND, text, cause.getMessage() + "; auto takes the best there is", cause);
  }

  static IllegalArgumentException refused(String key, String text, String remedy, Exception cause) {
    return new IllegalArgumentException(
        "failed to parse value [" + text + "] for setting [" + key + "]: " + remedy, cause);
  }
}
