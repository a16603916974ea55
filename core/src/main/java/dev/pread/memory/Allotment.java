/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.SystemCalls;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides how much memory each cache of this process may have, and has it take or give that.
 *
 * <p>What is free is the tightest limit of {@link MemoryView} less all that can't be taken back
 * from others and less what the heap may still take ({@link HeapGrowth}). Of it a small reserve
 * stays free. What exceeds the reserve is offered to the caches at each look; when less than three
 * quarters of the reserve are left, the caches give back what is missing. Between the two nothing
 * happens, so that noise moves nothing.
 *
 * <p>Several processes in one limit each take what they see, and give back in proportion to what
 * they have: additive increase and multiplicative decrease, which leads to equal parts (Chiu and
 * Jain, "Analysis of the increase and decrease algorithms for congestion avoidance", 1989). Those
 * that see each other ({@link Peers}) see the same free memory, and the largest makes room for the
 * smallest of those that could use more.
 *
 * <p>The next look comes sooner the less is free: before a neighbour that takes memory as fast as
 * the kernel can hand it out could have used it up.
 *
 * <p>It is not thread-safe: it is used under the lock of the {@link MemoryGovernor}.
 */
final class Allotment implements Closeable {

  /** Faster than a process can take memory from the kernel, in bytes per second. */
  private static final double BYTES_PER_SECOND = 6.0 * (1L << 30);

  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** How long to wait when there is nothing that could be given back. */
  private static final long HOPELESS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** What has been learned about others adds at most this part of the caches to the reserve. */
  private static final int LEARNED_PART = 12;

  /** A cache gives at most this part of the reserve to another at each look. */
  private static final int SHARED_PART = 16;

  /** So long a cache that could have used more counts as one that could use more. */
  private static final long WANTS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier heapGrowth;
  private final long maxPauseNanos;
  private final Peers peers;
  private final Bursts bursts = new Bursts();
  private MemoryView view;

  /** What the last look has found, or null if the next one has to find all anew. */
  private MemoryView.Room last;

  /** What that look has decided by. */
  private ElasticCache.Reason reason;

  /** When to look at all levels again. */
  private long nextEverywhere;

  /** Whether the last look has found nothing to hand out, and nobody in need. */
  private boolean isAllHandedOut;

  /**
   * The time until which no cache is asked to give to another, since the last one had nothing to
   * give.
   */
  private long nextShare = System.nanoTime();

  /** The time until which the others are told that a cache could use more. */
  private long wantsUntil = System.nanoTime();

  /**
   * Creates it.
   *
   * @param root the folder that the kernel's files are found below
   * @param heapGrowth how many bytes the heap may still take
   * @param maxPauseNanos how long to wait at the most between two looks
   */
  Allotment(SystemCalls calls, Path root, LongSupplier heapGrowth, long maxPauseNanos) {
    this.heapGrowth = heapGrowth;
    this.maxPauseNanos = maxPauseNanos;
    this.peers = new Peers(calls, root);
    this.view = MemoryView.find(calls, root);
  }

  /**
   * Begins to tell the other processes, at the next look, in the name of the thread that calls
   * this.
   */
  void speak() {
    try {
      peers.speak();
      last = null;
    } catch (RuntimeException | Error e) {
      // It governs all the same, and is a neighbour like any other to other processes.
      peers.close();
    }
  }

  /**
   * Has the next look find all anew: there is another cache to share with, or what the last one has
   * found was not acted on.
   */
  void forget() {
    last = null;
  }

  /**
   * Looks, and changes the caches.
   *
   * @param open those that there are
   * @return how long to wait until the next look, in nanoseconds
   */
  long look(List<ElasticCache> open) {
    boolean looksEverywhere = mustLookEverywhere();
    boolean isCheap = !looksEverywhere && isUnchanged() && !isSharing();
    long pause = isCheap ? pause(last) : look(open, looksEverywhere);
    pause = Math.min(pause, Math.max(0, nextEverywhere - System.nanoTime()));
    if (isAllHandedOut && (open.size() > 1 || !peers.isEmpty())) {
      share(open);
    }
    return pause;
  }

