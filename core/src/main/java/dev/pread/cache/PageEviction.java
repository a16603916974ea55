/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Empties pages of a cache that has to become smaller, so that their memory can be given back.
 *
 * <p>The pages with the fewest hot blocks are chosen. Blocks that the eviction would let stay move
 * to other pages, where they take the places of blocks that it would not; the others are evicted.
 * Pages that have been chosen give out no slot any more, and threads that evict meanwhile help to
 * empty them ({@link SlotCache#evict}).
 *
 * <p>What is being filled, or handed out to be read in place, can't be moved. A page with memory
 * that is handed out stays; the next one in order is emptied instead.
 *
 * <p>An instance is used once, by one thread.
 */
final class PageEviction {

  /** How often pages are visited again whose slots were being filled. */
  private static final int MAX_ROUNDS = 100;

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  private final SlotCache cache;

  PageEviction(SlotCache cache) {
    this.cache = cache;
  }

  /** A page, and how many hot blocks it had when it was looked at. */
  private record Candidate(int page, int hot) {}

  void run() {
    StackReserve.ensure();
    cache.endPendingExtents();
    List<Candidate> candidates = candidates();
    List<Integer> leaving = new ArrayList<>();
    int next = 0;
    for (int round = 0; round < MAX_ROUNDS && !cache.isClosed(); round++) {
      int excess = cache.excess();
      for (int i = 0; i < excess && next < candidates.size(); i++, next++) {
        int page = candidates.get(next).page();
        if (cache.isOpen(page)) {
          cache.leave(page);
          leaving.add(page);
        }
      }
      leaving.removeIf(this::hasGone);
      if (leaving.isEmpty() && (cache.excess() == 0 || next == candidates.size())) {
        return;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    for (int page : leaving) {
      cache.stay(page);
    }
  }

  private List<Candidate> candidates() {
    List<Candidate> candidates = new ArrayList<>();
    for (int page = 0; page < cache.pages(); page++) {
      if (cache.isOpen(page)) {
        int hot = 0;
        boolean isPinned = false;
        for (int i = first(page); i < cache.pageEnd(page); i++) {
          Slot slot = cache.slot(i);
          Extent extent = slot == null ? null : slot.extent;
          isPinned |= extent != null && extent.isPinned();
          hot +=
              slot != null && Guard.isStable(slot.acquire()) && EvictionShard.isHot(slot) ? 1 : 0;
        }
        if (!isPinned) {
          candidates.add(new Candidate(page, hot));
        }
      }
    }
    candidates.sort(Comparator.comparingInt(Candidate::hot));
    return candidates;
  }

  private int first(int page) {
    return page * cache.pageSlots();
  }

  /**
   * Empties a page as far as possible.
   *
   * @return whether there is nothing more to do, since it is empty, or since it has to stay
   */
  private boolean hasGone(int page) {
    for (int i = first(page); i < cache.pageEnd(page); i++) {
      Slot slot = cache.slot(i);
      long version = slot == null ? 1 : (long) Guard.VERSION.getVolatile(slot);
      if (Guard.isStable(version)) {
        Extent extent = slot.extent;
        // An extent that is not pinned ends here; its slots have their uses counted then.
        if (extent != null && extent.tryEvict() == Extent.Answer.NO) {
          cache.stay(page);
          return true;
        }
        empty(slot, version);
      }
    }
    return !cache.isLeaving(first(page));
  }

  private void empty(Slot slot, long version) {
    CachedFile file = slot.owner;
    int block = slot.block;
    VarHandle.loadLoadFence();
    if (!slot.is(version)) {
      return;
    }
    Slot to = EvictionShard.isHot(slot) ? cache.obtainForMove(file, block) : null;
    if (to == null) {
      cache.evict(slot, version);
    } else {
      boolean ignored = file.move(slot, version, block, to);
    }
  }
}
