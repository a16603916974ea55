/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes room in a full cache for a file that is to lie in one piece. Neighbouring slots are
 * emptied, those that cost least, and go to an extent as they become free; the blocks of the file
 * follow at once. So the blocks that lay there can move to the slots that those of the file leave:
 * the two are exchanged, and each is copied twice at most. What the eviction would not let stay is
 * evicted instead.
 *
 * <p>Linux makes room for huge pages in the same way, and calls it compaction.
 *
 * <p>There is one per cache. It is thread-safe: one thread at a time makes room, and any thread
 * that frees a slot which is wanted gives it to the extent.
 */
final class Compaction extends SlotEmptier {

  /** How long to wait before slots are visited again that were being filled. */
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /**
   * How long it may take until the next block comes, before the attempt is given up: there are
   * slots that nobody will free, and sources that are closed.
   */
  private static final long MAX_STILL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often slots are chosen anew, where some of those chosen before must stay. */
  private static final int MAX_CHOICES = 64;

  /** What it costs to empty a slot: to find out what is in it, to evict that, or to move it. */
  private static final int FREE = 0;

  private static final int COLD = 1;
  private static final int HOT = 3;

  /** The cost of what can't be had. */
  private static final int FORBIDDEN = -1;

  private final ReentrantLock lock = new ReentrantLock();

  /** The extent that is given its slots, or null. It is written under the lock. */
  private volatile Extent extent;

  /** The file of the extent. It is guarded by the lock. */
  private CachedFile file;

  Compaction(SlotCache cache) {
    super(cache);
  }

  // ---- for threads that free slots ----

  /** Returns whether a slot should be given to the extent that is being made. */
  boolean wants(int slot) {
    Extent wanting = extent;
    return wanting != null && wanting.covers(slot);
  }

  /** Returns whether an extent is the one that is being made: then its slots stay. */
  boolean makes(Extent other) {
    return extent == other;
  }

  /** Gives the extent that is being made a free slot of the caller's, if it wants the slot. */
  boolean take(Slot slot) {
    Extent wanting = extent;
    return wanting != null && wanting.covers(slot.index) && wanting.unclaim(slot);
  }

  // ---- for the thread that makes room ----

  /**
   * Brings the blocks of a stretch together in one extent, at the expense of others.
   *
   * @param waits whether to wait while another thread makes room, as long as for a block, rather
   *     than give up
   * @return whether they lie in one piece now
   */
  boolean run(Stretch stretch, ReadableFile source, boolean waits) {
    StackReserve.ensure();
    if (!(waits ? lockInTime() : lock.tryLock())) {
      return false;
    }
    try {
      // Whoever had the lock may have done it, or have been in vain.
      file = stretch.file();
      if (file.isClosed() || cache.isClosed() || cache.isShrinking() || !stretch.mayMakeRoom()) {
        return false;
      }
      int blocks = stretch.blocks();
      cache.pendingExtents().endAll();
      int first = choose(blocks);
      if (first < 0) {
        return false;
      }
      Extent made = new Extent(file, stretch.first(), blocks, first, false);
      extent = made;
      stretch.enterInstead(made);
      // What it was made for is worth as much as what was read just now.
      made.touch();
      int present = 0;
      long last = System.nanoTime();
      long maxStill = Math.min(MAX_STILL_NANOS, cache.maxWaitNanos());
      while (mayGoOn(made) && System.nanoTime() - last < maxStill) {
        takeFree(made, first, blocks);
        emptyAndFill(made, first, blocks, source);
        int now = made.present();
        if (now > present) {
          present = now;
          last = System.nanoTime();
        }
        if (mayGoOn(made)) {
          pause(PAUSE_NANOS);
        }
      }
      return made.isComplete();
    } finally {
      end();
    }
  }

