/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Empties pages of a cache that has to become smaller, so that their memory can be given back.
 *
 * <p>The pages with the fewest hot blocks are chosen. Those that have no memory behind them yet
 * come first of all. Of very many pages with memory only some are looked at. Blocks that the
 * eviction would let stay move to other pages, where they take the places of blocks that it would
 * not, as long as there is time for that; the others are evicted. Pages that have been chosen give
 * out no slot any more. Threads that miss meanwhile empty a page each ({@link #help}), since memory
 * is wanted in a hurry, and the processors may be busy with many threads that read.
 *
 * <p>A page with memory that is handed out stays; the next one in order is emptied instead. So it
 * is if a page does not become empty soon, since the device still reads into it.
 *
 * <p>An instance is used once. One thread calls {@link #run}; any other may help it.
 */
final class PageEviction extends SlotEmptier {

  /** How often pages are visited again whose slots were being filled. */
  private static final int MAX_ROUNDS = 100;

  /** After how many of these visits a page that is still there stays, and another one leaves. */
  private static final int PATIENCE = 20;

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** How long hot blocks are moved; from then on they are evicted, since moving takes too long. */
  private static final long MAX_MOVE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /**
   * How many pages with memory there are to choose from, or eight times as many as have to leave if
   * that is more. To look at all pages of a large machine would take longer than others need to use
   * its reserve up.
   */
  static final int MAX_CHOICE = 16 << 10;

  /** The pages that could be emptied, or some of them, those first that cost least. */
  private final int[] candidates;

  /** The number of the next candidate that nobody has taken yet. */
  private final AtomicInteger next = new AtomicInteger();

  /** The candidates before this one are leaving. */
  private volatile int end;

  /** When to stop moving hot blocks and to evict them, in the time of {@link System#nanoTime}. */
  private final long lastMove;

  /**
   * Chooses what to begin with.
   *
   * @param isUrgent whether hot blocks are evicted at once, since moving them takes too long
   */
  PageEviction(SlotCache cache, boolean isUrgent) {
    super(cache);
    this.lastMove = System.nanoTime() + (isUrgent ? 0 : MAX_MOVE_NANOS);
    this.candidates = candidates();
  }

  private int[] candidates() {
    // Of the pages with memory every so many-th is looked at, since neighbours are much alike.
    int most = Math.max(MAX_CHOICE, 8 * free.excess());
    int stride = Math.max(1, Math.ceilDiv(free.inUse(), most));
    int turn = ThreadLocalRandom.current().nextInt(stride);
    long[] pages = new long[free.pages()];
    int count = 0;
    for (int page = 0; page < free.pages(); page++) {
      if (free.isOpen(page) && (!free.isBacked(page) || turn++ % stride == 0)) {
        long hot = 0;
        for (int i = page * cache.pageSlots(); i < free.end(page); i += step()) {
          Slot slot = occupied(i);
          hot += slot != null && isUsed(slot) ? 1 : 0;
        }
        // What has no memory behind it comes before what is cold.
        long cost = 2 * hot + (free.isBacked(page) ? 1 : 0);
        pages[count++] = cost << Integer.SIZE | page;
      }
    }
    Arrays.sort(pages, 0, count);
    int[] sorted = new int[count];
    for (int i = 0; i < count; i++) {
      sorted[i] = (int) pages[i];
    }
    return sorted;
  }

  /** Returns how many pages it chooses from. */
  int choice() {
    return candidates.length;
  }

  /** Empties as many pages as are in excess. */
  void run() {
    int chosen = 0;
    boolean isDone = false;
    try {
      for (int round = 0; round < MAX_ROUNDS && !isDone && !cache.isClosed(); round++) {
        if (round % PATIENCE == PATIENCE - 1) {
          letStay(chosen, candidates.length - chosen);
        }
        for (int excess = free.excess(); excess > 0 && chosen < candidates.length; excess--) {
          cache.leave(candidates[chosen++]);
        }
        end = chosen;
        while (help()) {}
        // What others are emptying, or what was being filled, is looked at once more.
        boolean allGone = true;
        for (int i = 0; i < chosen; i++) {
          allGone &= emptyPage(candidates[i]);
        }
        isDone = allGone && (free.excess() == 0 || chosen == candidates.length);
        if (!isDone) {
          pause(PAUSE_NANOS);
        }
      }
    } finally {
      // Whatever has happened, no page is left with slots that nobody can have.
      if (!isDone) {
        letStay(chosen, chosen);
      }
    }
  }

  /** Lets pages stay that have not left, at most so many of the first ones that were chosen. */
  private void letStay(int chosen, int most) {
    int staying = 0;
    for (int i = 0; i < chosen && staying < most; i++) {
      staying += free.stay(candidates[i]) ? 1 : 0;
    }
  }

  /** Empties a page, if there is one that nobody has begun with, and returns whether there was. */
  boolean help() {
    int mine = next.get();
    while (mine < end) {
      if (next.compareAndSet(mine, mine + 1)) {
        boolean ignored = emptyPage(candidates[mine]);
        return true;
      }
      mine = next.get();
    }
    return false;
  }

  /**
   * Empties a page that is leaving, as far as possible.
   *
   * @return whether there is nothing more to do, since the page has left, or has to stay
   */
  private boolean emptyPage(int page) {
    int first = page * cache.pageSlots();
    for (int i = first; i < free.end(page) && cache.isLeaving(first); i++) {
      Slot slot = occupied(i);
      if (slot != null && !empty(slot, null)) {
        boolean ignored = free.stay(page);
        return true;
      }
    }
    return !cache.isLeaving(first);
  }

  @Override
  boolean shouldMove(Slot slot, CachedFile file) {
    return EvictionShard.isHot(slot) && System.nanoTime() - lastMove < 0;
  }
}
