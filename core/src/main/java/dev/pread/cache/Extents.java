/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The extents of one file: one for each stretch as long as a chunk of the cache. Thread-safe. */
final class Extents {

  private final CachedFile file;
  private final SlotCache cache;
  private final int blocks;
  private final int stretch;
  private final AtomicReferenceArray<Extent> extents;
  private final boolean[] tried;
  private final ReentrantLock lock = new ReentrantLock();

  Extents(CachedFile file, int blocks) {
    this.file = file;
    this.cache = file.cache();
    this.blocks = blocks;
    this.stretch = cache.chunkSlots();
    int count = (blocks + stretch - 1) / stretch;
    this.extents = new AtomicReferenceArray<>(count);
    this.tried = new boolean[count];
  }

  Extent at(int block) {
    int i = block / stretch;
    return i < extents.length() ? extents.get(i) : null;
  }

  /** The extent of {@code block}, made on the first call if there is room. */
  Extent place(int block) {
    int i = block / stretch;
    Extent extent = extents.get(i);
    if (extent != null || tried[i]) {
      return extent;
    }
    lock.lock();
    try {
      if (!tried[i]) {
        int first = i * stretch;
        int count = Math.min(stretch, blocks - first);
        long start = (long) first << cache.blockBits();
        int size = (int) Math.min((long) count << cache.blockBits(), file.length() - start);
        extents.set(i, cache.newExtent(file, first, count, size));
        tried[i] = true;
        Extent made = extents.get(i);
        if (made != null && file.isClosed()) {
          // Who closed the file has ended those it found.
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
