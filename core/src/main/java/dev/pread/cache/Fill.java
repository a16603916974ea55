/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;

/**
 * One read into slots: the block that is missing, what the caller is going to read next, and, while
 * there is room, what lies around it. A cold start depends on the latter, as that of a mapped file
 * does; a full cache would only evict what it needs next.
 */
final class Fill {

  private final CachedFile file;
  private final SlotCache cache;
  private final BlockSource source;

  private final int block;

  /** The end of what the caller is going to read. */
  private final int wanted;

  /** The slots by block, {@code slots[0]} for {@code from}. */
  private final Slot[] slots;

  private final int from;

  /** Whether nobody has missed the block yet. */
  private final boolean ahead;

  /**
   * The first block that is being filled; {@link #end} follows the last one. Their slots are this
   * object's alone until they are published, and are given back whatever is thrown: a slot that
   * stayed in motion would hold up all threads that want its block.
   */
  private int first;

  private int end;
  private boolean foundNoSlot;

  /**
   * Creates the read of a block that is missing.
   *
   * @param count how many blocks from there on the caller is going to read now
   * @param ahead whether nobody has missed the block yet
   */
  Fill(CachedFile file, BlockSource source, int block, int count, boolean ahead) {
    this.file = file;
    this.cache = file.cache();
    this.source = source;
    this.block = block;
    this.ahead = ahead;
    int around = cache.aroundBlocks();
    wanted = Math.min(block + Math.min(count, SlotCache.MAX_FILL), file.blocks());
    from = block & -around;
    slots = new Slot[Math.min(Math.max(wanted, from + around), file.blocks()) - from];
    first = block;
    end = block;
  }

  int block() {
    return block;
  }

  boolean isAhead() {
    return ahead;
  }

  /** Returns whether {@link #run} had no slot to fill. */
  boolean foundNoSlot() {
    return foundNoSlot;
  }

  /**
   * Fills a slot with the block, and further slots with blocks that may be read along with it.
   *
   * @return the slot; null if none was available, or if another thread was faster
   */
  Slot run() throws IOException {
    try {
      if (!claim(block, true)) {
        return null;
      }
      end++;
      claimNeighbours();
      Slot slot = slots[block - from];
      Object event = cache.events().readBegins();
      try {
        read();
      } catch (IOException e) {
        if (end - first == 1) {
          throw e;
        }
        // Whatever is wrong with its neighbours is no reason not to read this block.
        releaseAllBut(block);
        read();
      }
      int blocks = end - first;
      long bytes = bytes();
      publish();
      if (ahead) {
        cache.counters().prefetched(blocks, bytes);
      } else {
        cache.counters().loaded(blocks, bytes);
      }
      cache.events().readEnds(event, file, block, bytes);
      return slot;
    } finally {
      releaseAll();
    }
  }

  private void claimNeighbours() {
    while (end < from + slots.length && hasRoom() && claim(end, end < wanted)) {
      end++;
    }
    while (first > from && hasRoom() && claim(first - 1, false)) {
      first--;
    }
  }

  private boolean hasRoom() {
    return end - first < SlotCache.MAX_FILL;
  }

  private boolean claim(int block, boolean mayEvict) {
    if (file.find(block) != null) {
      return false;
    }
    file.preparePage(block);
    Slot slot = cache.obtain(file, block, mayEvict);
    foundNoSlot = slot == null;
    if (slot == null) {
      return false;
    }
    boolean entered = false;
    try {
      entered = file.install(block, slot);
    } finally {
      if (!entered) {
        cache.release(slot);
      }
    }
    slots[block - from] = slot;
    return entered;
  }

  private long bytes() {
    return ((long) (end - first - 1) << cache.blockBits()) + file.bytesIn(end - 1);
  }

  private void read() throws IOException {
    FillTarget target = new FillTarget();
    for (int block = first; block < end; block++) {
      int index = slots[block - from].index;
      target.add(cache.chunk(index).bytes(), cache.offset(index), cache.blockSize());
    }
    source.read((long) first << cache.blockBits(), Math.toIntExact(bytes()), target);
  }

  private void publish() {
    while (first < end) {
      Slot slot = slots[first - from];
      // The slot is no longer ours to release, whatever happens.
      first++;
      cache.publish(slot, file, first - 1);
    }
  }

  private void releaseAllBut(int kept) {
    for (int block = first; block < end; block++) {
      if (block != kept) {
        release(block);
      }
    }
    first = kept;
    end = kept + 1;
  }

  /** Releases the slots that have not been published. */
  private void releaseAll() {
    for (int block = first; block < end; block++) {
      release(block);
    }
  }

  private void release(int block) {
    Slot slot = slots[block - from];
    // The slot is no longer ours, whatever happens; it may have been given back already.
    slots[block - from] = null;
    if (slot != null) {
      file.remove(block, slot);
      cache.release(slot);
    }
  }
}
