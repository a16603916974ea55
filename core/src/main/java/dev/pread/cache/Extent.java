/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Neighbouring slots that are kept for neighbouring blocks of one file. Once all of them are
 * filled, the file lies in memory in one piece, and a reader needs no look-ups and meets no borders
 * between blocks.
 *
 * <p>This is how a cache that has room keeps up with a mapped file. An extent lasts as long as
 * there is room: when slots run out, extents that are not complete give back what they have not
 * filled, and a complete one ends as soon as eviction comes across one of its blocks. Its blocks
 * stay where they are, each on its own from then on.
 *
 * <p>While it is stable ({@link Guard}), it is complete, and what was read under one version is
 * right.
 *
 * <p>It is thread-safe. The lock is held for a few steps and never during a read. Callers that only
 * ask for its state do not take it, since searches ask for every vector.
 */
public final class Extent extends Guard {

  private static final WeakReference<CurrentView> NO_VIEW = new WeakReference<>(null);

  private final BriefLock lock = new BriefLock();
  private final CachedFile file;
  private final SlotCache cache;
  private final int firstBlock;
  private final int blocks;
  private final int firstSlot;
  private final Chunk chunk;
  private final int base;
  private final int size;

  /** The blocks whose slots have been handed out to be filled, or are not its own yet. */
  private final BitSet claimed;

  private int claimedCount;

  /** Whether some blocks have not been claimed. It is written under the lock. */
  private volatile boolean hasUnclaimed = true;

  /** Those of the claimed blocks that are filled. */
  private final BitSet filled;

  private int filledCount;

  /** Whether all of it has been filled. It is written under the lock. */
  private volatile boolean complete;

  /**
   * Whether it will never be complete again. This is written under the lock, and after the version
   * has changed: whoever sees it without the lock may reuse the slots, and no reader may then still
   * find the version it knows.
   */
  private volatile boolean ended;

  /**
   * Whether a view of it may be in use: then none of it may change. This is written under the lock,
   * and never set once the extent has ended.
   */
  private volatile boolean pinned;

  /** How many views have been made that may be in use. */
  private int views;

  /**
   * Whether its room has been asked for in vain: no view is made until the last one has gone. This
   * is written under the lock.
   */
  private volatile boolean wanted;

  /** The view to hand out until the next collection. */
  private volatile WeakReference<CurrentView> view = NO_VIEW;

  /**
   * Whether somebody has read in it. It decides how the use of its blocks is counted when it ends.
   */
  private boolean touched;

  /**
   * Creates an extent that has no block yet.
   *
   * @param firstSlot the first of as many slots as there are blocks
   * @param hasSlots whether the slots are free and the caller's. Otherwise it is given them one by
   *     one, as they become free ({@link #unclaim})
   */
  Extent(CachedFile file, int firstBlock, int blocks, int firstSlot, boolean hasSlots) {
    super(false);
    this.file = file;
    this.cache = file.cache();
    this.firstBlock = firstBlock;
    this.blocks = blocks;
    this.firstSlot = firstSlot;
    this.size = (int) Math.min((long) blocks << cache.blockBits(), file.length() - start());
    this.chunk = cache.chunk(firstSlot);
    this.base = cache.offset(firstSlot);
    this.claimed = new BitSet(blocks);
    this.filled = new BitSet(blocks);
    if (!hasSlots) {
      claimed.set(0, blocks);
      claimedCount = blocks;
      hasUnclaimed = false;
    }
  }

  /** Returns the memory it lies in. */
  public Chunk chunk() {
    return chunk;
  }

  /** Returns where in its chunk it begins. */
  public int base() {
    return base;
  }

  /** Returns the first block of the file that it is for. */
  int firstBlock() {
    return firstBlock;
  }

  /** Returns the position in the file, in bytes, at which it begins. */
  public long start() {
    return (long) firstBlock << cache.blockBits();
  }

  /** Returns how many bytes of the file are in it. */
  public int size() {
    return size;
  }

  /**
   * Returns the slot of {@code block}, in motion and the caller's, or null if it is not available.
   */
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
   * Takes back a claimed slot that could not be filled, or whose block has gone; or takes a slot
   * that it covers and has not had yet. Returns false if the caller has to free it.
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
      // If the extent has ended, the slot is freed when no view of it is in use any more.
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

  /** Returns whether a slot lies where it does. */
  boolean covers(int slot) {
    return slot >= firstSlot && slot < firstSlot + blocks;
  }

