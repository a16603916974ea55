/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import java.util.BitSet;

/**
 * Knows which slots are free, and which pages of them may have memory. A page is the stretch of
 * slots whose memory is taken from the system, and given back to it, together. Single slots are
 * taken from the top and runs from the bottom, so that the former don't break up the space of the
 * latter.
 *
 * <p>A page is closed, and has no memory; or open, and its free slots can be had; or leaving: what
 * is free of it stays free, until all of it is and its memory can be given back.
 *
 * <p>It is thread-safe: a lock is held for a scan of the pages at most. A full cache, which evicts,
 * gets by without the lock.
 */
final class FreeSlots {

  private static final byte CLOSED = 0;
  private static final byte OPEN = 1;
  private static final byte LEAVING = 2;

  /** The state of a page for which there is no memory, and never will be. */
  private static final byte LOST = 3;

  private final BriefLock lock = new BriefLock();
  private final int slots;
  private final int chunkSlots;
  private final int pageSlots;

  /** The free slots of pages that are open or leaving. */
  private final BitSet free;

  private final byte[] states;

  /** How many slots of each page that is open or leaving are free. */
  private final int[] freeIn;

  /**
   * The pages of which a slot has been used since they were opened. It is read without the lock, by
   * the owner of a slot of the page, which stays open meanwhile, and by those who choose pages.
   */
  private final boolean[] isBacked;

  /** The pages of which no slot has been had since idle ones were last searched for. */
  private final BitSet idle;

  /** A page above which no slot can be had. */
  private int top;

  /** How many pages are open or leaving. */
  private int inUse;

  /** How many of these are leaving. */
  private int leaving;

  /** How many of these have memory behind them. */
  private int backed;

  /** How many slots the closed pages have. */
  private int closedSlots;

  /** How many slots of open pages are free. */
  private int left;

  /** How many pages may be open or leaving; when there are more, the rest has to leave. */
  private int limit;

  /** How many slots can be had, for callers that look without the lock. */
  private volatile int count;

  /**
   * The length of the shortest run that was looked for in vain; few slots have been given back
   * since.
   */
  private volatile int noRunOf = Integer.MAX_VALUE;

  /** How many slots have been given back since that search. */
  private int given;

  /**
   * Creates it with all slots free and all pages closed.
   *
   * @param chunkSlots no run crosses a multiple of it
   * @param pageSlots how many slots a page has; it divides {@code chunkSlots}
   */
  FreeSlots(int slots, int chunkSlots, int pageSlots) {
    this.slots = slots;
    this.chunkSlots = chunkSlots;
    this.pageSlots = pageSlots;
    this.free = new BitSet(slots);
    this.states = new byte[(slots + pageSlots - 1) / pageSlots];
    this.freeIn = new int[states.length];
    this.isBacked = new boolean[states.length];
    this.idle = new BitSet(states.length);
    this.closedSlots = slots;
    this.limit = states.length;
    this.top = states.length - 1;
    this.count = slots;
  }

  // ---- slots ----

  /** Returns how many slots can be had just now. */
  int count() {
    return count;
  }

  /** Takes a slot. Returns -1 if there is none. */
  int take() {
    if (count == 0) {
      return -1;
    }
    lock.lock();
    try {
      for (int page = top; page >= 0; page--) {
        if (canTakeFrom(page)) {
          top = page;
          open(page);
          int slot = free.previousSetBit(end(page) - 1);
          remove(slot);
          return slot;
        }
      }
      top = -1;
      return -1;
    } finally {
      counted();
      lock.unlock();
    }
  }

  /** Takes a certain slot. Returns false if it is not free, or can't be had. */
  boolean take(int slot) {
    lock.lock();
    try {
      int page = slot / pageSlots;
      if (!canTakeFrom(page)) {
        return false;
      }
      open(page);
      boolean isFree = free.get(slot);
      if (isFree) {
        remove(slot);
      }
      return isFree;
    } finally {
      counted();
      lock.unlock();
    }
  }

  private boolean canTakeFrom(int page) {
    return states[page] == OPEN ? freeIn[page] > 0 : states[page] == CLOSED && inUse < limit;
  }

  private void remove(int slot) {
    int page = slot / pageSlots;
    free.clear(slot);
    freeIn[page]--;
    idle.clear(page);
    left--;
  }

