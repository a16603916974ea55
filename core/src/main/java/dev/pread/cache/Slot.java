/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * One block's worth of the cache's memory, and what is in it.
 *
 * <p>Stable ({@link Guard}): it holds {@code block} of {@code owner}, and is in that file's table.
 * In motion: it belongs to one thread, that fills or frees it, or to nobody, as a free slot.
 */
public final class Slot extends Guard {

  /** How often a use is counted. */
  static final int MAX_USES = 3;

  /** Its number; memory and offset follow from it. */
  final int index;

  /** Written only by who has taken the slot; readers compare it under a version. */
  CachedFile owner;

  /** As {@link #owner}. */
  int block;

  /** The extent it is a part of, while it is; written by who has taken the slot. */
  Extent extent;

  /**
   * Uses since it was last looked at for eviction, at most {@link #MAX_USES}. Written by readers
   * without any order, since a lost count does no harm; and not at all once it is at its maximum,
   * so that a hot slot's cache line stays shared.
   */
  byte uses;

  /** Which queue it is in; this and the links under the lock of its {@link EvictionShard}. */
  byte queue = SlotQueue.NONE;

  Slot before;
  Slot after;

  Slot(int index) {
    super(false);
    this.index = index;
  }

  /** Its number, for events and messages. */
  public int index() {
    return index;
  }

  /** Counts a use. */
  public void touch() {
    if (uses < MAX_USES) {
      uses++;
    }
  }

  /** Whether it holds that block; only a version that stays the same makes the answer final. */
  boolean holds(CachedFile file, int blockNumber) {
    return owner == file && block == blockNumber;
  }

  @Override
  public String toString() {
    return "Slot(" + index + ", version=" + version + ", " + owner + ", block=" + block + ")";
  }
}
