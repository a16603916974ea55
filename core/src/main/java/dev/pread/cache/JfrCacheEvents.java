/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.invoke.MethodHandles;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** Passes what happens in a cache to the flight recorder, as events. */
final class JfrCacheEvents extends CacheEvents {

  /**
   * Initializes the event classes now. Where that fails for want of stack, it can't be repeated.
   */
  JfrCacheEvents() {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      lookup.ensureInitialized(Miss.class);
      lookup.ensureInitialized(Return.class);
      lookup.ensureInitialized(Entry.class);
      lookup.ensureInitialized(Eviction.class);
    } catch (IllegalAccessException e) {
      throw new AssertionError("of this package", e);
    }
  }

  @Override
  Object readBegins() {
    Miss miss = new Miss();
    miss.begin();
    return miss;
  }

  @Override
  void readEnds(Object begun, CachedFile file, int block, long bytes) {
    Miss miss = (Miss) begun;
    miss.end();
    if (miss.shouldCommit()) {
      miss.file = file.name();
      miss.position = positionOf(file, block);
      miss.bytesRead = bytes;
      miss.commit();
    }
  }

  @Override
  void entered(CachedFile file, int block, Slot slot) {
    emit(new Entry(), file, block, slot);
  }

  @Override
  void evicted(CachedFile file, int block, Slot slot) {
    emit(new Eviction(), file, block, slot);
  }

  private static void emit(BlockEvent event, CachedFile file, int block, Slot slot) {
    if (event.isEnabled()) {
      event.file = file.name();
      event.position = positionOf(file, block);
      event.slot = slot.index;
      event.commit();
    }
  }

  private static long positionOf(CachedFile file, int block) {
    return (long) block << file.cache().blockBits();
  }

  @Override
  Object returnBegins() {
    Return begun = new Return();
    begun.begin();
    return begun;
  }

  @Override
  void returnEnds(Object begun, long bytes, long target, boolean isUrgent) {
    Return event = (Return) begun;
    event.end();
    if (event.shouldCommit()) {
      event.bytes = bytes;
      event.target = target;
      event.urgent = isUrgent;
      event.commit();
    }
  }

  /** A read of a file into the cache. */
  @Name("dev.pread.BlockMiss")
  @Label("Block Cache Miss")
  @Category({"lucene-pread"})
  @Description("A read of a file into the block cache: of what was missed, announced or restored")
  @Threshold("1 ms")
  @StackTrace(false)
  static final class Miss extends Event {

    @Label("File")
    String file;

    @Label("Position")
    @DataAmount
    @Description("of the block that was asked for")
    long position;

    @Label("Bytes Read")
    @DataAmount
    long bytesRead;
  }

  /** Memory that a cache gives back to the system. */
  @Name("dev.pread.MemoryReturn")
  @Label("Block Cache Memory Return")
  @Category({"lucene-pread"})
  @Description(
      "Memory of the block cache that was given back to the system, since others want it or nothing is in it")
  @StackTrace(false)
  static final class Return extends Event {

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
  }

  /**
   * One block that has come or gone. It is off unless a recording asks for it, since there are
   * many.
   */
  @Category({"lucene-pread"})
  @Enabled(false)
  @StackTrace(false)
  abstract static class BlockEvent extends Event {

    @Label("File")
    String file;

    @Label("Position")
    @DataAmount
    long position;

    @Label("Slot")
    @Description("where in the cache it is or was")
    int slot;
  }

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
}