  /**
   * Returns whether it is worth looking for so many neighbouring slots. The search is long, and
   * readers ask again and again: after a search in vain, another is worthwhile only when a part of
   * all slots has been given back.
   */
  boolean mayHaveRun(int length) {
    return length <= chunkSlots && length <= count && length < noRunOf;
  }

  /**
   * Takes {@code length} neighbouring slots. Returns the first of them, or -1 if there is no such
   * run.
   */
  int takeRun(int length) {
    if (!mayHaveRun(length)) {
      return -1;
    }
    lock.lock();
    try {
      int start = findRun(length);
      if (start < 0) {
        noRunOf = length;
        given = 0;
        return -1;
      }
      for (int page = start / pageSlots; page <= (start + length - 1) / pageSlots; page++) {
        open(page);
      }
      for (int slot = start; slot < start + length; slot++) {
        remove(slot);
      }
      return start;
    } finally {
      counted();
      lock.unlock();
    }
  }

  private int findRun(int length) {
    int start = 0;
    int run = 0;
    int toOpen = 0;
    for (int page = 0; page < states.length; page++) {
      int first = page * pageSlots;
      if (first % chunkSlots == 0) {
        run = 0;
      }
      toOpen = run == 0 ? 0 : toOpen;
      if (states[page] == CLOSED && inUse + toOpen < limit) {
        start = run == 0 ? first : start;
        run += end(page) - first;
        toOpen++;
      } else if (states[page] != OPEN || freeIn[page] == 0) {
        run = 0;
      } else {
        for (int slot = first; slot < end(page) && run < length; slot++) {
          start = run == 0 ? slot : start;
          run = free.get(slot) ? run + 1 : 0;
          toOpen = run == 0 ? 0 : toOpen;
        }
      }
      if (run >= length) {
        return start;
      }
    }
    return -1;
  }

  /**
   * Gives back slots of one page.
   *
   * @param end the slot after the last one
   * @return whether these were the last slots of a page that is leaving: then the caller gives back
   *     the memory of the page, and calls {@link #left} afterwards
   */
  boolean give(int first, int end) {
    lock.lock();
    try {
      int page = first / pageSlots;
      if (states[page] == LOST) {
        return false;
      }
      assert areTaken(first, end) && states[page] != CLOSED
          : "one of the slots from " + first + " to " + end + " is free already";
      free.set(first, end);
      freeIn[page] += end - first;
      if (states[page] == LEAVING) {
        return isEmpty(page);
      }
      left += end - first;
      gained(page, end - first);
      return false;
    } finally {
      counted();
      lock.unlock();
    }
  }

  private boolean areTaken(int first, int end) {
    int next = free.nextSetBit(first);
    return end <= end(first / pageSlots) && (next < 0 || next >= end);
  }

  /** Records that slots can be had that could not be had before. */
  private void gained(int page, int slotsGained) {
    top = Math.max(top, page);
    given += slotsGained;
    if (noRunOf != Integer.MAX_VALUE && given > slots >> 6) {
      noRunOf = Integer.MAX_VALUE;
    }
  }

  private void counted() {
    int pages = Math.max(0, limit - inUse);
    count = left + (int) Math.min(closedSlots, (long) pages * pageSlots);
  }

  // ---- pages ----

  /** Returns how many pages there are. */
  int pages() {
    return states.length;
  }

  /** Returns the slot after the last one of a page. */
  int end(int page) {
    return Math.min(slots, (page + 1) * pageSlots);
  }

  private int size(int page) {
    return end(page) - page * pageSlots;
  }

  private boolean isEmpty(int page) {
    return freeIn[page] == size(page);
  }

  private void open(int page) {
    if (states[page] == CLOSED) {
      states[page] = OPEN;
      inUse++;
      closedSlots -= size(page);
      free.set(page * pageSlots, end(page));
      freeIn[page] = size(page);
      left += size(page);
      // Whoever takes a certain slot leaves the others of its page to be had.
      top = Math.max(top, page);
    }
  }

  /**
   * Sets how many pages may have memory. If it is less than there are, nothing happens to these
   * until {@link #leave}.
   */
  void limit(int pages) {
    lock.lock();
    try {
      // The limit moves a little all the time, and that is no reason to look for runs again.
      gained(states.length - 1, Math.max(0, pages - limit) * pageSlots);
      limit = pages;
    } finally {
      counted();
      lock.unlock();
    }
  }

