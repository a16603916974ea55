/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

/**
 * What a {@link BlockCache} has done since it was made, and how full it is. Immutable.
 *
 * @param hits look-ups that found their block. Readers look a block up once and then read in it, so
 *     these are not reads; they are reported in lots of 64 per reader
 * @param misses reads of files into the cache
 * @param blocksRead blocks that these reads brought in: more than {@code misses}, since there is
 *     more to a read than one block while the cache has room
 * @param bytesRead bytes that these reads brought in
 * @param evictions blocks that went to make room
 * @param waits how often a thread waited for a block that another was reading
 * @param privateReads misses that were read past the cache: there was no room, or, at random and
 *     through the page cache, the block was not worth it yet
 * @param blocks blocks that are in the cache now
 * @param capacity how many it holds at most
 */
public record CacheStats(
    long hits,
    long misses,
    long blocksRead,
    long bytesRead,
    long evictions,
    long waits,
    long privateReads,
    long blocks,
    long capacity) {

  /** Look-ups that found their block, of all, from 0 to 1; 1 where there were none. */
  public double hitRatio() {
    long lookups = hits + misses + privateReads;
    return lookups == 0 ? 1 : (double) hits / lookups;
  }

  /** How full it is, from 0 to 1. */
  public double fill() {
    return capacity == 0 ? 1 : (double) blocks / capacity;
  }
}
