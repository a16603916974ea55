/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadQueue;
import dev.pread.posix.VectorPool;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The cache: which blocks of which files are in the slots of memory that all files share ({@link
 * SlotMemory}).
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

  /** The largest number of blocks that one miss reads. */
  static final int MAX_FILL = VectorPool.CAPACITY;

  /**
   * How much a miss reads around itself while there is room: as much as Linux reads around a page
   * fault.
   */
  private static final int AROUND_BYTES = 128 << 10;

  /**
   * How many reads a queue may have under way if nobody has said so: more than any device is faster
   * with.
   */
  public static final int DEFAULT_QUEUE_DEPTH = 128;

  /** The most reads that a queue may have under way. */
  public static final int MAX_QUEUE_DEPTH = ReadQueue.MAX_DEPTH;

  private static final int MIN_SHARD_SLOTS = 256;
  private static final int MAX_SHARDS = 16;
  private static final int SIGNALS = 16;

  /**
   * How long a thread waits for a block that another is reading. No working device takes so long. A
   * thread that has waited reads for itself, and either meets what is wrong with the device or gets
   * by without a thread that was lost.
   */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** For how long blocks are moved to make the cache smaller. */
  private static final long MAX_MOVE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final long maxWaitNanos;
  private final EvictionShard[] shards;
  private final FillSignal[] signals = new FillSignal[SIGNALS];
  private final CacheCounters counters = new CacheCounters();
  private final CacheEvents events = CacheEvents.INSTANCE;
  private final int queueDepth;
  private final Prefetcher prefetcher;
  private final AnnouncedPages announced;
  private final SpareMemory spare = new SpareMemory();
  private final Pins pins = new Pins(this);
  private final Compaction compaction = new Compaction(this);
  private final AtomicLong nextFile = new AtomicLong(1);

  private final ConcurrentHashMap<Object, CachedFile> files = new ConcurrentHashMap<>();

  /** Extents that keep free slots, the oldest first. They are changed under the lock. */
  private final ArrayDeque<Extent> pending = new ArrayDeque<>();

  private final ReentrantLock pendingLock = new ReentrantLock();

  /** Is run now and then by threads that use the cache. */
  private volatile Runnable lookOut = () -> {};

  /** What is known of blocks that were in the cache before a restart, or null. */
  private volatile HotBlocks hotBlocks;

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
    this(bytes, blockBits, DEFAULT_QUEUE_DEPTH, memory);
  }

  /**
   * Creates a cache.
   *
   * @param bytes how much memory it has, at least one block
   * @param blockBits the binary logarithm of the block size
   * @param queueDepth how many direct reads each of its queues may have under way, from 1 to {@link
   *     #MAX_QUEUE_DEPTH}; 0 for no queue, so that threads read ahead
   */
  public SlotCache(long bytes, int blockBits, int queueDepth, MemorySource memory) {
    this(bytes, blockBits, queueDepth, memory, MAX_WAIT_NANOS);
  }

  /** Creates a cache for tests, which have less time. */
  SlotCache(long bytes, int blockBits, MemorySource memory, long maxWaitNanos) {
    this(bytes, blockBits, DEFAULT_QUEUE_DEPTH, memory, maxWaitNanos);
  }

  private SlotCache(
      long bytes, int blockBits, int queueDepth, MemorySource memory, long maxWaitNanos) {
    super(bytes, blockBits, memory);
    this.maxWaitNanos = maxWaitNanos;
    this.queueDepth = queueDepth;
    this.prefetcher = new Prefetcher(counters, signals, queueDepth);
    this.announced =
        new AnnouncedPages(AnnouncedPages.sizeFor(bytes), memory, counters, events, signals);
    int count =
        Math.min(
            Math.min(MAX_SHARDS, Runtime.getRuntime().availableProcessors()),
            slots() / MIN_SHARD_SLOTS);
    this.shards = new EvictionShard[Integer.highestOneBit(Math.max(1, count))];
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new EvictionShard(slots() / shards.length);
    }
    for (int i = 0; i < SIGNALS; i++) {
      signals[i] = new FillSignal();
    }
  }

  /** Returns how many reads each queue may have under way; 0 if there are no queues. */
  public int queueDepth() {
    return queueDepth;
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

  /**
   * Begins to remember which blocks of files are in the cache, so that they can be brought in again
   * after a restart. It is called before any file is opened.
   *
   * @param background runs what reads them
   */
  public HotBlocks rememberHotBlocks(Executor background) {
    hotBlocks = new HotBlocks(this, background);
    return hotBlocks;
  }

  /** Ends what {@link #rememberHotBlocks} has begun. */
  public void forgetHotBlocks() {
    hotBlocks = null;
  }

  /** Returns what {@link #rememberHotBlocks} has made, or null. */
  HotBlocks hotBlocks() {
    return hotBlocks;
  }

  /** Forgets what is known of a file that was deleted. */
  public void forget(String name) {
    HotBlocks hot = hotBlocks;
    if (hot != null) {
      hot.forget(name);
    }
  }

  /** Returns the prefetcher, which reads blocks before they are wanted. */
  Prefetcher prefetcher() {
    return prefetcher;
  }

  /** Returns how many queues read ahead; without any, threads do. */
  public int prefetchQueues() {
    return prefetcher.queues();
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

  /**
   * Opens a file's part in the cache, which the caller has to close.
   *
   * @param key a key that is equal for all that have this very file open, and for no other file
   *     meanwhile; null if no such key is known, and then the caller gets a part of its own
   * @param name the file's name, for events
   */
  public CachedFile open(Object key, String name, long length) {
    return open(key, name, length, 0);
  }

  /**
   * Opens a file's part in the cache as {@link #open(Object, String, long)} does.
   *
   * @param name the file's name, for events, and to know the file again after a restart
   * @param modifiedNanos when the file was last written: another file of that name has another time
   */
  public CachedFile open(Object key, String name, long length, long modifiedNanos) {
    if (key == null) {
      return new CachedFile(this, name, null, length, modifiedNanos, nextFile.getAndIncrement());
    }
    CachedFile shared =
        files.compute(
            key,
            (k, present) -> {
              if (present == null) {
                return new CachedFile(
                    this, name, k, length, modifiedNanos, nextFile.getAndIncrement());
              }
              if (present.length() == length) {
                present.openCount++;
              }
              return present;
            });
    // A file that was opened while it was still being written stays apart.
    return shared.length() == length ? shared : open(null, name, length, modifiedNanos);
  }

  void close(CachedFile file, boolean hasReaders) {
    // Before anything has changed: half of this must not be done.
    StackReserve.ensure();
    CachedFile left = null;
    if (file.key() != null) {
      left =
          files.computeIfPresent(
              file.key(),
              (k, present) -> present == file && --file.openCount == 0 ? null : present);
    }
    try {
      if (left != file) {
        free(file);
      } else if (hasReaders) {
        file.invalidate();
      }
    } finally {
      try {
        if (left != file) {
          announced.drop(file);
        } else if (hasReaders) {
          announced.invalidate(file);
        }
      } finally {
        // Reads that wait to begin hold on to the descriptor. Who offers one after this sees that
        // the file is closed, and begins it.
        prefetcher.flush();
      }
    }
  }

  private void free(CachedFile file) {
    try {
      if (hotBlocks != null) {
        hotBlocks.closing(file);
      }
    } finally {
      try {
        file.freeAll();
      } finally {
        wakeAll();
      }
    }
  }

  /** Returns the files that are open, but for those that nobody else could recognise. */
  Collection<CachedFile> files() {
    return files.values();
  }

  /** Forgets all blocks and gives the memory back. Calling it again has no effect. */
  public void close() {
    StackReserve.ensure();
    if (!stopGrowing()) {
      return;
    }
    try {
      prefetcher.close();
    } finally {
      try {
        announced.close();
      } finally {
        forgetAll();
      }
    }
  }

  private void forgetAll() {
    wakeAll();
    endPendingExtents();
    for (int i = 0; i < slots(); i++) {
      Slot slot = slot(i);
      if (slot != null) {
        forget(slot);
      }
    }
    leaveAll();
  }

  /** Makes all waiting threads check whether it is still worth waiting. */
  private void wakeAll() {
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

  /** Makes all slots free that are kept for blocks that have not come yet. */
  void endPendingExtents() {
    Extent waiting = pollPending();
    while (waiting != null) {
      waiting.endIfPending();
      waiting = pollPending();
    }
  }

  private Extent pollPending() {
    pendingLock.lock();
    try {
      return pending.poll();
    } finally {
      pendingLock.unlock();
    }
  }

  // ---- for the files ----

  int aroundBlocks() {
    return Math.min(MAX_FILL, Math.max(1, AROUND_BYTES >>> blockBits()));
  }

  FillSignal signal(Slot slot) {
    return signals[slot.index & (SIGNALS - 1)];
  }

  /** Returns how long a thread waits altogether for a block that others are reading. */
  long maxWaitNanos() {
    return maxWaitNanos;
  }

  /**
   * Returns a slot in motion that is the caller's alone, to be filled and published, or released.
   * It is the one kept for the block, or else a free one, or else one whose block is evicted.
   *
   * @return null if there is none
   */
  Slot obtain(CachedFile file, int block, boolean mayEvict) {
    PageEviction pages = shrinking;
    if (pages != null && mayEvict) {
      StackReserve.ensure();
      boolean ignored = pages.help();
    }
    Slot slot = obtainUnused(file.place(block), block, mayEvict);
    if (slot != null || !mayEvict) {
      return slot;
    }
    slot = evict(file.hash(block));
    if (slot == null && prefetcher.awaitOne()) {
      // What is read ahead was in the way.
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
    while (index < 0 && endExtents) {
      Extent oldest = pollPending();
      if (oldest == null) {
        return null;
      }
      oldest.endIfPending();
      index = takeIndex();
    }
    return index < 0 ? null : made(index);
  }

  /**
   * Returns whether a block that need not come in should: there is room, or it is missed again and
   * again.
   */
  boolean admits(CachedFile file, int block) {
    return freeCount() > 0 || !isFull() || missedOften(file, block);
  }

  /** Counts a miss of a block, and returns whether it has been missed many times recently. */
  boolean missedOften(CachedFile file, int block) {
    StackReserve.ensure();
    return shard(file, block).missedOften(file.hash(block));
  }

  /**
   * Evicts a block, and returns its slot, which is in motion and the caller's alone.
   *
   * @param hash the hash of the block that is to come, which says where to begin to look
   * @return null if no block can be evicted just now
   */
  Slot evict(long hash) {
    int home = (int) (hash >>> 48);
    for (int i = 0; i < shards.length; i++) {
      Slot slot = evictFrom(shards[(home + i) & (shards.length - 1)]);
      while (slot != null && (isLeaving(slot.index) || compaction.wants(slot.index))) {
        // Its page is about to be given back, or it is kept: this has brought that a step nearer.
        release(slot);
        slot = evictFrom(shards[(home + i) & (shards.length - 1)]);
      }
      if (slot != null) {
        return slot;
      }
    }
    return null;
  }

  private Slot evictFrom(EvictionShard shard) {
    Slot slot = shard.evict();
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
      counters.evicted();
      counters.left();
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
    return slot == null ? evict(file.hash(block)) : slot;
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
    long before = bytesInUse();
    int capacityBefore = capacity();
    int excess = limit(bytes);
    for (int i = 0; i < shards.length && capacity() != capacityBefore; i++) {
      shards[i].resize(capacity() / shards.length);
    }
    if (excess > 0) {
      StackReserve.ensure();
      prefetcher.flush();
      endPendingExtents();
      Object event = events.returnBegins();
      PageEviction pages = new PageEviction(this, isUrgent ? 0 : MAX_MOVE_NANOS);
      shrinking = pages;
      try {
        pages.run();
      } finally {
        shrinking = null;
      }
      events.returnEnds(event, Math.max(0, before - bytesInUse()), bytes, isUrgent);
    }
    return Math.max(0, before - bytesInUse());
  }

  /**
   * Returns an extent of neighbouring slots for {@code blocks} neighbouring blocks, or null if
   * there are no such slots.
   */
  Extent newExtent(CachedFile file, int firstBlock, int blocks) {
    int run = blocks == 1 || isClosed() ? -1 : takeRun(blocks);
    if (run < 0) {
      return null;
    }
    Extent extent = null;
    boolean done = false;
    try {
      extent = new Extent(file, firstBlock, blocks, run, true);
      remember(extent);
      done = true;
      return extent;
    } finally {
      if (!done && extent != null) {
        extent.end();
      } else if (!done) {
        freeRun(run, blocks);
      }
    }
  }

  private void remember(Extent extent) {
    pendingLock.lock();
    try {
      pending.removeIf(e -> !e.isPending());
      pending.add(extent);
    } finally {
      pendingLock.unlock();
    }
  }

  /**
   * Returns whether nearly all slots have blocks, or had when something was last brought in: a
   * server that stops closes one file after the other. A few may be in motion, or kept for blocks
   * that do not come.
   */
  boolean isFull() {
    return hasEvicted || counters.blocks() >= capacity() - capacity() / 64;
  }

  /**
   * Returns whether there is room for an extent to move into, and some more, so that it may stay.
   */
  boolean hasRoomToMove(int blocks) {
    return freeCount() > blocks + capacity() / 16 && mayHaveRun(blocks);
  }

  /** Publishes a filled slot, so that everybody can see that it holds the block. */
  void publish(Slot slot, CachedFile file, int block) {
    publish(slot, file, block, false);
  }

  /**
   * Publishes a filled slot.
   *
   * @param isKnown whether the block has been in the cache for long, in another slot or before a
   *     restart
   */
  void publish(Slot slot, CachedFile file, int block, boolean isKnown) {
    // The slot enters its queue first: whoever takes it from now on will look for it there.
    shard(file, block).add(slot, file.hash(block), isKnown);
    if (slot.extent != null) {
      slot.extent.filled(slot);
    }
    counters.entered();
    slot.publish();
    signal(slot).signal();
    if (file.isClosed() || isClosed() || file.entered(block) != slot) {
      // The close skipped the slot while it was in motion, or a waiting thread has given up the
      // slot.
      file.freeIfOurs(slot);
    }
    events.entered(file, block, slot);
  }

  private EvictionShard shard(CachedFile file, int block) {
    return shards[(int) (file.hash(block) >>> 48) & (shards.length - 1)];
  }

  /** Removes from its queue a slot that the caller has taken. */
  void leave(Slot slot) {
    shard(slot.owner, slot.block).remove(slot);
    counters.left();
  }

  /** Frees a slot that the caller has alone, and that is in no table and no queue. */
  void release(Slot slot) {
    Extent extent = slot.extent;
    slot.owner = null;
    slot.restart();
    signal(slot).signal();
    boolean isKept = extent != null && extent.unclaim(slot);
    if (!isKept && !compaction.take(slot)) {
      free(slot.index);
    }
  }
}
