/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Which slots are free: a bitmap. Single slots are taken from the top and runs from the bottom, so
 * that the former don't cut the space of the latter to pieces.
 *
 * <p>Thread-safe, by a lock that is held for a scan of the bitmap at most; a full cache, which
 * evicts, comes by without it.
 */
final class FreeSlots {

  private final ReentrantLock lock = new ReentrantLock();
  private final int slots;
  private final int chunkSlots;

  /** A bit per slot, set where it is free. */
  private final long[] bits;

  /** No slot above is free. */
  private int top;

  /** How many bits are set. */
  private int left;

  /** The same, for those who look without the lock. */
  private volatile int count;

  /** The shortest run that was looked for in vain, since when little has been given back. */
  private volatile int noRunOf = Integer.MAX_VALUE;

  /** What has been given back since. */
  private int given;

  /**
   * All are free.
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

  /** How many are free just now. */
  int count() {
    return count;
  }

  /** Takes one; -1 if there is none. */
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
   * Whether it is worth looking for so many neighbours. The look is long, and readers ask again and
   * again: after one in vain it is only when a part of all slots has been given back.
   */
  boolean mayHaveRun(int length) {
    return length <= chunkSlots && length <= count && length < noRunOf;
  }

  /** Takes {@code length} neighbours; returns the first, or -1 if there are no such. */
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

  /** Whether the word of slot {@code first} lies in one chunk. */
  private boolean isInOne(int first) {
    return chunkSlots >= 64 && first + 64 <= slots;
  }

  /**
   * Takes all that are free now of {@code length} neighbours from {@code first} on.
   *
   * @return how many these were
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

  /** Gives one back. */
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
