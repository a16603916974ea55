/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.CacheStats;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * A column of {@code GET /_cat/pread}, which has a line per node. Before {@link #ALL} of them come
 * the id and the name of the node, which the server knows.
 *
 * @param name what users choose it by
 * @param attributes what the server's tables know of a column: alias, description, alignment
 * @param figure what is in it for a node
 * @param isBytes whether that is a number of bytes, which users may want to read as such
 */
public record CatColumn(
    String name, String attributes, Function<NodeStats, Object> figure, boolean isBytes) {

  private static final String ALIGNED_RIGHT = ";text-align:right";

  /** The attributes of the column {@code id}. */
  public static final String ID = "default:false;alias:nodeId;desc:id of the node";

  /** The attributes of the column {@code name}. */
  public static final String NAME = "alias:n;desc:name of the node";

  /** The columns in their order. */
  public static final List<CatColumn> ALL =
      List.of(
          text(
              "backend",
              "alias:b;desc:who makes the system calls: ffm, jni or channel",
              NodeStats::backend),
          text(
              "elastic",
              "default:false;alias:el;desc:whether the size changes with the memory that is free",
              NodeStats::cacheIsElastic),
          bytes(
              "size",
              "alias:s;desc:memory that the block cache may have just now",
              stats -> stats.cache().sizeBytes()),
          bytes(
              "memory",
              "alias:mem;desc:memory that it has taken from the system",
              stats -> stats.cache().memoryBytes()),
          bytes("used", "alias:u;desc:bytes of the blocks that are in it", NodeStats::cacheUsed),
          bytes("block_size", "default:false;alias:bs;desc:bytes of a block", NodeStats::blockSize),
          ofCache("hits", "alias:h;desc:look-ups that found their block", CacheStats::hits),
          ofCache(
              "misses", "alias:m;desc:look-ups that did not find their block", CacheStats::misses),
          number(
              "hit_ratio",
              "alias:hr;desc:look-ups that found their block, of all, - where there were none",
              CatColumn::hitRatio),
          ofCache("evictions", "alias:e;desc:blocks that went to make room", CacheStats::evictions),
          bytes(
              "given_back",
              "alias:gb;desc:memory that it has given back to the system so far",
              stats -> stats.cache().givenBackBytes()),
          bytes(
              "memory_limit",
              "default:false;alias:ml;desc:limit of memory that decides the size, 0 if it is fixed",
              stats -> stats.cache().memoryLimitBytes()),
          bytes(
              "read",
              "alias:r;desc:bytes that were read into the cache",
              stats -> stats.cache().bytesRead()),
          ofCache(
              "restored",
              "default:false;alias:rs;desc:blocks that were read since they were there before a restart",
              CacheStats::blocksRestored),
          ofCache(
              "waits",
              "alias:w;desc:waits for a block that another thread was reading",
              CacheStats::waits),
          ofCache(
              "bypasses",
              "alias:by;desc:misses that were read past the cache",
              CacheStats::bypasses),
          number(
              "pread", "alias:p;desc:open shards of type pread", stats -> stats.open().buffered()),
          number(
              "pread_direct",
              "alias:pd;desc:open shards of type pread_direct",
              stats -> stats.open().direct()),
          text(
              "direct_io",
              "alias:d;desc:whether those read past the page cache, - where there are none",
              stats -> stats.open().direct() == 0 ? "-" : stats.open().directIo()),
          number(
              "uses_page_cache",
              "alias:upc;desc:how many of those read through it instead",
              stats -> stats.open().usesPageCache()));

  private static CatColumn text(
      String name, String attributes, Function<NodeStats, Object> figure) {
    return new CatColumn(name, attributes, figure, false);
  }

  private static CatColumn number(
      String name, String attributes, Function<NodeStats, Object> figure) {
    return new CatColumn(name, attributes + ALIGNED_RIGHT, figure, false);
  }

  private static CatColumn ofCache(
      String name, String attributes, Function<CacheStats, Object> figure) {
    return number(name, attributes, stats -> figure.apply(stats.cache()));
  }

  private static CatColumn bytes(
      String name, String attributes, Function<NodeStats, Object> figure) {
    return new CatColumn(name, attributes + ALIGNED_RIGHT, figure, true);
  }

  private static String hitRatio(NodeStats stats) {
    Double ratio = stats.hitRatio();
    return ratio == null ? "-" : String.format(Locale.ROOT, "%.3f", ratio);
  }

  /**
   * Returns what to show for a node.
   *
   * @param bytes makes the server's size of a number of bytes
   */
  public Object value(NodeStats stats, LongFunction<Object> bytes) {
    Object value = figure.apply(stats);
    return isBytes ? bytes.apply(((Number) value).longValue()) : value;
  }
}
