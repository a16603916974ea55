/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.BlockCache;
import dev.pread.posix.Backends;
import java.util.List;
import java.util.Locale;
import org.elasticsearch.ElasticsearchParseException;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.common.settings.Setting.Property;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.unit.ByteSizeValue;

/**
 * The settings of a node, in {@code elasticsearch.yml}. A value that can't be used keeps the node
 * from starting; the message names the setting, the value, and what is allowed.
 *
 * @param cacheSize bytes of the node's block cache, which the shards of both store types share
 * @param blockSize bytes of a block
 * @param backend {@code auto}, {@code ffm}, {@code jni} or {@code channel}
 */
record PreadSettings(long cacheSize, int blockSize, String backend) {

  private static final int MIN_BLOCK_SIZE = 4 << 10;
  private static final int MAX_BLOCK_SIZE = 64 << 10;

  /**
   * Bytes, or a percentage of the memory that the heap leaves. The default is an eighth of that and
   * at most 1 GiB: right for {@code pread}, which has the page cache beside it; with {@code
   * pread_direct}, for which the cache is all there is, give it most of the memory.
   */
  static final Setting<Long> CACHE_SIZE =
      new Setting<>(
          "pread.cache.size",
          settings -> CacheSize.ofThisProcess().defaultBytes() + "b",
          text -> CacheSize.ofThisProcess().parse("pread.cache.size", text),
          Property.NodeScope);

  /** A power of two from 4 KiB to 64 KiB. */
  static final Setting<Integer> BLOCK_SIZE =
      new Setting<>(
          "pread.block.size",
          BlockCache.DEFAULT_BLOCK_SIZE + "b",
          text -> parseBlockSize("pread.block.size", text),
          Property.NodeScope);

  /** Which way system calls are made; {@code auto} takes the best there is. */
  static final Setting<String> BACKEND =
      new Setting<>(
          "pread.backend", Backends.AUTO, PreadSettings::parseBackend, Property.NodeScope);

  static List<Setting<?>> all() {
    return List.of(CACHE_SIZE, BLOCK_SIZE, BACKEND);
  }

  /**
   * Those of a node.
   *
   * @throws IllegalArgumentException if one of them can't be used
   */
  static PreadSettings of(Settings settings) {
    return new PreadSettings(
        CACHE_SIZE.get(settings), BLOCK_SIZE.get(settings), BACKEND.get(settings));
  }

  private static int parseBlockSize(String key, String text) {
    try {
      long bytes = ByteSizeValue.parseBytesSizeValue(text, key).getBytes();
      if (bytes >= MIN_BLOCK_SIZE && bytes <= MAX_BLOCK_SIZE && Long.bitCount(bytes) == 1) {
        return (int) bytes;
      }
    } catch (ElasticsearchParseException | IllegalArgumentException e) {
      throw refusedBlockSize(key, text, e);
    }
    throw refusedBlockSize(key, text, null);
  }

  /** Whether it can be used here is found out when the node's parts are made. */
  private static String parseBackend(String text) {
    try {
      return Backends.checkName(text.trim().toLowerCase(Locale.ROOT), "setting [pread.backend]");
    } catch (IllegalArgumentException e) {
      throw refusedBackend(text, e);
    }
  }

  /** With the reason and the remedy of {@code cause}. */
  static IllegalArgumentException refusedBackend(String text, Exception cause) {
    return new IllegalArgumentException(
        "failed to parse value ["
            + text
            + "] for setting [pread.backend]: "
            + cause.getMessage()
            + "; auto takes the best there is",
        cause);
  }

  private static IllegalArgumentException refusedBlockSize(
      String key, String text, Exception cause) {
    return new IllegalArgumentException(
        "failed to parse value ["
            + text
            + "] for setting ["
            + key
            + "]: use a power of two from 4kb to 64kb, such as 16kb",
        cause);
  }
}
