/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import java.util.ArrayDeque;

/**
 * The extents of a cache that keep free slots for blocks that have not come yet. They give them up,
 * the oldest first, before a block is evicted.
 *
 * <p>There is one per cache. It is thread-safe.
 */
final class PendingExtents {

  /** So few are not searched for those that keep no slots any more. */
  private static final int MIN_SWEEP = 64;

  /** The table of a file of so many blocks takes tens of kilobytes of the heap. */
  private static final int LARGE_FILE = 4096;

  private final SlotMemory memory;

  /**
   * The oldest come first. They are changed under the lock. Those that keep no slots any more are
   * sought out when there are twice as many as after the last search: to look for them each time
   * would take a time that grows with the square of the number of files.
   */
  private final ArrayDeque<Extent> extents = new ArrayDeque<>();

  private final BriefLock lock = new BriefLock();

  /** How many there are at the next search, under the lock. */
  private int sweepAt = MIN_SWEEP;

  PendingExtents(SlotMemory memory) {
    this.memory = memory;
  }

  /**
   * Returns an extent of neighbouring slots for {@code blocks} neighbouring blocks, or null if
   * there are no such slots.
   */
  Extent make(CachedFile file, int firstBlock, int blocks) {
    int run = blocks == 1 || memory.isClosed() ? -1 : memory.takeRun(blocks);
    if (run < 0) {
      return null;
    }
    Extent extent = null;
    boolean done = false;
    try {
      extent = new Extent(file, firstBlock, blocks, run, true);
      add(extent);
      done = true;
      return extent;
    } finally {
      if (!done && extent != null) {
        extent.end();
      } else if (!done) {
        memory.freeRun(run, blocks);
      }
    }
  }

  private void add(Extent extent) {
    lock.lock();
    try {
      if (extents.size() >= sweepAt) {
        forgetOthers();
      }
      extents.add(extent);
    } finally {
      lock.unlock();
    }
  }

  private void forgetOthers() {
    extents.removeIf(e -> !e.isPending());
    sweepAt = Math.max(MIN_SWEEP, 2 * extents.size());
  }

  /** Forgets a file that has been closed, if it is so large that its table is worth a search. */
  void closed(CachedFile file) {
    if (file.blocks() >= LARGE_FILE) {
      lock.lock();
      try {
        forgetOthers();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Makes the slots free that the oldest one keeps.
   *
   * @return false if there is none
   */
  boolean endOldest() {
    Extent oldest = poll();
    if (oldest == null) {
      return false;
    }
    oldest.endIfPending();
    return true;
  }

  /** Makes all slots free that are kept. */
  void endAll() {
    while (endOldest()) {}
  }

  private Extent poll() {
    lock.lock();
    try {
      Extent oldest = extents.poll();
      sweepAt = extents.isEmpty() ? MIN_SWEEP : sweepAt;
      return oldest;
    } finally {
      lock.unlock();
    }
  }
}
