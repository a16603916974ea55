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

  /** The place of {@link Counter#HITS}, worked out once, so that a hit need not do it. */
  private static final int HITS = place(0, Counter.HITS);

  private final AtomicLongArray cells = new AtomicLongArray((STRIPES + 1) * WIDTH);

  CacheCounters() {}

  long add(Counter counter, long count) {
    return add(place(0, counter), count);
  }

  /**
   * @param place that of the first stripe
   */
  private long add(int place, long count) {
    int stripe = (int) Thread.currentThread().threadId() & (STRIPES - 1);
    return cells.getAndAdd(stripe * WIDTH + place, count);
  }

  /**
   * Returns the index of a counter. The first stripe is left free: each access reads the length of
   * the array, which lies there.
   */
  @SuppressWarnings("EnumOrdinal") // The counters are declared together, and none is stored.
  private static int place(int stripe, Counter counter) {
    return (stripe + 1) * WIDTH + counter.ordinal();
  }

  /**
   * Returns what has been counted so far; 0 if more has been taken back than is seen to have come.
   */
  public long sum(Counter counter) {
    long sum = 0;
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      sum += cells.get(place(stripe, counter));
    }
    return Math.max(0, sum);
  }

  /** Counts one more. */
  void count(Counter counter) {
    add(counter, 1);
  }

  /** Takes one back that has been counted, here or by another thread. */
  void takeBack(Counter counter) {
    add(counter, -1);
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
    return add(Counter.MISSES, 1) % PER_SAMPLE == PER_SAMPLE - 1;
  }

  /** Counts what a read has brought: blocks, or with 0 of them only bytes. */
  void read(int blocks, long bytes) {
    // Pages that are read alone are no blocks.
    if (blocks > 0) {
      add(Counter.BLOCKS_READ, blocks);
    }
    add(Counter.BYTES_READ, bytes);
  }
}
