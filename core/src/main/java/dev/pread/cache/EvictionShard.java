/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import java.util.Arrays;

/**
 * Decides which blocks of a part of the cache are evicted: S3-FIFO (Yang et al., "FIFO queues are
 * all you need for cache eviction", SOSP 2023).
 *
 * <p>New blocks enter a small queue, a tenth of the whole. Those that have been used again by the
 * time they reach its end move to the main queue. The others are evicted, so that a scan passes
 * through without touching what is hot. Their keys are remembered, unless they were read ahead and
 * nobody has used them: a block that somebody misses soon goes to the main queue at once, and one
 * that is read ahead again does with its first use. In the main queue each use buys another round,
 * unless one eviction has passed over {@link #MAX_SPARED} of them. A hit moves nothing and takes no
 * lock: it is counted in the slot, up to three.
 *
 * <p>Blocks that are announced, or read with one that is wanted, and are on their way count as part
 * of the small queue, where they will be. When that has nothing left to evict, or when they alone
 * are a tenth and it has less than half of one, announcements are dropped: otherwise many of them
 * would find the queue short, and each would take a slot of the main queue. Who reads a block takes
 * one of these, until a sixth of a tenth is in the small queue: with less, what one reader has
 * brought in would go with the next one's miss.
 *
 * <p>docs/decisions/0003-eviction.md explains the choice of this policy, and
 * docs/results/eviction.md has the hit ratios.
 *
 * <p>It is thread-safe: a lock is held for a few steps, at most for twice {@link #MAX_TURNS}, and
 * never while anybody reads a file. There are several shards, over which blocks are spread by their
 * hash, so that misses on many cores don't contend.
 */
final class EvictionShard {

  private static final byte SMALL = 1;
  private static final byte MAIN = 2;
  private static final byte HELD = 3;
  private static final byte COMING = 4;

  /** The bits of a ghost that count its misses. The count is at least 1, so that 0 is no ghost. */
  private static final int MISSES = 7;

  /** How many reads of a few bytes from the page cache cost as much as the read of a block. */
  private static final int MANY_MISSES = 4;

  /**
   * How many slots with used blocks an attempt to evict passes over at most. That takes about as
   * long as a read of the device. Without a bound the lock would be held for a walk through
   * millions of slots where nearly everything fits. With it at most one block in so many uses is
   * evicted that would have stayed, so it costs less than a thousandth of the hits.
   */
  static final int MAX_SPARED = 1024;

  /**
   * How many slots of a shard are moved on at a time, those that must stay and those that are being
   * filled among them. After twice as many an eviction looks elsewhere, and the next one goes on
   * from there.
   */
  static final int MAX_TURNS = 4 * MAX_SPARED;

  /** How many slots that are held are looked at once more when there is no other to evict. */
  private static final int LOOKS_AT_HELD = 64;

  private static final int MIN_SLOTS = 256;
  private static final int MAX_SHARD_BITS = 4;

  private final BriefLock lock = new BriefLock();
  private final SlotQueue small = new SlotQueue(SMALL);
  private final SlotQueue main = new SlotQueue(MAIN);

  /**
   * Slots that must stay ({@link Extent.Answer#NO}), for as long as they must. Among the others,
   * they would keep the eviction from what can leave, if they are most of all.
   */
  private final SlotQueue held = new SlotQueue(HELD);

  /**
   * Slots in motion for blocks that are announced, or read with one that is wanted. Their number
   * matters.
   */
  private final SlotQueue coming = new SlotQueue(COMING);

  /** How often a reader wanted a slot since {@link #coming} last forgot one. */
  private int readersSinceForgotten;

  /** The queues, in the order of their names. */
  private final SlotQueue[] queues = {small, main, held, coming};

  /**
   * Fingerprints of blocks that were evicted from the small queue, or were not let in, each at the
   * place that its hash selects.
   */
  private final int[] ghosts;

  /** Selects those of the places that are in use: about as many as there are slots. */
  private int mask;

  /**
   * Returns the shards of a cache: a power of two of them, of which the hash of a block selects
   * one.
   *
   * @param slots about how many slots they will hold together
   */
  static EvictionShard[] shards(int slots) {
    int processors = Runtime.getRuntime().availableProcessors();
    int count = Math.min(Math.min(1 << MAX_SHARD_BITS, processors), slots / MIN_SLOTS);
    EvictionShard[] shards = new EvictionShard[Integer.highestOneBit(Math.max(1, count))];
    Arrays.setAll(shards, i -> new EvictionShard(slots / shards.length));
    return shards;
  }

