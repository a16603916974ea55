/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the slots whose memory has been handed out, and says for how many more it may be. Nothing
 * else can use them until they come back, so a cache that was handed out as a whole could not evict
 * anything. It is thread-safe.
 */
public final class Pins {

  private final SlotMemory memory;

  /** How many slots of open files have had their memory handed out. */
  private final AtomicLong ofOpenFiles = new AtomicLong();

  /**
   * How many slots belong to files that are closed by now, but have memory that is still being
   * looked at.
   */
  private final AtomicLong ofClosedFiles = new AtomicLong();

  Pins(SlotMemory memory) {
    this.memory = memory;
  }

  /** Returns how many slots have been handed out. */
  public long count() {
    return ofOpenFiles.get() + ofClosedFiles.get();
  }

  /** Returns how many of these belong to files that are closed by now. */
  public long ofClosedFiles() {
    return ofClosedFiles.get();
  }

  /** Returns how many slots of open files may be handed out: three quarters of all. */
  private int most() {
    return memory.capacity() - memory.capacity() / 4;
  }

  /** Returns whether {@code count} more slots may be handed out. */
  boolean hasRoom(int count) {
    return !memory.isClosed() && ofOpenFiles.get() + count <= most();
  }

  /** Counts {@code count} slots as handed out. Returns false if that would be too many. */
  boolean add(int count) {
    if (!hasRoom(count)) {
      return false;
    }
    if (ofOpenFiles.addAndGet(count) > most()) {
      ofOpenFiles.addAndGet(-count);
      return false;
    }
    return true;
  }

  /**
   * Records that {@code count} slots are not handed out any more.
   *
   * @param isEnded whether their extent has ended meanwhile, as {@link #ended} was told
   */
  void remove(int count, boolean isEnded) {
    (isEnded ? ofClosedFiles : ofOpenFiles).addAndGet(-count);
  }

  /**
   * Records that {@code count} slots that are handed out will not be asked for again. The collector
   * decides when they come back, and that is no reason to hand out less of what is in use.
   */
  void ended(int count) {
    ofClosedFiles.addAndGet(count);
    ofOpenFiles.addAndGet(-count);
  }
}
