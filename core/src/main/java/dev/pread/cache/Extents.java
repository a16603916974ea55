/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The extents of one file, and how they come to be complete. There is at most one for each stretch
 * as long as a chunk of the cache. What others call takes positions of bytes in the file, as {@code
 * long}; what the cache calls takes blocks, as {@code int}. It is thread-safe.
 */
public final class Extents {

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

  /** How long to wait after an attempt to make room; twice as long after each one in vain. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often that time is doubled. */
  private static final int MAX_DOUBLINGS = 6;

  /** How many of the reads that were made to complete a stretch have failed. */
  private final int[] failures;

  /** Whether somebody would work right in the memory of a stretch that lay in one piece. */
  private final boolean[] wanted;

  /** How many samples of hits there have been while a stretch was in pieces, since the last try. */
  private final int[] samples;

  /**
   * The time ({@link System#nanoTime}) before which no room is made again, and how often in a row
   * that was in vain: readers of some formats come back with every vector. Both are racy: a thread
   * that sees them late makes an attempt more.
   */
  private final long[] notBefore;

  private final int[] vain;

  /** Whether more of the file is being brought in by {@link #beginToComplete}. */
  private final AtomicBoolean completing = new AtomicBoolean();

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
    this.wanted = new boolean[count];
    this.samples = new int[count];
    this.notBefore = new long[count];
    this.vain = new int[count];
    Arrays.fill(notBefore, System.nanoTime());
  }

  /** Returns how many stretches the file has. */
  public int count() {
    return extents.length();
  }

  /** Returns the number of the stretch that {@code position} is in. */
  public int number(long position) {
    return block(position) >>> stretchBits;
  }

  /** Returns the extent that there is for {@code block}, or null. */
  Extent at(int block) {
    int i = block >>> stretchBits;
    return i < extents.length() ? extents.get(i) : null;
  }

  /**
   * Returns the extent to place {@code block} in. The first call makes it if there is room; null
   * means that there is none.
   */
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
    return couldBeMade(i, extent) && cache.hasRoomToMove(blocksIn(i));
  }

  private boolean couldBeMade(int i, Extent extent) {
    // A single block is in one piece anyway.
    return blocksIn(i) > 1 && failures[i] < MANY_FAILURES && (extent == null || extent.isGone());
  }

  /** Returns whether the stretch of {@code block} could lie in one piece, and does not. */
  private boolean mayComplete(int block) {
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    return (extent != null && extent.isPending() && extent.hasUnclaimed())
        || mayMakeAgain(i, extent)
        || (isDue(i) && mayMakeRoom(i));
  }

  // ---- extents are completed ----

  private int block(long position) {
    return (int) (position >>> cache.blockBits());
  }

  /**
   * Begins to bring in more of a file that is read a lot, in the background, while there are slots
   * kept for it. Readers call this now and then, and do not wait for it.
   *
   * @param position a position near which the file is read
   */
  public void completeLater(long position, ReadableFile source) {
    cache.lookOut();
    sample(block(position));
    beginToComplete(block(position), source);
  }

  private void beginToComplete(int block, ReadableFile source) {
    if (!completing.get() && mayComplete(block)) {
      StackReserve.ensure();
      if (completing.compareAndSet(false, true)) {
        cache.prefetcher().complete(this, block, source);
      }
    }
  }

  /** Counts a sample of hits, which were in pieces unless there is a complete extent. */
  private void sample(int block) {
    Extent extent = at(block);
    if (extent == null || !extent.isComplete()) {
      samples[block >>> stretchBits]++;
    }
  }

  /** Records that what {@link #beginToComplete} has begun is over. */
  void completed() {
    completing.set(false);
  }

  /**
   * Brings in more of a file that is read a lot, while there are slots kept for it.
   *
   * <p>Failures are not reported, since nobody waits for this. What can't be read is not tried
   * again and again.
   *
   * @param block a block near which the file is read
   * @return whether it, or another thread at the same time, has brought something in, so that it is
   *     worth calling again
   */
  boolean complete(int block, ReadableFile source) {
    Extent extent = placeAgain(block);
    if (extent != null && extent.isPending()) {
      return fill(extent, block, source);
    }
    int i = block >>> stretchBits;
    if (isDue(i) && mayMakeRoom(i)) {
      boolean isMostlyThere = isMostlyThere(i);
      if (isMostlyThere && cache.compaction().isBusy()) {
        // Another file was faster. This one is as due as before when that has ended.
        return false;
      }
      samples[i] = 0;
      return isMostlyThere && makeRoom(i, source, false);
    }
    return false;
  }

  /**
   * Brings in the file around {@code position} in one piece, as far as it can be, and even if that
   * costs other blocks their place. It is for callers that read all of it again and again.
   */
  public void gather(long position, ReadableFile source) {
    int block = block(position);
    while (complete(block, source)) {}
    int i = block >>> stretchBits;
    Extent extent = extents.get(i);
    if (extent != null && cache.compaction().makes(extent)) {
      cache.compaction().await(extent);
    } else if (mayMakeRoom(i)) {
      boolean ignored = makeRoom(i, source, true);
    }
  }

  /**
   * Brings a block, and some that follow it, to the slots that an extent keeps for them.
   *
   * @param block where to begin to look for one
   * @return whether it, or another thread at the same time, has brought something in
   */
  private boolean fill(Extent extent, int block, ReadableFile source) {
    int next = extent.nextUnclaimed(block);
    Slot elsewhere = next < 0 ? null : file.find(next);
    if (next >= 0 && elsewhere == null) {
      try {
        return file.loadAhead(
            next, Math.max(1, extent.unclaimedFrom(next)), source, Fill.Purpose.UNASKED);
      } catch (IOException e) {
        failed(next);
        return false;
      }
    }
    boolean moved = false;
    for (int i = 0; i < Fill.MAX_BLOCKS && elsewhere != null && move(elsewhere, next); i++) {
      moved = true;
      next = extent.nextUnclaimed(next);
      elsewhere = next < 0 ? null : file.find(next);
    }
    return moved;
  }

  /** Moves a block that is in the cache to the slot its extent keeps for it. */
  private boolean move(Slot from, int block) {
    long version = from.acquire();
    Extent extent = at(block);
    StackReserve.ensure();
    Slot to = extent != null && file.isIn(from, version, block) ? extent.claim(block) : null;
    return to != null && file.move(from, version, block, to);
  }

  // ---- extents for which room is made ----

  /**
   * Says that a reader would work right in the memory of the file around {@code position}, if it
   * were in one piece. That is worth more to a file that is read a lot than single blocks of others
   * are to them, so that it is brought in later, if there is room or has been made.
   */
  public void wantInOnePiece(long position, ReadableFile source) {
    int block = block(position);
    int i = block >>> stretchBits;
    if (!wanted[i]) {
      // Readers of some formats say so for each vector, and would share the line that they write.
      wanted[i] = true;
    }
    beginToComplete(block, source);
  }

  /**
   * Returns whether look-ups in a stretch that is wanted in one piece have cost as much as it costs
   * to exchange its blocks with others: each sample stands for some sixty look-ups, and so many
   * take about as long as two copies of a block. So whatever happens to the stretch afterwards, the
   * exchange at most doubles what is lost (the argument of {@link EvictionShard#countMiss}). While
   * it is another file's turn, none is due.
   */
  private boolean isDue(int i) {
    return wanted[i] && samples[i] >= blocksIn(i) && !cache.compaction().isBusy();
  }

  /** Returns whether room may be made for a stretch at the expense of others. */
  private boolean mayMakeRoom(int i) {
    return couldBeMade(i, extents.get(i))
        && cache.pins().hasRoom(blocksIn(i))
        && System.nanoTime() - notBefore[i] >= 0;
  }

  /** Returns whether room may be made just now for the stretch that begins with a block. */
  boolean mayMakeRoomAt(int firstBlock) {
    return mayMakeRoom(firstBlock >>> stretchBits);
  }

  /** Returns whether nearly all blocks of a stretch are in the cache, so that few have to come. */
  private boolean isMostlyThere(int i) {
    int present = 0;
    for (int block = i * stretch; block < i * stretch + blocksIn(i); block++) {
      present += file.find(block) == null ? 0 : 1;
    }
    return present >= blocksIn(i) - blocksIn(i) / 8;
  }

  private boolean makeRoom(int i, ReadableFile source, boolean waits) {
    boolean made = cache.compaction().run(file, i * stretch, blocksIn(i), source, waits);
    vain[i] = made ? 0 : Math.min(vain[i] + 1, MAX_DOUBLINGS);
    notBefore[i] = System.nanoTime() + (PAUSE_NANOS << vain[i]);
    return made;
  }

  /**
   * Enters an extent that is still to get its slots, unless the stretch that begins with {@code
   * firstBlock} has one that keeps its own.
   */
  void enterInstead(int firstBlock, Extent extent) {
    int i = firstBlock >>> stretchBits;
    lock.lock();
    try {
      if (couldBeMade(i, extents.get(i))) {
        enter(i, extent);
      } else {
        extent.end();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Brings all blocks in for which an extent has slots. What others are bringing in is left to
   * them.
   */
  void fillAll(Extent extent, ReadableFile source) {
    while (fill(extent, 0, source)) {}
  }

  /**
   * Moves a block to the slot its extent keeps for it, and returns false if that is not possible,
   * or if the slot has no block of this file.
   */
  boolean moveHome(Slot from) {
    // Neither is certain before the version has been compared, which follows.
    int block = from.block;
    return from.owner == file && move(from, block);
  }

  /** Returns whether a range could ever lie in one extent. */
  public boolean inOne(long position, long count) {
    return block(position) >>> stretchBits == block(position + count - 1) >>> stretchBits;
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
        tried[i] = true;
        extent = cache.pendingExtents().make(file, i * stretch, blocksIn(i));
        if (extent != null) {
          enter(i, extent);
        }
      }
      return extents.get(i);
    } finally {
      lock.unlock();
    }
  }

  private void enter(int i, Extent extent) {
    tried[i] = true;
    extents.set(i, extent);
    if (file.isClosed() || cache.isClosed()) {
      // The close of the file or the cache has ended only the extents that it found.
      extent.end();
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