  /**
   * Creates a shard.
   *
   * @param slots about how many slots it will hold
   */
  EvictionShard(int slots) {
    ghosts = new int[Integer.highestOneBit(Math.max(2, slots) - 1) * 2];
    mask = ghosts.length - 1;
  }

  /**
   * Forgets blocks earlier or later, as suits the size of the cache.
   *
   * @param slots about how many slots it holds from now on
   */
  void resize(int slots) {
    lock.lock();
    try {
      mask = Math.min(ghosts.length, Integer.highestOneBit(Math.max(2, slots) - 1) * 2) - 1;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Counts a miss of a block that need not come in, and returns whether it should come in all the
   * same. It should when the misses that are remembered have cost as much as bringing it in.
   * Without knowing how often the block will be wanted, this never costs more than twice what it
   * would cost with that knowledge (the ski-rental argument: Karlin et al., "Competitive snoopy
   * caching", Algorithmica 1988). That is so for reads of a few bytes of the page cache. Of the
   * device a part of a block costs more; there the count keeps others in the cache.
   */
  boolean countMiss(long hash) {
    lock.lock();
    try {
      int place = place(hash);
      int misses = isGhost(hash) ? ghosts[place] & MISSES : 0;
      if (misses < MANY_MISSES) {
        ghosts[place] = fingerprint(hash) | (misses + 1);
      }
      return misses >= MANY_MISSES;
    } finally {
      lock.unlock();
    }
  }

  /** Why a block comes in. */
  enum Reason {
    /** Somebody reads it. */
    READ,
    /** Somebody may read it, which is no use of it yet. */
    AHEAD,
    /** It has been used enough, in another slot or before a restart. */
    KNOWN
  }

  /**
   * Counts a slot as part of the small queue from now on, before its block is there: until it is
   * {@linkplain #add added}, or {@linkplain #remove removed} if the block does not come.
   */
  void expect(Slot slot) {
    lock.lock();
    try {
      coming.add(slot);
    } finally {
      lock.unlock();
    }
  }

  /** Adds a slot that is about to be published. */
  void add(Slot slot, long hash, Reason reason) {
    lock.lock();
    try {
      takeOut(slot);
      int place = place(hash);
      slot.uses = 0;
      slot.isReadAhead = reason == Reason.AHEAD;
      boolean isGhost = isGhost(hash);
      // One that was read past a few times, and comes in for another reason, has not proved itself.
      boolean hasReturned = isGhost && (ghosts[place] & MISSES) >= MANY_MISSES;
      if (isGhost) {
        ghosts[place] = 0;
      }
      boolean mayBeUnused = reason == Reason.AHEAD;
      if (hasReturned && mayBeUnused) {
        // However often it is announced in vain, it pushes nothing out of the main queue, where its
        // first use will bring it.
        slot.uses = 1;
      }
      boolean isKnown = reason == Reason.KNOWN || (hasReturned && !mayBeUnused);
      (isKnown ? main : small).add(slot);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether eviction would let the block of a slot stay if it came to it now. It looks
   * without the lock, so it may err.
   */
  static boolean isHot(Slot slot) {
    return slot.uses > (isInMain(slot) ? 0 : 1);
  }

  /**
   * Returns whether the block of a slot has been used so much that it is not among the next to go.
   * It looks without the lock, so it may err.
   */
  static boolean isKept(Slot slot) {
    Extent extent = slot.extent;
    return isInMain(slot) || isHot(slot) || (extent != null && extent.isTouched());
  }

  /** Returns whether a slot seems to be in the main queue, or to be held, which leads there. */
  static boolean isInMain(Slot slot) {
    byte queue = slot.queue;
    return queue == MAIN || queue == HELD;
  }

  /** Returns whether a block was read ahead, and nobody has used it yet. */
  private static boolean isUnused(Slot slot) {
    return slot.isReadAhead && slot.uses == 0;
  }

  /**
   * Returns the reason for which a block comes in again that moves to another slot. It looks
   * without the lock, so it may err.
   */
  static Reason reasonToMove(Slot slot) {
    if (isInMain(slot) || isHot(slot)) {
      return Reason.KNOWN;
    }
    return isUnused(slot) ? Reason.AHEAD : Reason.READ;
  }

  /** Removes a slot that the caller has taken. If the slot is not here, this does nothing. */
  void remove(Slot slot) {
    lock.lock();
    try {
      takeOut(slot);
    } finally {
      lock.unlock();
    }
  }

  private void takeOut(Slot slot) {
    if (slot.queue != SlotQueue.NONE) {
      queues[slot.queue - 1].remove(slot);
    }
  }

  /**
   * Takes the slot of a block that may be evicted.
   *
   * @param isForAnnounced whether it is for a block that somebody has announced, or that is read
   *     with one that is wanted
   * @return a slot in motion, which is the caller's, with its owner and block as they were; null if
   *     none could be taken, since all are in motion or in use, or in the main queue, of which an
   *     announced block takes nothing once the small queue has its tenth
   */
  Slot evict(boolean isForAnnounced) {
    lock.lock();
    try {
      if (!isForAnnounced && ++readersSinceForgotten > mask) {
        // Should some of them never come, the room for others that are announced comes back. One
        // that does come is only not counted until then.
        readersSinceForgotten = 0;
        Slot ignored = coming.poll();
      }
      // What is held no longer comes back, one for each that goes.
      boolean ignored = returnHeld(1);
      Slot slot = take(isForAnnounced);
      return slot == null && !isForAnnounced && returnHeld(LOOKS_AT_HELD) ? take(false) : slot;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a slot out of the small and main queues, under the lock, or returns null. */
  private Slot take(boolean isForAnnounced) {
    if (isForAnnounced && exceedsTenth(coming.size()) && !exceedsTenth(2L * small.size())) {
      // Readers do not fill it that far, so they do not pay for this with the main queue.
      return null;
    }
    // Each turn moves a slot on or counts one of its uses down.
    long slots = (long) small.size() + main.size();
    long turns = Math.min(MAX_TURNS, slots * (Slot.MAX_USES + 2));
    int mayBeSpared = MAX_SPARED;
    while (turns-- > 0) {
      boolean isLarge = exceedsTenth(small.size() + coming.size());
      boolean mayShrink = isForAnnounced || exceedsTenth(6L * small.size());
      boolean fromSmall = main.size() == 0 || (isLarge && mayShrink);
      Slot slot = fromSmall ? small.poll() : main.poll();
      if (slot == null) {
        return null;
      }
      Extent.Answer answer = slot.extent == null ? Extent.Answer.YES : slot.extent.tryEvict();
      if (answer == Extent.Answer.LATER) {
        (fromSmall ? small : main).add(slot);
      } else if (answer == Extent.Answer.NO) {
        held.add(slot);
      } else if (slot.uses > (fromSmall ? 1 : 0) && mayBeSpared > 0) {
        mayBeSpared--;
        slot.uses = fromSmall ? 0 : (byte) (slot.uses - 1);
        main.add(slot);
      } else if (slot.tryTake(slot.acquire())) {
        if (fromSmall && !isUnused(slot)) {
          // The others would come back as blocks that have been used before.
          long hash = slot.owner.hash(slot.block);
          ghosts[place(hash)] = fingerprint(hash) | MANY_MISSES;
        }
        return slot;
      } else if (fromSmall && isForAnnounced) {
        // It is being published, and nobody has read it yet.
        small.add(slot);
        return null;
      } else {
        // The slot is being filled, or is being freed by a thread that will want to find it here.
        main.add(slot);
      }
    }
    return null;
  }

  /** Returns whether so many slots beside the main queue are more than a tenth of all. */
  private boolean exceedsTenth(long slots) {
    return slots * 9 > main.size();
  }

  /**
   * Looks at some of the slots that are held, in turn, asks for their room, and returns those to
   * the main queue that need not be held any more. It evicts nothing, and is called under the lock.
   *
   * @return whether there were any
   */
  private boolean returnHeld(int looks) {
    boolean found = false;
    for (int i = Math.min(looks, held.size()); i > 0; i--) {
      Slot slot = held.poll();
      Extent extent = slot.extent;
      if (extent != null) {
        extent.requestRoom();
      }
      boolean isHeld = extent != null && extent.mustStay();
      (isHeld ? held : main).add(slot);
      found |= !isHeld;
    }
    return found;
  }

  /**
   * Returns which shard a hash selects, of a number that is a power of two: by its topmost bits,
   * which select no place of a ghost, or each shard would use a part of its places alone.
   */
  static int number(long hash, int shards) {
    return (int) (hash >>> (Long.SIZE - MAX_SHARD_BITS)) & (shards - 1);
  }

  /** Returns the place of a hash in a table of ghosts, whose length is {@code mask + 1}. */
  static int place(long hash, int mask) {
    return (int) (hash >>> 32) & mask;
  }

  private int place(long hash) {
    return place(hash, mask);
  }

  private boolean isGhost(long hash) {
    int ghost = ghosts[place(hash)];
    return ghost != 0 && (ghost & ~MISSES) == fingerprint(hash);
  }

  private static int fingerprint(long hash) {
    return (int) hash & ~MISSES;
  }
}
