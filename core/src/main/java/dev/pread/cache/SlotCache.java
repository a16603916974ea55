/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.cache.EvictionShard.Reason;
import dev.pread.posix.ReadQueue;

/**
 * The cache: which blocks of which files are in the slots of memory that all files share ({@link
 * SlotMemory}). Files are opened and closed by {@link OpenFiles}.
 *
 * <p>Lucene never closes a clone, so nothing that a reader holds may keep a block where it is:
 * there are no pins and no reference counts, and nobody waits for a reader. Instead every slot has
 * a version ({@link Guard}); readers load first, and check afterwards whether what they have loaded
 * is right. Garbage may be loaded, but it is never returned. A hit therefore costs the look-up in
 * the file's table ({@link CachedFile#find}) once per block, and one comparison per read.
 *
 * <p>A slot has one owner at any time. Free slots belong to {@link FreeSlots}, or to the {@link
 * Extent} they are kept for. The thread that gets one ({@link #obtain}) has it alone, enters it
 * into the table of its file (one thread succeeds in that, and the others wait for it), fills it,
 * and publishes it. From then on, whoever wants it back must win it by its version ({@link
 * Guard#tryTake}): the eviction, or the file when it is closed. All of that happens on misses.
 * Files are read outside every lock.
 *
 * <p>It is thread-safe. After {@link #close} files find nothing here any more and read for
 * themselves.
 */
public final class SlotCache extends SlotMemory {

  private static final int SIGNALS = 16;

  private final long maxWaitNanos;
  private final EvictionShard[] shards;
  private final FillSignal[] signals = new FillSignal[SIGNALS];
  private final CacheCounters counters = new CacheCounters();
  private final CacheEvents events = CacheEvents.INSTANCE;
  private final FillQueues queues;
  private final Prefetcher prefetcher;
  private final AnnouncedPages announced;
  private final SpareMemory spare = new SpareMemory();
  private final Pins pins = new Pins(this);
  private final PendingExtents pendingExtents = new PendingExtents(this);
  private final Compaction compaction = new Compaction(this);
  private final OpenFiles files = new OpenFiles(this);

  /** Is run now and then by threads that use the cache. */
  private volatile Runnable lookOut = () -> {};

  /** What makes the cache smaller just now, or null. */
  private volatile PageEviction shrinking;

  /** Whether a block has been evicted to make room, and there has been little room since. */
  private volatile boolean hasEvicted;

  /**
   * Creates a cache.
   *
   * @param bytes how much memory it has, at least one block; what is left over of a last block is
   *     not used
   * @param blockBits the binary logarithm of the block size
   */
  public SlotCache(long bytes, int blockBits, MemorySource memory) {
    this(bytes, bytes, blockBits, ReadQueue.DEFAULT_DEPTH, memory);
  }

  /**
   * Creates a cache that may be far larger than it is going to be.
   *
   * @param likelyBytes how much memory it can have as things are, which decides how much there is
   *     for announced pages
   * @param queueDepth how many direct reads each of its queues may have under way, from 1 to {@link
   *     ReadQueue#MAX_DEPTH}; 0 for no queue, so that threads read ahead
   */
  public SlotCache(
      long bytes, long likelyBytes, int blockBits, int queueDepth, MemorySource memory) {
    this(bytes, likelyBytes, blockBits, queueDepth, memory, FillWait.MAX_NANOS);
  }

  /** Creates a cache for tests, which have less time. */
  SlotCache(long bytes, int blockBits, MemorySource memory, long maxWaitNanos) {
    this(bytes, bytes, blockBits, ReadQueue.DEFAULT_DEPTH, memory, maxWaitNanos);
  }

  private SlotCache(
      long bytes,
      long likelyBytes,
      int blockBits,
      int queueDepth,
      MemorySource memory,
      long maxWaitNanos) {
    super(bytes, blockBits, memory);
    this.maxWaitNanos = maxWaitNanos;
    this.queues = new FillQueues(signals, queueDepth, Prefetcher::newThread);
    this.prefetcher = new Prefetcher(counters, queues, Prefetcher::newThread);
    int pages = PageFrames.sizeFor(likelyBytes);
    this.announced = new AnnouncedPages(new PageFrames(pages, memory, signals));
    this.shards = EvictionShard.shards(slots());
    for (int i = 0; i < SIGNALS; i++) {
      signals[i] = new FillSignal();
    }
  }

