/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** An event for a read of a file into the cache. */
@Name("dev.pread.BlockMiss")
@Label("Block Cache Miss")
@Category({"lucene-pread"})
@Description("A read of a file into the block cache: of what was missed, announced or restored")
@Threshold("1 ms")
@StackTrace(false)
final class MissEvent extends Event {

  @Label("File")
  String file;

  @Label("Position")
  @DataAmount
  @Description("of the block that was asked for")
  long position;

  @Label("Bytes Read")
  @DataAmount
  long bytesRead;

  private MissEvent() {}

  /** Begins an event; {@link #end(CachedFile, int, long)} says what it was. */
  static MissEvent start() {
    MissEvent event = new MissEvent();
    event.begin();
    return event;
  }

  void end(CachedFile cachedFile, int block, long bytes) {
    end();
    if (shouldCommit()) {
      file = cachedFile.name();
      position = (long) block << cachedFile.cache().blockBits();
      bytesRead = bytes;
      commit();
    }
  }
}
