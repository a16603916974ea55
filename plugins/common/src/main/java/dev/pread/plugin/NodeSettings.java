/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * What a node was told in its settings, and what each of them may be. A value that can't be used is
 * refused by a message that names the setting, the value, and what is allowed.
 *
 * @param cacheSize bytes of the node's block cache, or {@link #AUTO}: what {@link CacheSize} says
 * @param cacheMax the most bytes that a cache of the size {@link #AUTO} may have; {@link #NO_MAX}
 *     where none is set, and always with another size
 * @param blockSize bytes of a block
 * @param queueDepth how many direct reads each queue of the cache may have under way; 0 for no
 *     queue
 * @param backend {@code auto}, {@code ffm}, {@code jni} or {@code channel}
 * @param warmRestart whether the node reads after a restart what its cache had before
 */
public record NodeSettings(
    long cacheSize,
    long cacheMax,
    int blockSize,
    int queueDepth,
    String backend,
    boolean warmRestart) {

  /** The size of a cache that takes what memory nobody else wants. */
  static final long AUTO = -1;

  /** What bounds a cache by nothing but the memory that there is. */
  static final long NO_MAX = Long.MAX_VALUE;

  /**
   * What users may set.
   *
   * @param name what they set it by
   * @param otherwise the text that stands for it where they don't
   * @param parser returns what a text means, with the memory that there is for the cache, and
   *     throws an {@link IllegalArgumentException} that names what is allowed
   */
  public record Key<T>(String name, String otherwise, BiFunction<String, CacheSize, T> parser) {

    private T value(UnaryOperator<String> texts, CacheSize memory) {
      String text = texts.apply(name);
      return parser.apply(text == null ? otherwise : text, memory);
    }
  }

  /** {@code auto}, bytes, or a percentage of the memory that the heap leaves; 0 is no cache. */
  static final Key<Long> CACHE_SIZE =
      new Key<>("pread.cache.size", CacheSize.AUTO, (text, memory) -> memory.parse(text));

  /**
   * {@code none}, bytes, or a percentage of the memory that the heap leaves, of a cache that
   * adapts.
   */
  static final Key<Long> CACHE_MAX =
      new Key<>("pread.cache.max", CacheSize.NONE, (text, memory) -> memory.parseMax(text));

  /** A power of two from 4 KiB to 64 KiB: what a miss reads once the cache is full. */
  static final Key<Integer> BLOCK_SIZE =
      new Key<>(
          "pread.block.size",
          BlockCache.DEFAULT_BLOCK_SIZE + "b",
          (text, memory) -> parseBlockSize(text, memory.sizes()));

  /** How many direct reads ahead each queue may have under way; 0 is for threads and no queue. */
  static final Key<Integer> QUEUE_DEPTH =
      new Key<>(
          "pread.queue.depth",
          String.valueOf(BlockCache.DEFAULT_QUEUE_DEPTH),
          (text, memory) -> parseQueueDepth(text));

  /** Whether the node reads after a restart what its cache had before, in the background. */
  static final Key<Boolean> WARM_RESTART =
      new Key<>("pread.cache.warm_restart", "false", (text, memory) -> parseWarmRestart(text));

  /** Who makes the system calls; {@code auto} takes the best there is. */
  static final Key<String> BACKEND =
      new Key<>(
          "pread.backend", PreadConfig.DEFAULT.backend(), (text, memory) -> parseBackend(text));

  /** All of them. */
  public static final List<Key<?>> KEYS =
      List.of(CACHE_SIZE, CACHE_MAX, BLOCK_SIZE, QUEUE_DEPTH, BACKEND, WARM_RESTART);

  /**
   * Returns the settings of a node.
   *
   * @param texts returns what users wrote for the name of a key, or null
   * @param memory what there is for the cache
   * @throws IllegalArgumentException if one of them can't be used
   */
  public static NodeSettings of(UnaryOperator<String> texts, CacheSize memory) {
    long size = CACHE_SIZE.value(texts, memory);
    long max = CACHE_MAX.value(texts, memory);
    if (max != NO_MAX && size != AUTO) {
      String both = "it bounds a cache that adapts, and [" + CACHE_SIZE.name() + "] is set: ";
      throw refused(CACHE_MAX, texts.apply(CACHE_MAX.name()), both + "leave one of them out", null);
    }
    return new NodeSettings(
        size,
        max,
        BLOCK_SIZE.value(texts, memory),
        QUEUE_DEPTH.value(texts, memory),
        BACKEND.value(texts, memory),
        WARM_RESTART.value(texts, memory));
  }

  /**
   * Returns the bytes of a block that a user wrote.
   *
   * @throws IllegalArgumentException if {@link BlockCache} has no such blocks
   */
  static int parseBlockSize(String text, Sizes sizes) {
    long bytes;
    try {
      bytes = sizes.parse(text, BLOCK_SIZE.name());
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
  static int parseQueueDepth(String text) {
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
  static String parseBackend(String text) {
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
  static boolean parseWarmRestart(String text) {
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

  static IllegalArgumentException refused(Key<?> key, String text, String remedy, Exception cause) {
    return new IllegalArgumentException(
        "failed to parse value [" + text + "] for setting [" + key.name() + "]: " + remedy, cause);
  }
}