  /**
   * Sets what threads that miss, and now and then those that hit, do before anything else: a look
   * at whether there is still memory for the cache. It has to return at once when there is nothing
   * to do.
   */
  public void setLookOut(Runnable lookOut) {
    this.lookOut = lookOut;
  }

  /** Looks at whether there is still memory for the cache. */
  void lookOut() {
    lookOut.run();
  }

  /** Returns the files that have blocks here. */
  public OpenFiles files() {
    return files;
  }

  /** Returns the prefetcher, which reads blocks before they are wanted. */
  Prefetcher prefetcher() {
    return prefetcher;
  }

  /** Returns the queues that read ahead. */
  public FillQueues queues() {
    return queues;
  }

  /** Returns the pages that are read ahead beside the slots. */
  AnnouncedPages announced() {
    return announced;
  }

  /** Returns the memory for readers that get no slot. */
  public SpareMemory spare() {
    return spare;
  }

  /** Returns how many slots have had their memory handed out. */
  public Pins pins() {
    return pins;
  }

  /** Returns the extents that keep free slots. */
  PendingExtents pendingExtents() {
    return pendingExtents;
  }

  /** Returns what makes room for files that are to lie in one piece. */
  Compaction compaction() {
    return compaction;
  }

  /** Returns whether it is being made smaller just now. */
  boolean isShrinking() {
    return shrinking != null;
  }

  /** Returns the counters of what has happened. */
  public CacheCounters counters() {
    return counters;
  }

  /** Returns where the cache reports what happens. */
  CacheEvents events() {
    return events;
  }

  /** Forgets all blocks and gives the memory back. Calling it again has no effect. */
  public void close() {
    StackReserve.ensureForCalls();
    if (!stopGrowing()) {
      return;
    }
    // The device is done before any memory goes.
    try (announced;
        queues) {
      prefetcher.close();
    } finally {
      forgetAll();
    }
  }

  private void forgetAll() {
    wakeAll();
    pendingExtents.endAll();
    for (int i = 0; i < slots(); i++) {
      Slot slot = slot(i);
      if (slot != null) {
        forget(slot);
      }
    }
    leaveAll();
  }

  /** Makes all waiting threads check whether it is still worth waiting. */
  void wakeAll() {
    for (FillSignal signal : signals) {
      signal.signal();
    }
  }

  /** Frees a slot of this closed cache, unless its memory has been handed out. */
  private void forget(Slot slot) {
    long version = (long) Guard.VERSION.getVolatile(slot);
    Extent extent = slot.extent;
    if (extent != null) {
      extent.end();
      if (extent.isPinned()) {
        return;
      }
    }
    if (slot.tryTake(version)) {
      slot.owner.remove(slot.block, slot);
      leave(slot);
      release(slot);
    }
  }

  // ---- for the files ----

  FillSignal signal(Slot slot) {
    return signals[slot.index & (SIGNALS - 1)];
  }

  /** Returns how long a thread waits altogether for a block that others are reading. */
  long maxWaitNanos() {
    return maxWaitNanos;
  }

  /**
   * Empties a page if the cache is being made smaller just now. Whoever is about to take slots does
   * so once, since with many threads on few processors the governor alone would come too late.
   */
  void helpToShrink() {
    PageEviction pages = shrinking;
    if (pages != null) {
      StackReserve.ensure();
      boolean ignored = pages.help();
    }
  }

  /**
   * Returns a slot in motion that is the caller's alone, to be filled and published, or released.
   * It is the one kept for the block, or else a free one, or else one whose block is evicted. This
   * waits for no read.
   *
   * @param isAnnounced whether the block has been announced, or is read with one that is wanted, so
   *     that it only takes the place of what is in the small queue of its {@link EvictionShard},
   *     once that has its tenth
   * @return null if there is none
   */
  Slot obtain(CachedFile file, int block, boolean mayEvict, boolean isAnnounced) {
    Slot slot = obtainUnused(file.extents().place(block), block, mayEvict);
    if (slot != null || !mayEvict) {
      return slot;
    }
    return evict(file.hash(block), isAnnounced);
  }

  /** Counts a slot, which is the caller's alone, as one for a block that is read ahead. */
  void expect(Slot slot, CachedFile file, int block) {
    shard(file, block).expect(slot);
  }

