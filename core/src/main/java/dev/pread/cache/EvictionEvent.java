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
 * An event for a block that has been evicted to make room. It is off unless a recording asks for
 * it, since there are many.
 */
@Name("dev.pread.BlockEviction")
@Label("Block Cache Eviction")
@Category({"lucene-pread"})
@Description("A block that left the block cache to make room for another")
@Enabled(false)
@StackTrace(false)
final class EvictionEvent extends Event {

  @Label("File")
  String file;

  @Label("Position")
  @DataAmount
  long position;

  @Label("Slot")
  @Description("where in the cache it was")
  int slot;

  private EvictionEvent() {}

  static void emit(CachedFile cachedFile, int block, Slot slot) {
    EvictionEvent event = new EvictionEvent();
    if (event.isEnabled()) {
      event.file = cachedFile.name();
      event.position = (long) block << cachedFile.cache().blockBits();
      event.slot = slot.index;
      event.commit();
    }
  }
}
