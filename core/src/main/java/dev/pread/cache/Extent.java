/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Neighbouring slots that are kept for neighbouring blocks of one file: once all of them are
 * filled, the file lies in memory in one piece, and a reader needs neither look-ups nor borders
 * between blocks.
 *
 * <p>This is how a cache that has room keeps up with a mapped file. It lasts as long as the room:
 * when slots run out, extents that are not complete give back what they have not filled, and the
 * first block of a complete one that eviction comes across ends it. Its blocks stay where they are,
 * each on its own from then on.
 *
 * <p>Stable ({@link Guard}): complete, and what was read under one version is right.
 *
 * <p>Thread-safe. The lock is held for a few steps and never during a read; who only asks how it is
 * does without, since searches ask for every vector.
 */
public final class Extent extends Guard {

  private static final WeakReference<CurrentView> NO_VIEW = new WeakReference<>(null);

  private final ReentrantLock lock = new ReentrantLock();
  private final CachedFile file;
  private final SlotCache cache;
  private final int firstBlock;
  private final int blocks;
  private final int firstSlot;
  private final Chunk chunk;
  private final int base;
  private final int size;

  /** Blocks whose slots have been handed out to be filled. */
  private final BitSet claimed;

  private int claimedCount;

  /** Whether some have not been; written under the lock. */
  private volatile boolean hasUnclaimed = true;

  /** Of these, the ones that are filled, and how many that are. */
  private final BitSet filled;

  private int filledCount;

  /** Whether all of it has been filled; written under the lock. */
  private volatile boolean complete;

  /**
   * Whether it will never be complete again. Written under the lock, and after the version has
   * changed: whoever sees it without the lock may reuse the slots, and no reader may then still
   * find the version it knows.
   */
  private volatile boolean ended;

  /**
   * Whether a view of it may be in use: then nothing of it may change. Written under the lock;
   * never set once it has ended.
   */
  private volatile boolean pinned;

  /** How many views have been made that may be in use. */
  private int views;

  /**
   * Whether its room has been asked for in vain: no view is made until the last one has gone.
   * Written under the lock.
   */
  private volatile boolean wanted;

  /** The view to hand out, until the next collection. */
  private volatile WeakReference<CurrentView> view = NO_VIEW;

  /** Whether somebody has read in it; says how its blocks are counted when it ends. */
  private boolean touched;

  /**
   * @param firstSlot of as many slots as there are blocks
   * @param size bytes of the file in it, up to a block less than the slots'
   */
  Extent(CachedFile file, int firstBlock, int blocks, int firstSlot, int size) {
    super(false);
    this.file = file;
    this.cache = file.cache();
    this.firstBlock = firstBlock;
    this.blocks = blocks;
    this.firstSlot = firstSlot;
    this.size = size;
    this.chunk = cache.chunk(firstSlot);
    this.base = cache.offset(firstSlot);
    this.claimed = new BitSet(blocks);
    this.filled = new BitSet(blocks);
  }

  /** The memory it lies in. */
  public Chunk chunk() {
    return chunk;
  }

  /** Where in its chunk it begins. */
  public int base() {
    return base;
  }

  /** Where in the file it begins, bytes. */
  public long start() {
    return (long) firstBlock << cache.blockBits();
  }

  /** Bytes of the file in it. */
  public int size() {
    return size;
  }

