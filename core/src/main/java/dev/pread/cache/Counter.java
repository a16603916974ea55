/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.Locale;

/**
 * What {@link CacheCounters} count. Sums are taken from the last to the first, so {@link
 * #PREFETCHES_ISSUED} comes before what counts the end of such reads.
 */
public enum Counter {
  /** Look-ups that found their block, or an announced page. */
  HITS,
  /**
   * Look-ups that did not find their block: each is a load, a wait or a bypass, unless its read
   * throws.
   */
  MISSES,
  /** How many times a thread that had missed a block read a file into the cache. */
  LOADS,
  /** Misses of a block that another thread was reading or had just read. */
  WAITS,
  /** Waits, for blocks or pages, that ended because they had taken too long. */
  WAIT_TIMEOUTS,
  /**
   * Misses that were read past the cache, because no slot was available or the block was not worth
   * one yet.
   */
  BYPASSES,
  /**
   * Reads ahead that have begun. Each counts among {@link #PREFETCHES} or {@link
   * #PREFETCHES_DROPPED} when it ends; if its queue refuses it, it is taken back.
   */
  PREFETCHES_ISSUED,
  /**
   * How many times a file was read before anybody had missed what was announced: blocks, or pages
   * beside them.
   */
  PREFETCHES,
  /** Waits for what was being read ahead by a queue: a block, or a page. */
  PREFETCHES_LATE,
  /**
   * How many times nothing came of advice to read ahead, since there was no room for it, or since
   * the read has failed.
   */
  PREFETCHES_DROPPED,
  /** Reads ahead that were left to threads, since no queue took them. */
  PREFETCHES_BY_THREADS,
  /** Blocks that were read since they had been in the cache before a restart. */
  BLOCKS_RESTORED,
  /**
   * Blocks that have been read into the cache. A load or a prefetch that reads around a block
   * counts several, and one of announced pages none.
   */
  BLOCKS_READ,
  /** Bytes that have been read into the cache, or into announced pages. */
  BYTES_READ,
  /** Blocks that were evicted to make room. */
  EVICTIONS,
  /** Blocks that are in the cache. */
  BLOCKS;

  private final String figure = name().toLowerCase(Locale.ROOT);

  /** Returns the name that statistics have for it. */
  public String figure() {
    return figure;
  }
}
