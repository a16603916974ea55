/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.cache.Slot;
import org.apache.lucene.store.IndexInput;

/** What a test sees of the cache without reading. */
public final class CacheTrace {

  private CacheTrace() {}

  private static Slot find(PreadIndexInput input, long position) {
    CachedFile blocks = input.file.blocks();
    return blocks == null ? null : blocks.find((int) (position / blocks.cache().blockSize()));
  }

  /** Returns whether the block at a position of an input's file is in the cache just now. */
  public static boolean isCached(PreadIndexInput input, long position) {
    Slot slot = find(input, position);
    CachedFile blocks = input.file.blocks();
    return slot != null
        && blocks.isIn(slot, slot.acquire(), (int) (position / blocks.cache().blockSize()));
  }

  /** Returns whether a position of an input is in the cache, or on its way. */
  static boolean isThere(IndexInput input, long position) {
    PreadIndexInput in = (PreadIndexInput) input;
    return in.file.blocks().isCached(in.offset + position, 1);
  }

  /** Returns the slot that the table has for a position of an input's file, for messages. */
  public static String slot(PreadIndexInput input, long position) {
    return String.valueOf(find(input, position));
  }

  /** Its number; -1 if there is none. */
  public static int slotNumber(PreadIndexInput input, long position) {
    Slot slot = find(input, position);
    return slot == null ? -1 : slot.index();
  }

  /** Returns the name of the class that loads an input's values. */
  public static String access(IndexInput input) {
    return ((WindowedPreadInput) input).access().getClass().getSimpleName();
  }
}
