/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what has happened in a cache since it was made. It is thread-safe, and exact while nothing
 * is under way.
 *
 * <p>Each thread counts in a stripe that its id selects, a cache line or more away from the others,
 * so that hits on many cores do not contend. Counting allocates nothing and so never fails, unlike
 * {@link java.util.concurrent.atomic.LongAdder}, which makes its cells when threads contend: a slot
 * that is being filled must not be lost to an {@link OutOfMemoryError} of a statistic.
 */
public final class CacheCounters {

  private static final int STRIPES =
      Integer.highestOneBit(Math.clamp(8L * Runtime.getRuntime().availableProcessors(), 32, 512));

  /** Room per stripe: sixteen counters, and a cache line of 64 bytes between stripes. */
  private static final int WIDTH = 24;

  /**
   * How many hits, or misses, of a stripe there are for each one that is reported as a sample. The
   * number is odd, since look-ups of two files often take turns.
   */
  private static final int PER_SAMPLE = 61;

  private static final int HITS = 0;
  private static final int MISSES = 1;
  private static final int LOADS = 2;
  private static final int PREFETCHES = 3;
  private static final int BLOCKS_READ = 4;
  private static final int BYTES_READ = 5;
  private static final int EVICTIONS = 6;
  private static final int WAITS = 7;
  private static final int WAIT_TIMEOUTS = 8;
  private static final int BYPASSES = 9;
  private static final int BLOCKS = 10;
  private static final int RESTORED = 11;
  private static final int PREFETCHES_LATE = 12;
  private static final int PREFETCHES_DROPPED = 13;
  private static final int PREFETCHES_BY_THREADS = 14;
  private static final int PREFETCHES_ISSUED = 15;

  private final AtomicLongArray cells = new AtomicLongArray((STRIPES + 1) * WIDTH);

  CacheCounters() {}

  private long add(int counter, long count) {
    int stripe = (int) Thread.currentThread().threadId() & (STRIPES - 1);
    return cells.getAndAdd(place(stripe, counter), count);
  }

  /**
   * Returns the index of a counter. The first stripe is left free: each access reads the length of
   * the array, which lies there.
   */
  private static int place(int stripe, int counter) {
    return (stripe + 1) * WIDTH + counter;
  }

  private long sum(int counter) {
    long sum = 0;
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      sum += cells.get(place(stripe, counter));
    }
    return sum;
  }

  /**
   * Counts a look-up that found its block.
   *
   * @return whether this hit is a sample of many, on which the caller may do what would be too much
   *     work for every hit
   */
  public boolean countHit() {
    return add(HITS, 1) % PER_SAMPLE == PER_SAMPLE - 1;
  }

  /**
   * Counts a look-up that did not find its block.
   *
   * @return whether this miss is a sample of many, as {@link #countHit} has them
   */
  boolean countMiss() {
    return add(MISSES, 1) % PER_SAMPLE == PER_SAMPLE - 1;
  }

  void loaded(int blocks, long bytes) {
    add(LOADS, 1);
    read(blocks, bytes);
  }

  /**
   * Counts a read ahead before it begins. {@link #prefetched}, {@link #prefetchDropped} or {@link
   * #prefetchRefused} follows.
   */
  void prefetchIssued() {
    add(PREFETCHES_ISSUED, 1);
  }

  /** Takes back the count of a read ahead that its queue does not accept. */
  void prefetchRefused() {
    add(PREFETCHES_ISSUED, -1);
  }

  void prefetched(int blocks, long bytes) {
    add(PREFETCHES, 1);
    read(blocks, bytes);
  }

  /** Counts a wait for what a queue has read since it was announced. */
  void prefetchWasLate() {
    add(PREFETCHES_LATE, 1);
  }

  /** Counts what no queue takes, so that it is left to a thread. */
  void prefetchIsLeftToAThread() {
    add(PREFETCHES_BY_THREADS, 1);
  }

  /** Counts advice that was not taken, or was taken in vain. */
  void prefetchDropped() {
    add(PREFETCHES_DROPPED, 1);
  }

  void restored(int blocks, long bytes) {
    add(RESTORED, blocks);
    read(blocks, bytes);
  }

  /** Counts what has come without a look-up and without an announcement. */
  void read(int blocks, long bytes) {
    // Pages that are read alone are no blocks.
    if (blocks > 0) {
      add(BLOCKS_READ, blocks);
    }
    add(BYTES_READ, bytes);
  }

  void evicted() {
    add(EVICTIONS, 1);
  }

  void waited() {
    add(WAITS, 1);
  }

  /** Takes back the count of a wait that has brought nothing. Something else follows. */
  void waitedInVain() {
    add(WAITS, -1);
  }

  void waitTimedOut() {
    add(WAIT_TIMEOUTS, 1);
  }

  void bypassed() {
    add(BYPASSES, 1);
  }

  void entered() {
    add(BLOCKS, 1);
  }

  void left() {
    add(BLOCKS, -1);
  }

  /** Returns how many blocks are in the cache. */
  public long blocks() {
    // While blocks come and go, the sum may miss one that came before one that left.
    return Math.max(0, sum(BLOCKS));
  }

  /** Returns how many look-ups found their block, or an announced page. */
  public long hits() {
    return sum(HITS);
  }

  /**
   * Returns how many look-ups did not find their block: each is a load, a wait or a bypass, unless
   * its read throws.
   */
  public long misses() {
    return sum(MISSES);
  }

  /** Returns how many times a thread that had missed a block read a file into the cache. */
  public long loads() {
    return sum(LOADS);
  }

  /**
   * Returns how many reads ahead have begun. They are no fewer than the {@link #prefetches} of an
   * earlier call.
   */
  public long prefetchesIssued() {
    return sum(PREFETCHES_ISSUED);
  }

  /**
   * Returns how many times a file was read before anybody had missed what was announced: blocks, or
   * pages beside them.
   */
  public long prefetches() {
    return sum(PREFETCHES);
  }

  /** Returns how many waits were for what was being read ahead by a queue: a block, or a page. */
  public long prefetchesLate() {
    return sum(PREFETCHES_LATE);
  }

  /**
   * Returns how many times nothing came of advice to read ahead, since there was no room for it, or
   * since the read has failed.
   */
  public long prefetchesDropped() {
    return sum(PREFETCHES_DROPPED);
  }

  /** Returns how many reads ahead were left to threads, since no queue took them. */
  public long prefetchesByThreads() {
    return sum(PREFETCHES_BY_THREADS);
  }

  /** Returns how many blocks were read since they had been in the cache before a restart. */
  public long restored() {
    return sum(RESTORED);
  }

  /**
   * Returns how many blocks have been read into the cache. A load or a prefetch that reads around a
   * block counts several, and one of announced pages none.
   */
  public long blocksRead() {
    return sum(BLOCKS_READ);
  }

  /** Returns how many bytes have been read into the cache, or into announced pages. */
  public long bytesRead() {
    return sum(BYTES_READ);
  }

  /** Returns how many blocks were evicted to make room. */
  public long evictions() {
    return sum(EVICTIONS);
  }

  /** Returns how many misses were for a block that another thread was reading or had just read. */
  public long waits() {
    return sum(WAITS);
  }

  /** Returns how many waits, for blocks or pages, ended because they had taken too long. */
  public long waitTimeouts() {
    return sum(WAIT_TIMEOUTS);
  }

  /**
   * Returns how many misses were read past the cache, because no slot was available or the block
   * was not worth one yet.
   */
  public long bypasses() {
    return sum(BYPASSES);
  }
}
