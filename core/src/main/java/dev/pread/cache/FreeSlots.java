/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A bitmap of the slots that are free. Single slots are taken from the top and runs from the
 * bottom, so that the former don't break up the space of the latter.
 *
 * <p>It is thread-safe: a lock is held for a scan of the bitmap at most. A full cache, which
 * evicts, gets by without the lock.
 */
final class FreeSlots {

  private final ReentrantLock lock = new ReentrantLock();
  private final int slots;
  private final int chunkSlots;

  /** A bit per slot, which is set if the slot is free. */
  private final long[] bits;

  /** A slot above which none is free. */
  private int top;

  /** How many bits are set. */
  private int left;

  /** The same, for callers that look without the lock. */
  private volatile int count;

  /**
   * The length of the shortest run that was looked for in vain; few slots have been given back
   * since.
   */
  private volatile int noRunOf = Integer.MAX_VALUE;

  /** How many slots have been given back since that search. */
  private int given;

  /**
   * Creates the bitmap with all slots free.
   *
   * @param chunkSlots no run crosses a multiple of it
   */
  FreeSlots(int slots, int chunkSlots) {
    this.slots = slots;
    this.chunkSlots = chunkSlots;
    this.bits = new long[(slots + 63) >>> 6];
    for (int i = 0; i < slots; i++) {
      bits[i >>> 6] |= 1L << i;
    }
    top = slots - 1;
    left = slots;
    count = slots;
  }

  /** Returns how many slots are free just now. */
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
      for (int word = top >>> 6; top >= 0 && word >= 0; word--) {
        if (bits[word] != 0) {
          int slot = (word << 6) + 63 - Long.numberOfLeadingZeros(bits[word]);
          bits[word] &= ~(1L << slot);
          top = slot - 1;
          count = --left;
          return slot;
        }
      }
      top = -1;
      return -1;
    } finally {
      lock.unlock();
    }
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
      int start = 0;
      int run = 0;
      for (int i = 0; i < slots; i++) {
        if (i % chunkSlots == 0 || run == 0) {
          start = i;
          run = 0;
        }
        if ((i & 63) == 0 && bits[i >>> 6] == 0) {
          run = 0;
          i += 63;
        } else if ((i & 63) == 0 && bits[i >>> 6] == -1 && run + 64 < length && isInOne(i)) {
          run += 64;
          i += 63;
        } else if ((bits[i >>> 6] & (1L << i)) == 0) {
          run = 0;
        } else if (++run == length) {
          for (int slot = start; slot < start + length; slot++) {
            bits[slot >>> 6] &= ~(1L << slot);
          }
          left -= length;
          count = left;
          return start;
        }
      }
      noRunOf = length;
      given = 0;
      return -1;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the word of slot {@code first} lies in one chunk. */
  private boolean isInOne(int first) {
    return chunkSlots >= 64 && first + 64 <= slots;
  }

  /**
   * Takes those of {@code length} neighbouring slots from {@code first} on that are free now.
   *
   * @return how many there were
   */
  int drain(int first, int length) {
    lock.lock();
    try {
      int taken = 0;
      for (int slot = first; slot < first + length; slot++) {
        if ((bits[slot >>> 6] & (1L << slot)) != 0) {
          bits[slot >>> 6] &= ~(1L << slot);
          taken++;
        }
      }
      left -= taken;
      count = left;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a slot back. */
  void give(int slot) {
    lock.lock();
    try {
      assert (bits[slot >>> 6] & (1L << slot)) == 0 : "slot " + slot + " is free already";
      bits[slot >>> 6] |= 1L << slot;
      top = Math.max(top, slot);
      count = ++left;
      if (noRunOf != Integer.MAX_VALUE && ++given > slots >> 6) {
        noRunOf = Integer.MAX_VALUE;
      }
    } finally {
      lock.unlock();
    }
  }
}
