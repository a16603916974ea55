/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.cache.Slot;

/** What a test sees of the cache without reading. */
public final class CacheTrace {

  private CacheTrace() {}

  /** Whether the block at a position of an input's file is in the cache just now. */
  public static boolean isCached(PreadIndexInput input, long position) {
    CachedFile blocks = input.file.blocks();
    int block = (int) (position / blocks.cache().blockSize());
    Slot slot = blocks.find(block);
    return slot != null && blocks.isIn(slot, slot.acquire(), block);
  }
}