  /** Takes back that the block of a slot is expected. */
  void expectNoMore(Slot slot, CachedFile file, int block) {
    shard(file, block).remove(slot);
  }

  /**
   * Returns a slot for a block that has none because of what is being read ahead, once one of these
   * reads has ended. It waits for that, but not for long. Others may wait for the same.
   *
   * @return null if there is none
   */
  Slot awaitSlot(CachedFile file, int block) {
    long deadline = System.nanoTime() + FillQueue.LOOK_NANOS;
    queues.flush();
    Slot slot = obtainForMove(file, block);
    boolean mayCome = true;
    while (slot == null && mayCome) {
      mayCome = queues.awaitOne(deadline);
      // The last read may have ended just before there was nothing left to wait for.
      slot = obtainForMove(file, block);
    }
    return slot;
  }

  /**
   * Returns a slot as {@link #obtain} does, but evicts no block.
   *
   * @param extent what may keep one for the block, or null
   * @param mayEndExtents whether it may be one that is kept for a block that has not come yet
   * @return null if there is none
   */
  Slot obtainUnused(Extent extent, int block, boolean mayEndExtents) {
    if (extent != null) {
      Slot slot = extent.claim(block);
      if (slot != null) {
        return slot;
      }
    }
    return takeFree(mayEndExtents);
  }

  private Slot takeFree(boolean endExtents) {
    if (hasEvicted && freeCount() > capacity() / 8) {
      hasEvicted = false;
    }
    int index = takeIndex();
    while (index < 0 && endExtents && pendingExtents.endOldest()) {
      index = takeIndex();
    }
    return index < 0 ? null : made(index);
  }

  /**
   * Decides whether a block that need not come in does: if there is room, or if it is missed again
   * and again. Without room it {@linkplain #countMiss counts} the miss.
   *
   * @return whether the block comes in
   */
  boolean admit(CachedFile file, int block) {
    return freeCount() > 0 || !isFull() || countMiss(file, block);
  }

  /**
   * Counts a miss of a block, and returns whether it has been missed many times recently. It takes
   * a lock, so the caller has made sure of its stack ({@link StackReserve}).
   */
  boolean countMiss(CachedFile file, int block) {
    return shard(file, block).countMiss(file.hash(block));
  }

  /**
   * Evicts a block, and returns its slot, which is in motion and the caller's alone.
   *
   * @param hash the hash of the block that is to come, which says where to begin to look
   * @param isForAnnounced whether that block has been announced, or is read with one that is wanted
   * @return null if no block can be evicted just now
   */
  Slot evict(long hash, boolean isForAnnounced) {
    int home = EvictionShard.number(hash, shards.length);
    // A small queue that lends a slot to another shard would fill up from its main queue again.
    for (int i = 0; i < (isForAnnounced ? 1 : shards.length); i++) {
      EvictionShard shard = shards[(home + i) & (shards.length - 1)];
      Slot slot = evictFrom(shard, isForAnnounced);
      while (slot != null && (isLeaving(slot.index) || compaction.wants(slot.index))) {
        // Its page is about to be given back, or it is kept: this has brought that a step nearer.
        release(slot);
        slot = evictFrom(shard, isForAnnounced);
      }
      if (slot != null) {
        return slot;
      }
    }
    return null;
  }

  private Slot evictFrom(EvictionShard shard, boolean isForAnnounced) {
    Slot slot = shard.evict(isForAnnounced);
    if (slot == null) {
      return null;
    }
    boolean done = false;
    try {
      CachedFile owner = slot.owner;
      owner.remove(slot.block, slot);
      slot.extent = null;
      if (!hasEvicted) {
        hasEvicted = true;
      }
      // Threads that wait for the block that was here need not wait for the one that comes.
      slot.restart();
      signal(slot).signal();
      counters.count(Counter.EVICTIONS);
      counters.takeBack(Counter.BLOCKS);
      events.evicted(owner, slot.block, slot);
      done = true;
      return slot;
    } finally {
      if (!done) {
        release(slot);
      }
    }
  }

  /** Returns a slot for a block that has to move, in motion and the caller's, or null. */
  Slot obtainForMove(CachedFile file, int block) {
    Slot slot = takeFree(true);
    return slot == null ? evict(file.hash(block), false) : slot;
  }