  /**
   * Returns whether a cheap look shows that nothing much can have happened since the last one: the
   * usage shows all that is taken as long as it is below the limit.
   */
  private boolean isUnchanged() {
    long usage = last.level().usage();
    return usage - last.usage() < last.reserve() / 8 && usage < last.limit() - last.reserve() / 2;
  }

  /** Returns whether processes may be sharing just now, which takes figures that are new. */
  private boolean isSharing() {
    return !peers.isEmpty() && (peers.wanting() > 0 || System.nanoTime() - wantsUntil < 0);
  }

  /**
   * Returns whether it is time to look at all levels. Limits are compared each time: whoever lowers
   * one does so in steps, each of which may take all that was free.
   */
  private boolean mustLookEverywhere() {
    return last == null || System.nanoTime() - nextEverywhere >= 0 || view.hasOtherLimits();
  }

  /**
   * Looks at the tightest limit and changes the caches.
   *
   * @param looksEverywhere whether to look at all limits for the tightest one
   * @return how long to wait until the next look, in nanoseconds
   */
  private long look(List<ElasticCache> open, boolean looksEverywhere) {
    long now = System.nanoTime();
    MemoryView.Room room = looksEverywhere ? lookEverywhere() : MemoryView.again(last);
    if (room != null && room.level().isStale()) {
      room = lookEverywhere();
    }
    boolean isOtherLevel = last != null && room != null && !last.level().equals(room.level());
    last = room;
    isAllHandedOut = false;
    if (room == null || open.isEmpty()) {
      return maxPauseNanos;
    }
    long growth = heapGrowth.getAsLong();
    long used = open.stream().mapToLong(cache -> cache.bytesBacked()).sum();
    boolean areOthers = talk(growth, used, now);
    growth += peers.heapGrowth();
    long free = room.free() - growth;
    long others = room.unreclaimable() - used + growth;
    if (areOthers || isOtherLevel) {
      // That others have more below this limit than below the last one does not mean that they have
      // taken it.
      bursts.rebase(others, peers.cacheBytes());
    }
    long burst = bursts.of(others, peers.cacheBytes(), now);
    long reserve = room.reserve() + Math.min(bursts.largest(), used / LEARNED_PART);
    reason = new ElasticCache.Reason(room, growth, reserve);
    double left = pageCacheShare(room.free(), used + peers.cacheBytes());
    for (ElasticCache cache : open) {
      cache.slots().setPageCacheShare(left);
    }
    if (free < reserve / 4 * 3) {
      // Whoever is taking memory just now will go on to do so while it is being given back.
      long wanted = reserve - free + burst;
      double part = Math.min(1, 2.0 * used / Math.max(1, room.unreclaimable()));
      long missing = (long) (wanted * part);
      boolean isUrgent = burst > room.reserve() / 4;
      long givenBack = 0;
      for (ElasticCache cache : open) {
        long has = cache.bytesBacked();
        cache.slots().setShortOfMemory(true);
        givenBack +=
            cache.resize(
                has - (long) (missing * ((double) has / Math.max(1, used))), isUrgent, reason);
      }
      if (givenBack > 0) {
        return 0;
      }
      // Caches that have nothing to give back gain nothing by haste.
      if (nextEverywhere - now < HOPELESS_NANOS) {
        nextEverywhere = now + HOPELESS_NANOS;
      }
      return HOPELESS_NANOS;
    }
    long more = Math.max(0, free - reserve);
    isAllHandedOut = more < reserve / 8;
    // What a smaller process has not yet taken is not to be taken back.
    boolean isForOthers = more < reserve && isMuchMore(used, peers.least());
    long each = isForOthers ? 0 : more / (open.size() + peers.wanting());
    for (ElasticCache cache : open) {
      cache.slots().setShortOfMemory(isAllHandedOut || isForOthers);
      cache.grow(each, reason);
    }
    return pause(room);
  }

