/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A wait for a block that other threads are reading: one after the other, if they fail. It is the
 * waiting thread's own.
 */
final class FillWait {

  /**
   * How long a thread waits for a block that another is reading. No working device takes so long. A
   * thread that has waited reads for itself, and either meets what is wrong with the device or gets
   * by without a thread that was lost.
   */
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final CachedFile file;
  private final SlotCache cache;
  private final int block;
  private final long deadline;
  private boolean isForPrefetch;

  /** Begins to wait, and counts that. The caller {@linkplain #ended ends} it. */
  FillWait(CachedFile file, int block) {
    this.file = file;
    this.cache = file.cache();
    this.block = block;
    this.deadline = System.nanoTime() + cache.maxWaitNanos();
    cache.counters().count(Counter.WAITS);
  }

  /**
   * Waits for a slot to change.
   *
   * @return false if the waits have taken too long altogether
   */
  boolean until(Slot slot, long version) {
    // A slot that has left the table meanwhile may be free, and nobody would ever end the wait.
    if (Guard.isStable(version) || file.find(block) != slot) {
      return true;
    }
    long start = System.nanoTime();
    // If the slot has become another block's meanwhile, so has its version, and the wait ends.
    FillQueue reader = slot.reader;
    isForPrefetch |= reader != null;
    FillSignal signal = cache.signal(slot);
    BooleanSupplier isOver = () -> slot.hasChangedFrom(version) || file.isGone();
    if (reader == null
        ? signal.await(isOver, deadline - start)
        : reader.await(signal, isOver, deadline - start)) {
      return true;
    }
    cache.counters().count(Counter.WAIT_TIMEOUTS);
    if (System.nanoTime() - start >= cache.maxWaitNanos() / 2) {
      // It is the thread that fills this slot that does not come back, and not one before it.
      abandon(slot, version);
    }
    return false;
  }

  /**
   * Counts what has come of it.
   *
   * @param isFound whether the block is there
   */
  void ended(boolean isFound) {
    if (!isFound) {
      cache.counters().takeBack(Counter.WAITS);
    } else if (isForPrefetch) {
      cache.counters().count(Counter.PREFETCHES_LATE);
    }
  }

  /**
   * Takes a slot that has been in motion for too long out of the table, so that other threads do
   * not wait for it too. If it is published after all, it is freed: either by the thread that
   * publishes it and then finds that it is not in the table, or here, by the thread that finds that
   * it was published meanwhile.
   */
  void abandon(Slot slot, long version) {
    file.remove(block, slot);
    if (slot.hasChangedFrom(version)) {
      file.freeIfOurs(slot);
    }
  }
}
