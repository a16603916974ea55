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

/**
 * The settings of a node, in {@code opensearch.yml}. Each is checked when the node starts: a value
 * that can't be used ends the start with an {@link IllegalArgumentException} that names the setting
 * and what is allowed.
 */
final class PreadSettings {

  private static final long SMALLEST_BLOCK = 4L << 10;
  private static final long LARGEST_BLOCK = 64L << 10;

  /**
   * Bytes of the node's block cache, or percent of the memory that the heap leaves: of the
   * container's limit where there is one, else of the machine's memory. 0 is no cache. A size that
   * leaves nothing to the JVM itself is refused ({@link CacheSize#NEEDED}). The default is an
   * eighth of that memory, at most 1 GiB: enough for {@code pread}, which has the page cache beside
   * it, and too little for {@code pread_direct}, which has nothing else.
   */
  static final Setting<ByteSizeValue> CACHE_SIZE =
      new Setting<>(
          "pread.cache.size",
          settings -> CacheSize.ofThisProcess().defaultBytes() + "b",
          text -> new ByteSizeValue(CacheSize.ofThisProcess().parse("pread.cache.size", text)),
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
