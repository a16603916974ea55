/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;

/**
 * One read into slots: the block that is missing, what the caller is going to read next, and, while
 * there is room, what lies around it. A cold start lives off the latter, as a mapped file's does; a
 * full cache would only evict what it needs next.
 */
final class Fill {

  private final CachedFile file;
  private final SlotCache cache;
  private final BlockSource source;

  /**
   * The slots by block, {@code slots[0]} for {@code from}; filled from {@code first} to {@code
   * end}.
   */
  private Slot[] slots;

  private int from;
  private int first;
  private int end;

  Fill(CachedFile file, BlockSource source) {
    this.file = file;
    this.cache = file.cache();
    this.source = source;
  }

  /**
   * Fills {@code slot} and what may be filled with it.
   *
   * @param slot of {@code block}, in motion, the caller's, and in the file's table
   * @return {@code slot}
   */
  Slot run(Slot slot, int block, int count) throws IOException {
    int around = cache.aroundBlocks();
    int wanted = Math.min(block + Math.min(count, SlotCache.MAX_FILL), file.blocks());
    from = block & -around;
    slots = new Slot[Math.min(Math.max(wanted, from + around), file.blocks()) - from];
    slots[block - from] = slot;
    first = block;
    end = block + 1;
    boolean published = false;
    try {
      claimNeighbours(wanted);
      MissEvent event = MissEvent.start();
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
      publish();
      published = true;
      cache.counters().missed(end - first, bytes());
      event.end(file, block, bytes());
      return slot;
    } finally {
      if (!published) {
        releaseAll();
      }
    }
  }

  private void claimNeighbours(int wanted) {
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
    Slot slot = cache.obtain(file, block, mayEvict);
    if (slot == null) {
      return false;
    }
    if (!file.install(block, slot)) {
      cache.release(slot);
      return false;
    }
    slots[block - from] = slot;
    return true;
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
    for (int block = first; block < end; block++) {
      cache.publish(slots[block - from], file, block);
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

  private void releaseAll() {
    for (int block = first; block < end; block++) {
      release(block);
    }
  }

  private void release(int block) {
    Slot slot = slots[block - from];
    file.remove(block, slot);
    cache.release(slot);
  }
}