  /** The slot of {@code block}, in motion and the caller's; null if it is not to be had. */
  Slot claim(int block) {
    lock.lock();
    try {
      int i = block - firstBlock;
      if (ended || claimed.get(i)) {
        return null;
      }
      claimed.set(i);
      claimedCount++;
      hasUnclaimed = claimedCount < blocks;
      Slot slot = cache.slot(firstSlot + i);
      slot.extent = this;
      return slot;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a claimed slot back that could not be filled, or whose block has gone; false if it is the
   * caller's to free.
   */
  boolean unclaim(Slot slot) {
    lock.lock();
    try {
      slot.extent = null;
      if (complete) {
        // It is not in one piece any more.
        end();
      }
      if (ended && !pinned) {
        return false;
      }
      // Once it has ended, the slot is freed when nobody looks at it any more.
      int i = slot.index - firstSlot;
      claimed.clear(i);
      claimedCount--;
      hasUnclaimed = true;
      if (filled.get(i)) {
        filled.clear(i);
        filledCount--;
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A claimed slot has been filled, and is about to be published: later, it might be somebody
   * else's.
   */
  void filled(Slot slot) {
    lock.lock();
    try {
      filled.set(slot.index - firstSlot);
      filledCount++;
      if (filledCount == blocks && !ended) {
        complete = true;
        publish();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Somebody reads in it. */
  public void touch() {
    if (!touched) {
      touched = true;
    }
  }

  /** The first block from {@code block} on that nobody has claimed, wrapping around; -1 if none. */
  int nextUnclaimed(int block) {
    lock.lock();
    try {
      if (ended) {
        return -1;
      }
      int i = claimed.nextClearBit(Math.max(0, block - firstBlock));
      if (i >= blocks) {
        i = claimed.nextClearBit(0);
      }
      return i < blocks ? firstBlock + i : -1;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there are slots in it that nobody has asked for. */
  boolean hasUnclaimed() {
    return hasUnclaimed;
  }

  /** Whether it will never be complete again. */
  boolean isEnded() {
    return ended;
  }

  /** Whether it may still become complete. */
  boolean isPending() {
    return !ended && !complete;
  }

  /** Whether it has ended and nobody looks at what it was. */
  boolean isGone() {
    // In this order: it is not pinned any more after it has ended.
    return ended && !pinned;
  }

  /** What the eviction may do with a slot of an extent. */
  enum Answer {
    /** Take it. */
    YES,
    /** Look at its uses first: they have not been counted until now. */
    LATER,
    /** Nothing: its memory is being looked at. */
    NO
  }

  /**
   * Asked by the eviction for one of its slots: ends it, counting the use of its blocks, which
   * nobody has counted until now; one whose memory has been handed out stays, but not for longer
   * than somebody looks at it.
   */
  Answer tryEvict() {
    if (isGone()) {
      return Answer.YES;
    }
    lock.lock();
    try {
      if (pinned) {
        wanted = true;
        return Answer.NO;
      }
      if (ended) {
        return Answer.YES;
      }
      for (int i = 0; touched && i < blocks; i++) {
        cache.slot(firstSlot + i).touch();
      }
      end();
      return Answer.LATER;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends it unless it is complete. One that is may have been handed out, and what is handed out
   * ends only with its file or the cache.
   */
  void endIfPending() {
    lock.lock();
    try {
      if (isPending()) {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends it, complete or not: readers look blocks up from now on, and slots that have not been
   * claimed are free again, at once or when nobody looks at its memory any more.
   */
  void end() {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      tryTake(acquire());
      ended = true;
      view = NO_VIEW;
      if (pinned) {
        cache.pinnedExtentEnded(blocks);
      } else {
        freeUnclaimed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Under the lock, once. */
  private void freeUnclaimed() {
    for (int i = claimed.nextClearBit(0); i < blocks; i = claimed.nextClearBit(i + 1)) {
      cache.free(firstSlot + i);
    }
  }

  // ---- memory that is handed out ----

  /** Makes an object of any kind that gives access to memory. */
  @FunctionalInterface
  public interface ViewMaker {

    /**
     * Makes the view.
     *
     * @param release to be run once when neither the view nor anything made of it can be reached
     */
    Object view(ByteBuffer chunk, int base, int size, Runnable release);
  }

  /**
   * What is handed out until the next collection. Nobody holds this object, so that each collection
   * takes it, and the next view is another one. A view that was handed out for as long as the file
   * is open would grow old, and what is old is collected late: long after the file is closed. This
   * way a view grows no older than those who use it.
   */
  private record CurrentView(Object view) {}

  /**
   * The view of its memory, whose contents stay what they are as long as anybody can reach it.
   *
   * @return null if it is not complete, or the cache has handed out as much as it should, or wants
   *     the room back
   */
  public Object view(ViewMaker maker) {
    CurrentView current = view.get();
    if (current != null) {
      return current.view();
    }
    return complete && !ended && !wanted ? makeView(maker) : null;
  }

  private Object makeView(ViewMaker maker) {
    if (!pinned && !cache.hasRoomToPin(blocks)) {
      return null;
    }
    StackReserve.ensure();
    ViewGone gone = new ViewGone();
    lock.lock();
    try {
      CurrentView current = view.get();
      if (current != null) {
        return current.view();
      }
      if (ended || !complete || wanted || (!pinned && !cache.pin(blocks))) {
        return null;
      }
      pinned = true;
      views++;
      boolean made = false;
      try {
        current = new CurrentView(maker.view(chunk.bytes(), base, size, gone));
        view = new WeakReference<>(current);
        made = true;
      } finally {
        if (!made) {
          gone.run();
        }
      }
      return current.view();
    } finally {
      lock.unlock();
    }
  }

  /** Whether somebody may be looking at a view of it. */
  boolean isPinned() {
    return pinned;
  }

  /** Nobody looks at one of the views any more: run by the cleaner, and counted once. */
  private final class ViewGone implements Runnable {

    private boolean counted;

    @Override
    public void run() {
      boolean free;
      lock.lock();
      try {
        free = !counted && leaveView() && ended;
        counted = true;
      } finally {
        lock.unlock();
      }
      for (int i = 0; free && i < blocks; i++) {
        file.freeIfOurs(cache.slot(firstSlot + i));
      }
    }
  }

  /** Under the lock; says whether that was the last view. */
  private boolean leaveView() {
    views--;
    if (views > 0) {
      return false;
    }
    pinned = false;
    wanted = false;
    cache.unpinned(blocks, ended);
    if (ended) {
      freeUnclaimed();
    }
    return true;
  }

  /** Makes all readers look up again, though nothing has changed. */
  void invalidate() {
    lock.lock();
    try {
      if (tryTake(acquire())) {
        publish();
      }
    } finally {
      lock.unlock();
    }
  }
}
