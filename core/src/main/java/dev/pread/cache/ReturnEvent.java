/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event for memory that a cache gives back to the system. */
@Name("dev.pread.MemoryReturn")
@Label("Block Cache Memory Return")
@Category({"lucene-pread"})
@Description(
    "Memory of the block cache that was given back to the system, since others want it or nothing is in it")
@StackTrace(false)
final class ReturnEvent extends Event {

  @Label("Bytes")
  @DataAmount
  @Description("given back")
  long bytes;

  @Label("Target")
  @DataAmount
  @Description("what the cache may have from then on")
  long target;

  @Label("Urgent")
  @Description("whether there was no time to move blocks that are used most")
  boolean urgent;

  private ReturnEvent() {}

  /** Begins an event; {@link #end(long, long, boolean)} says what it was. */
  static ReturnEvent start() {
    ReturnEvent event = new ReturnEvent();
    event.begin();
    return event;
  }

  void end(long bytesGivenBack, long newTarget, boolean isUrgent) {
    end();
    if (shouldCommit()) {
      bytes = bytesGivenBack;
      target = newTarget;
      urgent = isUrgent;
      commit();
    }
  }
}