  /**
   * Sets how many bytes of memory the cache may have, in whole pages and at most {@link #size}. It
   * grows as it is used; to become smaller it evicts what is used least, and moves the rest out of
   * the pages that it gives back. This takes a while, and readers go on. One thread at a time calls
   * this.
   *
   * @param isUrgent whether the memory is wanted so soon that what is used most may be evicted, too
   * @return how many bytes have been given back
   */
  public long resize(long bytes, boolean isUrgent) {
    long before = bytesBacked();
    int capacityBefore = capacity();
    int excess = limit(bytes);
    for (int i = 0; i < shards.length && capacity() != capacityBefore; i++) {
      shards[i].resize(capacity() / shards.length);
    }
    if (excess > 0) {
      StackReserve.ensure();
      queues.flush();
      pendingExtents.endAll();
      Object event = events.returnBegins();
      PageEviction pages = new PageEviction(this, isUrgent);
      shrinking = pages;
      try {
        pages.run();
      } finally {
        shrinking = null;
      }
      events.returnEnds(event, Math.max(0, before - bytesBacked()), bytes, isUrgent);
    }
    return Math.max(0, before - bytesBacked());
  }

  /**
   * Gives back memory that has had no block in it since the last call: files have been closed, and
   * nothing else has come in. It may have as much again at any time. One thread at a time calls
   * this; another may {@linkplain #resize resize} the cache meanwhile.
   *
   * @param most how many bytes it gives back at most
   * @return how many bytes have been given back
   */
  public long returnIdle(long most) {
    // A page that has left and could not be given back would be lost.
    StackReserve.ensure();
    Object event = events.returnBegins();
    long returned = leaveIdle(most);
    if (returned > 0) {
      events.returnEnds(event, returned, (long) capacity() << blockBits(), false);
    }
    return returned;
  }

  /**
   * Returns whether nearly all slots have blocks, or had when something was last brought in: a
   * server that stops closes one file after the other. A few may be in motion, or kept for blocks
   * that do not come.
   */
  boolean isFull() {
    return hasEvicted || isFilled();
  }

  private boolean isFilled() {
    return counters.sum(Counter.BLOCKS) >= capacity() - capacity() / 64;
  }

  /** Returns whether there is no room for a block just now unless another is evicted. */
  public boolean hasNoRoom() {
    return freeCount() == 0 && isFilled();
  }

  /**
   * Returns whether there is room for an extent to move into, and some more, so that it may stay.
   */
  boolean hasRoomToMove(int blocks) {
    return freeCount() > blocks + capacity() / 16 && freeSlots().mayHaveRun(blocks);
  }

  /**
   * Publishes a filled slot, so that everybody can see that it holds the block.
   *
   * @param reason why the block has come in
   */
  void publish(Slot slot, CachedFile file, int block, Reason reason) {
    used(slot);
    // The slot enters its queue first: whoever takes it from now on will look for it there.
    shard(file, block).add(slot, file.hash(block), reason);
    if (slot.extent != null) {
      slot.extent.filled(slot);
    }
    counters.count(Counter.BLOCKS);
    endMotion(slot, file, block);
    events.entered(file, block, slot);
  }

  /** Makes a slot of the caller stable, which holds that block. */
  void endMotion(Slot slot, CachedFile file, int block) {
    slot.publish();
    signal(slot).signal();
    if (file.isClosed() || isClosed() || file.entered(block) != slot) {
      // A close skipped the slot while it was in motion, or a waiting thread has given up the slot.
      file.freeIfOurs(slot);
    }
  }

  private EvictionShard shard(CachedFile file, int block) {
    return shards[EvictionShard.number(file.hash(block), shards.length)];
  }

  /** Removes from its queue a slot that the caller has taken. */
  void leave(Slot slot) {
    shard(slot.owner, slot.block).remove(slot);
    counters.takeBack(Counter.BLOCKS);
  }

  /** Frees a slot that the caller has alone, and that is in no table and no queue. */
  void release(Slot slot) {
    assert slot.queue == SlotQueue.NONE : slot;
    Extent extent = slot.extent;
    slot.owner = null;
    slot.restart();
    try {
      signal(slot).signal();
    } finally {
      boolean isKept = extent != null && extent.unclaim(slot);
      if (!isKept && !compaction.take(slot)) {
        freeRun(slot.index, 1);
      }
    }
  }
}
