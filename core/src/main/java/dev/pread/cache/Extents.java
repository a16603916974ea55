/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final int stretchBits;
  private final Stretch[] stretches;

  /** Whether more of the file is being brought in by {@link #beginToComplete}. */
  private final AtomicBoolean completing = new AtomicBoolean();

  Extents(CachedFile file, int blocks) {
    this.file = file;
    this.cache = file.cache();
    int most = cache.chunkSlots();
    this.stretchBits = Integer.numberOfTrailingZeros(most);
    this.stretches = new Stretch[(blocks + most - 1) / most];
    ReentrantLock lock = new ReentrantLock();
    for (int i = 0; i < stretches.length; i++) {
      int first = i << stretchBits;
      stretches[i] = new Stretch(file, first, Math.min(most, blocks - first), lock);
    }
  }

  /** Returns how many stretches the file has. */
  public int count() {
    return stretches.length;
  }

  /** Returns the number of the stretch that {@code position} is in. */
  public int number(long position) {
    return block(position) >>> stretchBits;
  }

  private Stretch stretch(int block) {
    return stretches[block >>> stretchBits];
  }

  /** Returns the extent that there is for {@code block}, or null. */
  Extent at(int block) {
    int i = block >>> stretchBits;
    return i < stretches.length ? stretches[i].extent() : null;
  }

  /**
   * Returns the extent to place {@code block} in. The first call makes it if there is room; null
   * means that there is none.
   */
  Extent place(int block) {
    return stretch(block).place();
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
    int block = block(position);
    stretch(block).sample();
    beginToComplete(block, source);
  }

  private void beginToComplete(int block, ReadableFile source) {
    if (!completing.get() && stretch(block).mayComplete()) {
      StackReserve.ensure();
      if (completing.compareAndSet(false, true)) {
        cache.prefetcher().complete(this, block, source);
      }
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
    Stretch stretch = stretch(block);
    Extent extent = stretch.placeAgain();
    boolean isPending = extent != null && extent.isPending();
    return isPending ? fill(extent, block, source) : stretch.makeRoomIfDue(source);
  }

  /**
   * Brings in the file around {@code position} in one piece, as far as it can be, and even if that
   * costs other blocks their place. It is for callers that read all of it again and again.
   */
  public void gather(long position, ReadableFile source) {
    int block = block(position);
    while (complete(block, source)) {}
    Stretch stretch = stretch(block);
    Extent extent = stretch.extent();
    if (extent != null && cache.compaction().makes(extent)) {
      cache.compaction().await(extent);
    } else if (stretch.mayMakeRoom()) {
      boolean ignored = stretch.makeRoom(source, true);
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
        stretch(next).failed();
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
    stretch(block).want();
    beginToComplete(block, source);
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

  void forEach(Consumer<Extent> action) {
    for (Stretch stretch : stretches) {
      Extent extent = stretch.extent();
      if (extent != null) {
        action.accept(extent);
      }
    }
  }
}