  /**
   * Records that a claimed slot has been filled and is about to be published. This has to come
   * before the publication, after which the slot might be somebody else's.
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

  /** Returns how many of its blocks are there. */
  int present() {
    lock.lock();
    try {
      return filledCount;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether it is in one piece, and somebody has read in it. */
  boolean isTouched() {
    return touched && isComplete();
  }

  /** Records that somebody reads in it. */
  public void touch() {
    if (!touched) {
      touched = true;
    }
  }

  /**
   * Returns the first block from {@code block} on that nobody has claimed, wrapping around, or -1
   * if there is none.
   */
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

  /** Returns how many blocks from an unclaimed one on nobody has claimed. */
  int unclaimedFrom(int block) {
    lock.lock();
    try {
      int i = block - firstBlock;
      int end = claimed.nextSetBit(i);
      return (end < 0 ? blocks : end) - i;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there are slots in it that nobody has claimed. */
  boolean hasUnclaimed() {
    return hasUnclaimed;
  }

  /** Returns whether it will never be complete again. */
  boolean isEnded() {
    return ended;
  }

  /** Returns whether it is in one piece. */
  boolean isComplete() {
    return complete && !ended;
  }

  /** Returns whether it may still become complete. */
  boolean isPending() {
    return !ended && !complete;
  }

  /** Returns whether it has ended and no view of it is in use. */
  boolean isGone() {
    // The order of these reads matters: once it has ended, it can no longer become pinned.
    return ended && !pinned;
  }

  /** Says what the eviction may do with a slot of an extent. */
  enum Answer {
    /** The slot may be taken. */
    YES,
    /** Its uses have to be looked at first: they have not been counted until now. */
    LATER,
    /** The slot must stay: its memory is being looked at, or its extent is just being made. */
    NO
  }

  /**
   * Decides whether eviction may take one of its slots. This ends the extent and counts the use of
   * its blocks, which nobody has counted until now. An extent whose memory has been handed out
   * stays, but only for as long as somebody looks at that memory, and so does one that is being
   * made at the expense of others.
   */
  Answer tryEvict() {
    if (isGone()) {
      return Answer.YES;
    }
    if (pinned && wanted) {
      // It has been asked for, and its lock is not worth waiting for.
      return Answer.NO;
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
      if (cache.compaction().makes(this)) {
        return Answer.NO;
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
   * Asks for the room of what somebody looks at, as {@link #tryEvict} does, but ends nothing. It
   * has no effect where nobody does.
   */
  void requestRoom() {
    if (pinned && !wanted) {
      lock.lock();
      try {
        wanted = pinned;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns whether eviction still has to leave its slots alone. */
  boolean mustStay() {
    return !isGone() && (pinned || cache.compaction().makes(this));
  }

  /**
   * Ends it unless it is complete. A complete one may have been handed out, and what is handed out
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
   * Ends it, complete or not. Readers look blocks up from now on. Slots that have not been claimed
   * become free, at once or when nobody looks at its memory any more.
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
        cache.pins().ended(blocks);
      } else {
        freeUnclaimed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Frees the slots that nobody has claimed. It is called once, under the lock. */
  private void freeUnclaimed() {
    int end = 0;
    for (int i = claimed.nextClearBit(0); i < blocks; i = claimed.nextClearBit(end)) {
      int next = claimed.nextSetBit(i);
      end = next < 0 ? blocks : next;
      cache.freeRun(firstSlot + i, end - i);
    }
  }

  // ---- memory that is handed out ----

  /** Makes an object of any kind that gives access to memory. */
  @FunctionalInterface
  public interface ViewMaker {

    /**
     * Makes the view.
     *
     * @param release is run once when neither the view nor anything made of it can be reached; it
     *     keeps the memory until then
     */
    Object view(ByteBuffer chunk, int base, int size, Runnable release);
  }

  /**
   * Holds what is handed out until the next collection. Nothing refers to this object strongly, so
   * that each collection reclaims it, and the next view is another one. A view that was handed out
   * for as long as the file is open would grow old, and old objects are collected late, long after
   * the file is closed. This way a view grows no older than those that use it.
   */
  private record CurrentView(Object view) {}

  /**
   * Returns the view of its memory, whose contents stay what they are as long as the view can be
   * reached.
   *
   * @return null if the extent is not complete, or if the cache has handed out as much as it should
   *     or wants the room back
   */
  public Object view(ViewMaker maker) {
    CurrentView current = view.get();
    if (current != null) {
      return current.view();
    }
    return complete && !ended && !wanted ? makeView(maker) : null;
  }

  private Object makeView(ViewMaker maker) {
    if (!pinned && !cache.pins().hasRoom(blocks)) {
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
      if (ended || !complete || wanted || (!pinned && !cache.pins().add(blocks))) {
        return null;
      }
      pinned = true;
      touch();
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

  /** Returns whether somebody may be looking at a view of it. */
  boolean isPinned() {
    return pinned;
  }

  /**
   * Records that nobody looks at one of the views any more. The cleaner runs this, and it is
   * counted once.
   */
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

  /** Counts one view fewer, under the lock, and returns whether it was the last one. */
  private boolean leaveView() {
    views--;
    if (views > 0) {
      return false;
    }
    pinned = false;
    wanted = false;
    cache.pins().remove(blocks, ended);
    if (ended) {
      freeUnclaimed();
    }
    return true;
  }

  /** Makes all readers look up their blocks again, though nothing has changed. */
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