  /** Looks at all levels, and returns the one with the least room, or null if none is known. */
  private MemoryView.Room lookEverywhere() {
    // Of a group that is gone nothing can be read, and who was in it is in another one.
    view = view.current();
    MemoryView.Room room = view.room();
    MemoryView.Room next = view.nextRoom();
    nextEverywhere = System.nanoTime() + (next == null ? maxPauseNanos : pause(next));
    return room;
  }

  /** Hears and tells other processes, and returns whether they are others than before. */
  private boolean talk(long heapGrowth, long used, long now) {
    try {
      peers.tell(heapGrowth, used, now - wantsUntil < 0);
      return peers.look(view.own(), now);
    } catch (RuntimeException | Error e) {
      // What they have said before will do, and to give memory back matters more.
      return false;
    }
  }

  /**
   * Moves memory from the largest cache to the smallest of those that could use more, a little at
   * each look, so that what is hot has the time to move elsewhere in the larger one. Those that
   * want more thus end up with equal parts, and what the others have stays with them unless it is
   * more than that. Nothing moves where the difference is small.
   *
   * <p>Of processes it is the same, and they come first.
   */
  private void share(List<ElasticCache> open) {
    ElasticCache rich = null;
    ElasticCache poor = null;
    long used = 0;
    for (ElasticCache cache : open) {
      cache.observe();
      used += cache.bytesBacked();
      if (cache.mayShrink() && (rich == null || cache.bytesBacked() > rich.bytesBacked())) {
        rich = cache;
      }
      if (cache.wantsMore()) {
        wantsUntil = System.nanoTime() + WANTS_NANOS;
        poor = poor == null || cache.bytesBacked() < poor.bytesBacked() ? cache : poor;
      }
    }
    if (rich == null || System.nanoTime() - nextShare < 0) {
      return;
    }
    long toOthers = isMuchMore(used, peers.least()) ? give(rich, used - peers.least()) : 0;
    if (toOthers == 0 && poor != null && isMuchMore(rich.bytesBacked(), poor.bytesBacked())) {
      long given = give(rich, rich.bytesBacked() - poor.bytesBacked());
      poor.receive(given, reason);
    }
  }

  /** Returns whether what one has is so much more than what another has that the one gives. */
  private boolean isMuchMore(long has, long another) {
    return has - another > Math.max(last.reserve() / SHARED_PART, has / 8);
  }

  /**
   * Has a cache give back a part of what it has more than another.
   *
   * @return how many bytes it has given
   */
  private long give(ElasticCache rich, long apart) {
    long most = Math.min(last.reserve() / SHARED_PART, apart / 4);
    long given = rich.resize(rich.bytesBacked() - most, false, reason);
    nextShare = System.nanoTime() + (given > 0 ? 0 : maxPauseNanos);
    return given;
  }

  /**
   * Returns the share of blocks that caches leave to the page cache, which may use what is free. It
   * is twice as large as that of the free memory, since blocks that are wanted often are in a cache
   * all the same. So it is all of them if more is free than the caches have: in a small container,
   * or as long as the heap has not taken what it may.
   *
   * @param free bytes that nobody uses but the page cache
   * @param used bytes that the caches have, those of other processes among them
   */
  static double pageCacheShare(long free, long used) {
    return Math.clamp(2.0 * free / Math.max(1, free + used), 0, 1);
  }

  private long pause(MemoryView.Room room) {
    long nanos = (long) (room.untilNextLook() / BYTES_PER_SECOND * 1e9);
    return Math.clamp(nanos, MIN_PAUSE_NANOS, maxPauseNanos);
  }

  /** Ends what it has told others, and forgets what it knows. */
  @Override
  public void close() {
    try (peers) {
      view.close();
    }
  }
}