  /**
   * Records that the caller's slot has been used, so that its page has memory behind it.
   *
   * @return whether it is the first of the page that has been used
   */
  boolean used(int slot) {
    int page = slot / pageSlots;
    if (isBacked[page]) {
      return false;
    }
    lock.lock();
    try {
      boolean isFirst = !isBacked[page];
      isBacked[page] = true;
      backed += isFirst ? 1 : 0;
      return isFirst;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many pages have memory behind them. */
  int backed() {
    lock.lock();
    try {
      return backed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether there is memory behind a page. This is decided without the lock, since it may
   * have changed in any case by the time the caller acts on it.
   */
  boolean isBacked(int page) {
    return isBacked[page];
  }

  private void unback(int page) {
    backed -= isBacked[page] ? 1 : 0;
    isBacked[page] = false;
  }

  /** Returns how many pages may have memory just now. */
  int inUse() {
    lock.lock();
    try {
      return inUse;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many pages have memory beyond the limit and are not leaving yet. */
  int excess() {
    lock.lock();
    try {
      return Math.max(0, inUse - leaving - limit);
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many closed pages may be opened. */
  int pagesLeft() {
    lock.lock();
    try {
      return Math.max(0, limit - inUse);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether a page has no memory, and may have it as soon as the limit allows it; without
   * the lock.
   */
  boolean isClosed(int page) {
    return states[page] == CLOSED;
  }

  /** Returns whether the slots of a page can be had, when they are free; without the lock. */
  boolean isOpen(int page) {
    return states[page] == OPEN;
  }

  /** Returns whether the page that a slot lies in is leaving; without the lock. */
  boolean isLeaving(int slot) {
    return states[slot / pageSlots] == LEAVING;
  }

  /**
   * Keeps the free slots of an open page, and those that are given back, from everybody.
   *
   * @return whether all of them are free already: as with {@link #give}, the caller then gives back
   *     the memory
   */
  boolean leave(int page) {
    lock.lock();
    try {
      if (states[page] != OPEN) {
        return false;
      }
      leaves(page);
      return isEmpty(page);
    } finally {
      counted();
      lock.unlock();
    }
  }

  private void leaves(int page) {
    states[page] = LEAVING;
    leaving++;
    left -= freeIn[page];
  }

  /**
   * Makes a page leave that has memory behind it, and of which no slot has been had since an
   * earlier search came past it.
   *
   * @param from the page that the search begins with
   * @return the page; as with {@link #leave}, the caller gives back its memory. It is -1 if there
   *     is none from there on
   */
  int leaveIdle(int from) {
    lock.lock();
    try {
      for (int page = from; page < states.length; page++) {
        boolean isIdle = states[page] == OPEN && isBacked[page] && isEmpty(page);
        if (isIdle && idle.get(page)) {
          leaves(page);
          return page;
        }
        idle.set(page, isIdle);
      }
      return -1;
    } finally {
      counted();
      lock.unlock();
    }
  }

  /** Lets a leaving page stay, unless no page may, and returns whether it was one that stays. */
  boolean stay(int page) {
    lock.lock();
    try {
      boolean stays = states[page] == LEAVING && !isEmpty(page) && limit > 0;
      if (stays) {
        states[page] = OPEN;
        leaving--;
        left += freeIn[page];
        gained(page, freeIn[page]);
      }
      return stays;
    } finally {
      counted();
      lock.unlock();
    }
  }

  /** Closes a page that has left, and whose memory has been given back, unless it was lost. */
  void left(int page) {
    lock.lock();
    try {
      if (states[page] == LOST) {
        return;
      }
      states[page] = CLOSED;
      leaving--;
      inUse--;
      closedSlots += size(page);
      free.clear(page * pageSlots, end(page));
      freeIn[page] = 0;
      unback(page);
      gained(page, size(page));
    } finally {
      counted();
      lock.unlock();
    }
  }

  /** Takes the slots of a chunk for good, since there is no memory for them. */
  void lose(int chunk) {
    lock.lock();
    try {
      int first = chunk * chunkSlots;
      int end = first + Math.min(slots - first, chunkSlots);
      for (int slot = first; slot < end; slot += pageSlots) {
        int page = slot / pageSlots;
        if (states[page] == CLOSED) {
          closedSlots -= size(page);
        } else if (states[page] != LOST) {
          left -= states[page] == OPEN ? freeIn[page] : 0;
          leaving -= states[page] == LEAVING ? 1 : 0;
          inUse--;
        }
        states[page] = LOST;
        unback(page);
        free.clear(slot, end(page));
      }
      top = states.length - 1;
    } finally {
      counted();
      lock.unlock();
    }
  }
}