  /**
   * Takes the lock, unless that takes longer than to wait for a block may take: whoever has it may
   * be reading from a device that does not answer, which is no reason to wait for one that does. An
   * interrupt does not end the wait.
   */
  private boolean lockInTime() {
    boolean interrupted = false;
    long left = cache.maxWaitNanos();
    try {
      while (true) {
        long start = System.nanoTime();
        try {
          return lock.tryLock(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
          left -= System.nanoTime() - start;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void end() {
    try {
      if (extent != null) {
        // Whatever has happened, nothing is kept that will not be filled. Eviction leaves the
        // extent alone until then: some of its pages may never have been open.
        extent.endIfPending();
      }
    } finally {
      extent = null;
      file = null;
      lock.unlock();
    }
  }

  /** Returns whether a thread makes room just now. */
  boolean isBusy() {
    return lock.isLocked();
  }

  /** Waits while an extent is being made, as long as for a block. */
  void await(Extent made) {
    if (lockInTime()) {
      try {
        assert !makes(made);
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean mayGoOn(Extent made) {
    return made.isPending() && !file.isClosed() && !cache.isClosed() && !cache.isShrinking();
  }

  /** Takes what is free at the beginning, so that no block moves to where it can't stay. */
  private void takeFree(Extent made, int first, int blocks) {
    for (int i = first; i < first + blocks && mayGoOn(made); i++) {
      if (occupied(i) == null && cache.take(i)) {
        cache.release(cache.slot(i));
      }
    }
  }

  private void emptyAndFill(Extent made, int first, int blocks, ReadableFile source) {
    Extents extents = file.extents();
    for (int i = 0; i < blocks && mayGoOn(made); i++) {
      Slot slot = occupied(first + i);
      boolean isHome = slot != null && slot.extent == made;
      if (slot != null && !isHome && !extents.moveHome(slot) && !empty(slot, made)) {
        made.end();
      }
      // If its block is in the cache, it leaves a slot to the next one that has to move.
      Slot elsewhere = isHome ? null : file.find(made.firstBlock() + i);
      boolean ignored = elsewhere != null && extents.moveHome(elsewhere);
      if (i % Fill.MAX_BLOCKS == Fill.MAX_BLOCKS - 1) {
        extents.fillAll(made, source);
      }
    }
    extents.fillAll(made, source);
  }

  @Override
  boolean shouldMove(Slot slot, CachedFile owner) {
    return owner == file || EvictionShard.isHot(slot) || cache.freeCount() > 0;
  }

  // ---- the choice of slots ----

  /**
   * Returns the first of {@code length} neighbouring slots that can all be emptied, or -1 if there
   * are none. Extents that lie there end before anything moves: from then on nobody can begin to
   * look at their memory.
   */
  private int choose(int length) {
    int pages = free.pages();
    boolean[] areClosed = new boolean[pages];
    int[] costs = new int[pages];
    for (int page = 0; page < pages; page++) {
      areClosed[page] = free.isClosed(page);
      costs[page] = cost(page, areClosed[page]);
    }
    for (int i = 0; i < MAX_CHOICES; i++) {
      int first = cheapestRun(length, costs, areClosed);
      if (first < 0) {
        return -1;
      }
      if (!forbidPinned(first, length, costs)) {
        int staying = endExtents(first, length);
        if (staying < 0) {
          return first;
        }
        costs[staying / cache.pageSlots()] = FORBIDDEN;
      }
    }
    return -1;
  }

  /**
   * Forbids those pages of a run of which slots are handed out, since a look at a few of the slots
   * may have missed them, and returns whether there are any.
   */
  private boolean forbidPinned(int first, int length, int[] costs) {
    boolean found = false;
    for (int i = first; i < first + length; i++) {
      if (isPinned(occupied(i))) {
        costs[i / cache.pageSlots()] = FORBIDDEN;
        found = true;
      }
    }
    return found;
  }

  private static boolean isPinned(Slot slot) {
    Extent extent = slot == null ? null : slot.extent;
    return extent != null && extent.isPinned();
  }

  /** Ends all extents of a run, and returns -1, or a slot whose extent has to stay. */
  private int endExtents(int first, int length) {
    for (int i = first; i < first + length; i++) {
      Slot slot = occupied(i);
      Extent in = slot == null ? null : slot.extent;
      if (in != null && in.tryEvict() == Extent.Answer.NO) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns the first of {@code length} neighbouring slots that are the cheapest to empty, or -1 if
   * there are none. It is the first one of a page.
   */
  private int cheapestRun(int length, int[] costs, boolean[] areClosed) {
    int pages = (length + cache.pageSlots() - 1) / cache.pageSlots();
    int mayOpen = free.pagesLeft();
    int best = -1;
    long least = Long.MAX_VALUE;
    for (int page = 0; page + pages <= costs.length; page++) {
      int first = page * cache.pageSlots();
      int last = first + length - 1;
      boolean isPossible =
          last / cache.chunkSlots() == first / cache.chunkSlots() && last < cache.slots();
      long cost = 0;
      int closed = 0;
      for (int i = page; i < page + pages && isPossible; i++) {
        closed += areClosed[i] ? 1 : 0;
        isPossible = costs[i] != FORBIDDEN && closed <= mayOpen;
        cost += costs[i];
      }
      if (isPossible && cost < least) {
        least = cost;
        best = first;
      }
    }
    return best;
  }

  private int cost(int page, boolean isClosed) {
    int first = page * cache.pageSlots();
    if (cache.chunk(first) == null || !(isClosed || free.isOpen(page))) {
      return FORBIDDEN;
    }
    int cost = 0;
    for (int i = first; i < free.end(page) && !isClosed; i += step()) {
      Slot slot = occupied(i);
      if (isPinned(slot)) {
        return FORBIDDEN;
      }
      cost += slot == null ? FREE : isUsed(slot) ? HOT : COLD;
    }
    return cost;
  }
}
