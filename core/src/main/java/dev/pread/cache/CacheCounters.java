/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.LongAdder;

/** What happened in a cache since it was made. Thread-safe; exact while nothing is under way. */
public final class CacheCounters {

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder blocksRead = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder waits = new LongAdder();
  private final LongAdder privateReads = new LongAdder();
  private final LongAdder blocks = new LongAdder();

  CacheCounters() {}

  /** Look-ups that found their block; readers report them in lots. */
  public void hit(int count) {
    hits.add(count);
  }

  void missed(int blocks, long bytes) {
    misses.increment();
    blocksRead.add(blocks);
    bytesRead.add(bytes);
  }

  void evicted() {
    evictions.increment();
  }

  void waited() {
    waits.increment();
  }

  void privateRead() {
    privateReads.increment();
  }

  void entered() {
    blocks.increment();
  }

  void left() {
    blocks.decrement();
  }

  /** Blocks that are in the cache. */
  public long blocks() {
    // While blocks come and go the sum may miss one that came before one that left.
    return Math.max(0, blocks.sum());
  }

  /** Look-ups of blocks that were there. */
  public long hits() {
    return hits.sum();
  }

  /** Reads of the file into the cache. */
  public long misses() {
    return misses.sum();
  }

  /** Blocks these have read, more than misses where they read around themselves. */
  public long blocksRead() {
    return blocksRead.sum();
  }

  /** Bytes these have read. */
  public long bytesRead() {
    return bytesRead.sum();
  }

  /** Blocks that went to make room. */
  public long evictions() {
    return evictions.sum();
  }

  /** How often a thread waited for a block that another was reading. */
  public long waits() {
    return waits.sum();
  }

  /**
   * Misses that were read past the cache: no slot was to be had, or the block not worth one yet.
   */
  public long privateReads() {
    return privateReads.sum();
  }
}
