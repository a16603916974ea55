/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.cache.Counter;
import dev.pread.cache.SlotCache;
import dev.pread.posix.QuietLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache whose size may change within bounds, and the last reason why it did. It is changed under
 * the lock of its {@link MemoryGovernor}; the figures can be read by any thread.
 */
public final class ElasticCache {

  private static final Logger LOGGER = System.getLogger(ElasticCache.class.getName());
  private static final int MEBIBYTE_BITS = 20;

  /** How long the log says nothing more: a neighbour that comes and goes is told once. */
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SlotCache slots;
  private final long min;
  private final long max;

  private final AtomicLong givenBack = new AtomicLong();
  private volatile long memoryLimit = Long.MAX_VALUE;

  /** How much was not there, at the last observation; -1 if there was room for it. */
  private long missed = -1;

  private boolean wantsMore;

  /** The target when it was last told in the log, and when that was. */
  private long toldTarget;

  private long toldNanos;

  /**
   * Creates one.
   *
   * @param min bytes that the cache may have whatever happens
   * @param max bytes that it may have at most
   */
  public ElasticCache(SlotCache slots, long min, long max) {
    this.slots = slots;
    this.min = min;
    this.max = max;
    long ignored = slots.resize(min, false);
  }

  /**
   * What decides on a size.
   *
   * @param room what the tightest limit leaves
   * @param heapGrowth bytes that heaps may still take of that
   * @param reserve bytes of that which are to stay free
   */
  record Reason(MemoryView.Room room, long heapGrowth, long reserve) {}

  SlotCache slots() {
    return slots;
  }

  /** Returns how many bytes of memory it has. */
  long bytesBacked() {
    return slots.bytesBacked();
  }

  /** Returns whether it has more than it has to keep. */
  boolean mayShrink() {
    return bytesBacked() > min;
  }

  /** Finds out whether it could have used more memory since the last time. */
  void observe() {
    boolean isFull = slots.hasNoRoom() && slots.bytesInUse() < max;
    long before = missed;
    missed =
        isFull
            ? slots.counters().sum(Counter.MISSES) + slots.counters().sum(Counter.PREFETCHES_ISSUED)
            : -1;
    wantsMore = isFull && before >= 0 && missed != before;
  }

  /** Returns whether it could have used more memory between the last two observations. */
  boolean wantsMore() {
    return wantsMore;
  }

  /** Returns how many bytes it may have just now, or when it was closed. */
  public long target() {
    return (long) slots.capacity() << slots.blockBits();
  }

  /** Returns how many bytes have been given back to the system so far. */
  public long givenBack() {
    return givenBack.get();
  }

  /** Returns the limit in bytes that was the tightest at the last look. */
  public long memoryLimit() {
    return memoryLimit;
  }

  /**
   * Lets it have all that is free beside what it has, as far as its bounds allow. It may have slots
   * that are kept for blocks that have not come: these stay, but do not add to what it may have.
   */
  void grow(long free, Reason why) {
    long ignored = resize(Math.max(slots.bytesInUse(), bytesBacked() + free), false, why);
  }

  /** Lets it have what another has given, beside what it has and keeps for blocks to come. */
  void receive(long given, Reason why) {
    long ignored = resize(slots.bytesInUse() + given, false, why);
  }

  /** Gives back what it has had no use for since the last call, but for what it has to keep. */
  void returnIdle() {
    givenBack.addAndGet(slots.returnIdle(Math.max(0, bytesBacked() - min)));
  }

  /**
   * Makes it larger or smaller, as far as its bounds allow.
   *
   * @return how many bytes it has given back
   */
  long resize(long bytes, boolean isUrgent, Reason why) {
    long returned = slots.resize(Math.clamp(bytes, min, max), isUrgent);
    long next = target();
    memoryLimit = why.room().limit();
    givenBack.addAndGet(returned);
    boolean isNews = Math.abs(next - toldTarget) > toldTarget / 4;
    long now = System.nanoTime();
    if (isNews && (toldTarget == 0 || now - toldNanos > QUIET_NANOS)) {
      // A log that fails is not to be asked again at each look.
      long before = toldTarget;
      toldTarget = next;
      toldNanos = now;
      String bound =
          bytes >= max
              ? ", the most that its settings, the heap and the address space allow"
              : bytes <= min ? ", the least that it may have" : "";
      // Whatever a log throws, other caches have to change, too.
      QuietLog.log(
          LOGGER,
          Level.INFO,
          null,
          () ->
              "the block cache may have "
                  + (next >> MEBIBYTE_BITS)
                  + " MiB"
                  + bound
                  + " (before: "
                  + (before >> MEBIBYTE_BITS)
                  + "): of "
                  + (why.room().limit() >> MEBIBYTE_BITS)
                  + " MiB "
                  + (why.room().free() >> MEBIBYTE_BITS)
                  + " are not in use or can be taken back, heaps may still take "
                  + (why.heapGrowth() >> MEBIBYTE_BITS)
                  + ", and "
                  + (why.reserve() >> MEBIBYTE_BITS)
                  + " are to stay free; the limit is that of the "
                  + why.room().level());
    }
    return returned;
  }
}
