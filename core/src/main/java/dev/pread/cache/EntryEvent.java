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
 * An event for a block that has entered the cache. It is off unless a recording asks for it, since
 * there are many.
 */
@Name("dev.pread.BlockEntry")
@Label("Block Cache Entry")
@Category({"lucene-pread"})
@Description("A block that has entered the block cache")
@Enabled(false)
@StackTrace(false)
final class EntryEvent extends Event {

  @Label("File")
  String file;

  @Label("Position")
  @DataAmount
  long position;

  @Label("Slot")
  @Description("where in the cache it is")
  int slot;

  private EntryEvent() {}

  static void emit(CachedFile cachedFile, int block, Slot slot) {
    EntryEvent event = new EntryEvent();
    if (event.isEnabled()) {
      event.file = cachedFile.name();
      event.position = (long) block << cachedFile.cache().blockBits();
      event.slot = slot.index;
      event.commit();
    }
  }
}
