/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.BlockCache;
import dev.pread.posix.Backends;
import java.util.List;
import java.util.Locale;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Setting.Property;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.monitor.os.OsProbe;

/**
 * The settings of a node, in {@code opensearch.yml}. Each is checked when the node starts: a value
 * that can't be used ends the start with an {@link IllegalArgumentException} that names the setting
 * and what is allowed.
 */
final class PreadSettings {

  private static final long SMALLEST_BLOCK = 4L << 10;
  private static final long LARGEST_BLOCK = 64L << 10;

  /** So that it is at least one block, however large the blocks are. */
  private static final long SMALLEST_CACHE = LARGEST_BLOCK;

  /** What the default is at least, and at most: as that of a directory without a server. */
  private static final long SMALLEST_DEFAULT = 8L << 20;

  private static final long LARGEST_DEFAULT = 1L << 30;
  private static final int DEFAULT_PART = 8;

  /**
   * Bytes of the node's block cache, or percent of the memory that the heap leaves: of the
   * container's limit where there is one, else of the machine's memory. 0 is no cache. The default
   * is an eighth of that memory, at most 1 GiB: enough for {@code pread}, which has the page cache
   * beside it, and too little for {@code pread_direct}, which has nothing else.
   */
  static final Setting<ByteSizeValue> CACHE_SIZE =
      new Setting<>(
          "pread.cache.size",
          settings -> defaultCacheSize(memoryBesideHeap()) + "b",
          text -> parseCacheSize(text, memoryBesideHeap()),
          Property.NodeScope);

  /** Bytes of a block: what a miss reads once the cache is full. */
  static final Setting<ByteSizeValue> BLOCK_SIZE =
      new Setting<>(
          "pread.block.size",
          BlockCache.DEFAULT_BLOCK_SIZE + "b",
          PreadSettings::parseBlockSize,
          Property.NodeScope);

  /** Who makes the system calls; {@code auto} takes the best there is. */
  static final Setting<String> BACKEND =
      new Setting<>(
          "pread.backend", Backends.AUTO, PreadSettings::parseBackend, Property.NodeScope);

  private PreadSettings() {}

  static List<Setting<?>> all() {
    return List.of(CACHE_SIZE, BLOCK_SIZE, BACKEND);
  }

  /** Whether the size of the cache is the user's choice. */
  static boolean isCacheSized(Settings settings) {
    return CACHE_SIZE.exists(settings);
  }

  /** Bytes; {@code Long.MAX_VALUE} where the memory of the machine is not known. */
  static long memoryBesideHeap() {
    // 0 where it is not known. It knows of cgroups, v1 and v2, as the JVM does.
    long total = OsProbe.getInstance().getTotalPhysicalMemorySize();
    return total == 0 ? Long.MAX_VALUE : Math.max(0, total - Runtime.getRuntime().maxMemory());
  }

  /**
   * @param memory bytes beside the heap
   */
  static long defaultCacheSize(long memory) {
    return memory == Long.MAX_VALUE
        ? 8 * SMALLEST_DEFAULT
        : Math.max(SMALLEST_DEFAULT, Math.min(LARGEST_DEFAULT, memory / DEFAULT_PART));
  }

  /**
   * @param memory bytes beside the heap
   */
  static ByteSizeValue parseCacheSize(String text, long memory) {
    String trimmed = text.trim();
    long most = Math.max(SMALLEST_DEFAULT, memory);
    long bytes;
    try {
      bytes =
          trimmed.endsWith("%")
              ? share(trimmed.substring(0, trimmed.length() - 1), most)
              : ByteSizeValue.parseBytesSizeValue(trimmed, "pread.cache.size").getBytes();
    } catch (RuntimeException e) {
      throw refusedCacheSize(text, most, e);
    }
    if (bytes != 0 && (bytes < SMALLEST_CACHE || bytes > most)) {
      throw refusedCacheSize(text, most, null);
    }
    return new ByteSizeValue(bytes);
  }

  private static long share(String percent, long memory) {
    if (memory == Long.MAX_VALUE) {
      throw new IllegalArgumentException("a percentage of what is not known");
    }
    double value = Double.parseDouble(percent);
    if (!(value >= 0 && value <= 100)) {
      throw new IllegalArgumentException(percent + " is not from 0 to 100");
    }
    return (long) (memory * (value / 100));
  }

  private static IllegalArgumentException refusedCacheSize(
      String text, long most, Exception cause) {
    String allowed =
        most == Long.MAX_VALUE
            ? String.format(
                Locale.ROOT,
                "or a size of at least %d bytes (64kb), such as 4gb, since the memory of this"
                    + " machine is not known",
                SMALLEST_CACHE)
            : String.format(
                Locale.ROOT,
                "a size from %d bytes (64kb) to %d bytes (%s), the memory that the heap (-Xmx)"
                    + " leaves, such as 4gb, or a percentage of that from 0%% to 100%%",
                SMALLEST_CACHE,
                most,
                new ByteSizeValue(most));
    return new IllegalArgumentException(
        "failed to parse value ["
            + text
            + "] for setting [pread.cache.size]: use 0 for no cache, "
            + allowed
            + (cause == null ? "" : " (" + cause.getMessage() + ")"),
        cause);
  }

  private static ByteSizeValue parseBlockSize(String text) {
    RuntimeException reason = null;
    try {
      ByteSizeValue size = ByteSizeValue.parseBytesSizeValue(text, "pread.block.size");
      long bytes = size.getBytes();
      if (bytes >= SMALLEST_BLOCK && bytes <= LARGEST_BLOCK && Long.bitCount(bytes) == 1) {
        return size;
      }
    } catch (RuntimeException e) {
      reason = e;
    }
    throw new IllegalArgumentException(
        "failed to parse value ["
            + text
            + "] for setting [pread.block.size]: use a power of two from 4kb to 64kb, such as 16kb",
        reason);
  }

  private static String parseBackend(String text) {
    String name = text.trim().toLowerCase(Locale.ROOT);
    try {
      Backends.checkName(name, "setting [pread.backend]");
      if (!name.equals(Backends.AUTO)) {
        Backends.get(name);
      }
      return name;
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new IllegalArgumentException(
          "failed to parse value ["
              + text
              + "] for setting [pread.backend]: "
              + e.getMessage()
              + "; auto takes the best there is",
          e);
    }
  }
}
