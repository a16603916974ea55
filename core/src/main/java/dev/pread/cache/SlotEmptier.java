/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Frees slots whose place in memory is wanted, whatever the eviction thinks of what is in them: a
 * block moves to another slot, or is evicted. Readers are not stopped: they find out by the
 * versions.
 *
 * <p>What is being filled, or handed out to be read in place, can't be moved.
 */
abstract sealed class SlotEmptier permits PageEviction, Compaction {

  /**
   * How many slots of a page are looked at to see how hot it is. To look at all of a large cache
   * would take longer than what is gained by a better choice.
   */
  private static final int SAMPLES = 8;

  final SlotCache cache;

  /** Those of the cache, to look at. */
  final FreeSlots free;

  SlotEmptier(SlotCache cache) {
    this.cache = cache;
    this.free = cache.freeSlots();
  }

  /** Returns whether a block should move rather than be evicted, as far as there are slots. */
  abstract boolean shouldMove(Slot slot, CachedFile file);

  /**
   * Waits for others to go on, and ends reads that the device has carried out. A thread with its
   * interrupt flag set would not wait otherwise, and would have used up its rounds before they have
   * done their part.
   */
  final void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    // Which of them has ended is not known: with many, the next round must not be early.
    cache.queues().awaitOne();
    boolean isInterrupted = Thread.interrupted();
    LockSupport.parkNanos(end - System.nanoTime());
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the distance of the slots of a page that are looked at. */
  final int step() {
    return Math.max(1, cache.pageSlots() / SAMPLES);
  }

  /** Returns whether a block is used, as far as can be seen without a lock. */
  static boolean isUsed(Slot slot) {
    Extent extent = slot.extent;
    return EvictionShard.isHot(slot) || (extent != null && extent.isTouched());
  }

  /** Returns the slot of a number if it has a block, and otherwise null. */
  final Slot occupied(int index) {
    Slot slot = cache.slot(index);
    return slot != null && Guard.isStable((long) Guard.VERSION.getVolatile(slot)) ? slot : null;
  }

  /**
   * Frees a slot that has a block, unless somebody else takes it at the same time.
   *
   * @param spared an extent whose slots stay, or null
   * @return false if it has to stay, since its memory is handed out
   */
  final boolean empty(Slot slot, Extent spared) {
    long version = (long) Guard.VERSION.getVolatile(slot);
    Extent extent = slot.extent;
    if (extent != null && extent == spared) {
      return true;
    }
    // An extent that is not pinned ends here; its slots have their uses counted then.
    if (extent != null && extent.tryEvict() == Extent.Answer.NO) {
      return false;
    }
    CachedFile file = slot.owner;
    int block = slot.block;
    VarHandle.loadLoadFence();
    if (!Guard.isStable(version) || !slot.is(version)) {
      return true;
    }
    Slot to = shouldMove(slot, file) ? cache.obtainForMove(file, block) : null;
    if (to == null) {
      evict(slot, version);
    } else {
      boolean ignored = file.move(slot, version, block, to);
    }
    return true;
  }

  private void evict(Slot slot, long version) {
    CachedFile owner = slot.owner;
    int block = slot.block;
    if (slot.tryTake(version)) {
      try {
        owner.remove(block, slot);
        cache.leave(slot);
        cache.counters().count(Counter.EVICTIONS);
        cache.events().evicted(owner, block, slot);
      } finally {
        cache.release(slot);
      }
    }
  }
}
