/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The extents of one file. There is at most one for each stretch as long as a chunk of the cache.
 * It is thread-safe.
 */
final class Extents {

  private final CachedFile file;
  private final SlotCache cache;
  private final int blocks;
  private final int stretch;
  private final int stretchBits;
  private final AtomicReferenceArray<Extent> extents;
  private final boolean[] tried;

  /**
   * The number of failed reads after which a stretch is not tried again: one may have been an
   * accident.
   */
  private static final int MANY_FAILURES = 3;

  /** How many of the reads that were made to complete a stretch have failed. */
  private final int[] failures;

  private final ReentrantLock lock = new ReentrantLock();

  Extents(CachedFile file, int blocks) {
    this.file = file;
    this.cache = file.cache();
    this.blocks = blocks;
    this.stretch = cache.chunkSlots();
    this.stretchBits = Integer.numberOfTrailingZeros(stretch);
    int count = (blocks + stretch - 1) / stretch;
    this.extents = new AtomicReferenceArray<>(count);
    this.tried = new boolean[count];
    this.failures = new int[count];
  }

  Extent at(int block) {
    int i = block >>> stretchBits;
    return i < extents.length() ? extents.get(i) : null;
  }

  /** Returns the extent of {@code block}. The first call makes it, if there is room. */
  Extent place(int block) {
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    return extent != null || tried[i] ? extent : make(i, false);
  }

  /**
   * Returns the extent of {@code block} as {@link #place} does, but tries again if there was no
   * room before, or if the extent has ended since: blocks that are in the cache already can move
   * into it.
   */
  Extent placeAgain(int block) {
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    return mayMakeAgain(i, extent) ? make(i, true) : extent;
  }

  private boolean mayMakeAgain(int i, Extent extent) {
    // A single block is in one piece anyway.
    return blocksIn(i) > 1
        && failures[i] < MANY_FAILURES
        && (extent == null || extent.isGone())
        && cache.hasRoomToMove(blocksIn(i));
  }

  /** Returns whether the stretch of {@code block} could lie in one piece, and does not. */
  boolean mayComplete(int block) {
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    return (extent != null && extent.isPending() && extent.hasUnclaimed())
        || mayMakeAgain(i, extent);
  }

  /** Returns whether one extent could hold all blocks from {@code block} to {@code last}. */
  boolean inOne(int block, int last) {
    return block >>> stretchBits == last >>> stretchBits;
  }

  /**
   * Records that a part of the file around {@code block} could not be read. If that goes on, the
   * extent will never be complete, and gives back what it keeps.
   */
  void failed(int block) {
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    if (++failures[i] >= MANY_FAILURES && extent != null) {
      extent.endIfPending();
    }
  }

  private int blocksIn(int i) {
    return Math.min(stretch, blocks - i * stretch);
  }

  private Extent make(int i, boolean again) {
    lock.lock();
    try {
      Extent extent = extents.get(i);
      if (again ? extent == null || extent.isGone() : !tried[i]) {
        int first = i * stretch;
        long start = (long) first << cache.blockBits();
        long left = file.length() - start;
        int size = (int) Math.min((long) blocksIn(i) << cache.blockBits(), left);
        extent = cache.newExtent(file, first, blocksIn(i), size);
        if (extent != null || !again) {
          extents.set(i, extent);
        }
        tried[i] = true;
        Extent made = extents.get(i);
        if (made != null && (file.isClosed() || cache.isClosed())) {
          // The close of the file or the cache has ended only the extents that it found.
          made.end();
        }
      }
      return extents.get(i);
    } finally {
      lock.unlock();
    }
  }

  void forEach(Consumer<Extent> action) {
    for (int i = 0; i < extents.length(); i++) {
      Extent extent = extents.get(i);
      if (extent != null) {
        action.accept(extent);
      }
    }
  }
}
