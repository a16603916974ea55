/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * An event for one block that has come or gone. It is off unless a recording asks for it, since
 * there are many.
 */
@Category({"lucene-pread"})
@Enabled(false)
@StackTrace(false)
abstract class BlockEvent extends Event {

  @Label("File")
  String file;

  @Label("Position")
  @DataAmount
  long position;

  @Label("Slot")
  @Description("where in the cache it is or was")
  int slot;

  /** A block has entered the cache. */
  @Name("dev.pread.BlockEntry")
  @Label("Block Cache Entry")
  @Description("A block that has entered the block cache")
  static final class Entry extends BlockEvent {}

  /** A block has been evicted to make room. */
  @Name("dev.pread.BlockEviction")
  @Label("Block Cache Eviction")
  @Description("A block that left the block cache to make room for another")
  static final class Eviction extends BlockEvent {}

  final void emit(CachedFile cachedFile, int block, Slot cachedIn) {
    if (isEnabled()) {
      file = cachedFile.name();
      position = (long) block << cachedFile.cache().blockBits();
      slot = cachedIn.index;
      commit();
    }
  }
}
