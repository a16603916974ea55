/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import dev.pread.CacheStats;
import java.io.IOException;

/**
 * What one node has to tell: its cache and its directories at some moment. It is immutable.
 *
 * @param backend the name of the one that makes the system calls
 * @param cacheIsElastic whether the size of the cache changes with the memory that is free
 * @param blockSize bytes of a block; 0 without a cache
 * @param cache what the cache has done
 * @param open which directories are open
 */
public record NodeStats(
    String backend, boolean cacheIsElastic, int blockSize, CacheStats cache, Open open) {

  /**
   * How many directories are open: one for each shard.
   *
   * @param buffered of type {@code pread}
   * @param direct of type {@code pread_direct}
   * @param usesPageCache of those the ones that have read or written a file through the page cache,
   *     because direct I/O could not be had
   */
  public record Open(int buffered, int direct, int usesPageCache) {

    /**
     * Returns whether those of type {@code pread_direct} read past the page cache: {@code yes},
     * {@code partly}, {@code no}, or {@code none} where none is open.
     */
    public String directIo() {
      if (direct == 0) {
        return "none";
      }
      if (usesPageCache == 0) {
        return "yes";
      }
      return usesPageCache < direct ? "partly" : "no";
    }
  }

  /** Takes the figures in their order, to write them as the server does. */
  public interface Visitor {

    /** Takes the start of a group of figures. */
    void start(String name) throws IOException;

    /** Takes the end of the group. */
    void end() throws IOException;

    /**
     * Takes a text or a number.
     *
     * @param value null for a figure that has none
     */
    void field(String name, Object value) throws IOException;

    /** Takes a number of bytes, which users may want to read as such. */
    void bytes(String name, long value) throws IOException;
  }

  /** Returns the bytes of the blocks that are in the cache. */
  public long cacheUsed() {
    return cache.blocks() * blockSize;
  }

  /** Returns how many of all look-ups found their block, from 0 to 1; null before the first. */
  public Double hitRatio() {
    double ratio = cache.hitRatio();
    return Double.isNaN(ratio) ? null : ratio;
  }

  /** Hands all figures to a visitor. */
  public void accept(Visitor visitor) throws IOException {
    visitor.field("backend", backend);
    visitor.start("cache");
    visitor.field("elastic", cacheIsElastic);
    visitor.bytes("size", cache.sizeBytes());
    visitor.bytes("memory", cache.memoryBytes());
    visitor.bytes("used", cacheUsed());
    visitor.bytes("block_size", blockSize);
    visitor.field("hits", cache.hits());
    visitor.field("misses", cache.misses());
    visitor.field("hit_ratio", hitRatio());
    visitor.field("loads", cache.loads());
    visitor.field("waits", cache.waits());
    visitor.field("wait_timeouts", cache.waitTimeouts());
    visitor.field("bypasses", cache.bypasses());
    visitor.field("prefetches_issued", cache.prefetchesIssued());
    visitor.field("prefetches", cache.prefetches());
    visitor.field("prefetches_late", cache.prefetchesLate());
    visitor.field("prefetches_dropped", cache.prefetchesDropped());
    visitor.field("prefetches_by_threads", cache.prefetchesByThreads());
    visitor.field("prefetch_engine", cache.prefetchEngine());
    visitor.field("prefetch_queues", cache.prefetchQueues());
    visitor.field("blocks_restored", cache.blocksRestored());
    visitor.field("blocks_read", cache.blocksRead());
    visitor.bytes("read", cache.bytesRead());
    visitor.field("evictions", cache.evictions());
    visitor.bytes("given_back", cache.givenBackBytes());
    visitor.bytes("memory_limit", cache.memoryLimitBytes());
    visitor.bytes("pinned", cache.pinnedBytes());
    visitor.bytes("pinned_by_closed_files", cache.pinnedByClosedFilesBytes());
    visitor.end();
    visitor.start("directories");
    visitor.field(StoreType.PREAD.key(), open.buffered());
    visitor.field(StoreType.PREAD_DIRECT.key(), open.direct());
    visitor.end();
    visitor.start("direct_io");
    visitor.field("in_use", open.directIo());
    visitor.field("uses_page_cache", open.usesPageCache());
    visitor.end();
  }
}
