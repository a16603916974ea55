/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

/**
 * One block's worth of the cache's memory, and what is in it.
 *
 * <p>While it is stable ({@link Guard}), it holds {@code block} of {@code owner}, and is in that
 * file's table. While it is in motion, it belongs to one thread, which fills or frees it, or to
 * nobody, as a free slot does.
 */
public final class Slot extends Guard {

  /** The largest number of uses that is counted. */
  static final int MAX_USES = 3;

  /** The slot's number, from which its memory and offset follow. */
  final int index;

  /**
   * The file whose block it holds. Only the thread that has taken the slot writes it; readers
   * compare it under a version.
   */
  CachedFile owner;

  /** The block it holds, written and read as {@link #owner} is. */
  int block;

  /** The extent it is a part of, if any; written by the thread that has taken the slot. */
  Extent extent;

  /**
   * The queue that reads the block while the slot is in motion, or null if a thread does. It is
   * written by the thread that enters the slot into the table, before that.
   */
  FillQueue reader;

  /**
   * The uses since it was last looked at for eviction, at most {@link #MAX_USES}. Readers write it
   * without any order, since a lost count does no harm, and do not write it at all once it is at
   * its maximum, so that a hot slot's cache line stays shared.
   */
  byte uses;

  /**
   * The queue it is in. This and the links are guarded by the lock of its {@link EvictionShard}.
   */
  byte queue = SlotQueue.NONE;

  /**
   * Whether its block has come in since somebody might read it, which is no use of it yet. It is
   * written under the same lock, and who moves the block reads it without.
   */
  boolean isReadAhead;

  Slot before;
  Slot after;

  Slot(int index) {
    super(false);
    this.index = index;
  }

  /** Returns its number, for events and messages. */
  public int index() {
    return index;
  }

  /** Returns whether it seems to lie in one piece with its neighbours: a complete extent. */
  public boolean isInOnePiece() {
    Extent in = extent;
    return in != null && in.isComplete();
  }

  /** Counts a use. */
  public void touch() {
    if (uses < MAX_USES) {
      uses++;
    }
  }

  /**
   * Returns whether it holds that block. Only a version that stays the same makes the answer final.
   */
  boolean holds(CachedFile file, int blockNumber) {
    return owner == file && block == blockNumber;
  }

  @Override
  public String toString() {
    return "Slot(" + index + ", version=" + version + ", " + owner + ", block=" + block + ")";
  }
}
