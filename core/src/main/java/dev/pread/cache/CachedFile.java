/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One file's part in the cache: which of its blocks are in which slots.
 *
 * <p>It stands for the bytes of one file, however often that is open: {@link SlotCache#open} gives
 * all who have it open the same object, and forgets it when the last has closed. A file that is
 * written again under the same name is another one, with an object of its own, so that stale blocks
 * can't be met.
 *
 * <p>Thread-safe. {@link #find} and what follows it ({@link Guard}) is the hit: no lock, no write
 * but the count of a use. {@link #load} is the miss.
 */
public final class CachedFile {

  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(Slot[].class);
  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(Slot[][].class);

  /** Blocks per page of the table. */
  private static final int PAGE_BITS = 9;

  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;

  private final SlotCache cache;
  private final String name;
  private final Object key;
  private final long length;
  private final int blocks;
  private final long seed;

  /** The table: block number to slot, in pages that are made when needed. */
  private final Slot[][] pages;

  private final Extents extents;

  /** Set once, by the last who closes it. */
  private volatile boolean closed;

  /** Whether more of it is being brought in for {@link #completeLater}. */
  private final AtomicBoolean completing = new AtomicBoolean();

  /** How many have it open; under the lock of its key in {@link SlotCache}. */
  int openCount = 1;

  CachedFile(SlotCache cache, String name, Object key, long length, long id) {
    this.cache = cache;
    this.name = name;
    this.key = key;
    this.length = length;
    this.blocks = Math.toIntExact((length + cache.blockSize() - 1) >>> cache.blockBits());
    this.seed = id * 0x9E3779B97F4A7C15L;
    this.pages = new Slot[(blocks + PAGE_MASK) >>> PAGE_BITS][];
    this.extents = new Extents(this, blocks);
  }

  /** What it was opened as, for events and messages. */
  public String name() {
    return name;
  }

  /** Bytes. */
  public long length() {
    return length;
  }

  Object key() {
    return key;
  }

  /** The cache it is in. */
  public SlotCache cache() {
    return cache;
  }

  /** Whether nobody has it open any more. */
  boolean isClosed() {
    return closed;
  }

  /** Of a block, for shards and ghosts: well mixed. */
  long hash(int block) {
    long h = (seed ^ block) * 0xBF58476D1CE4E5B9L;
    h = (h ^ (h >>> 29)) * 0x94D049BB133111EBL;
    return h ^ (h >>> 32);
  }

  // ---- hits ----

  /**
   * The slot {@code block} was in a moment ago, or null. It may be in motion or another block's by
   * now: take a version, then see whether it {@link #isIn}.
   */
  public Slot find(int block) {
    Slot[] page = (Slot[]) PAGE.getAcquire(pages, block >>> PAGE_BITS);
    return page == null ? null : (Slot) ENTRY.getAcquire(page, block & PAGE_MASK);
  }

  /** Whether {@code slot} had the block under {@code version}, which is checked by the caller. */
  public boolean isIn(Slot slot, long version, int block) {
    return Guard.isStable(version) && slot.holds(this, block);
  }

  /** The extent the byte at {@code position} lies in, complete or not; null if there is none. */
  public Extent extent(long position) {
    return extents.at((int) (position >>> cache.blockBits()));
  }

  /**
   * Copies what is in the cache, for readers that bypass it. Counts no use.
   *
   * @return how many bytes from {@code position} on have been copied, at most {@code count}
   */
  public int copy(long position, byte[] dst, int offset, int count) {
    int done = 0;
    while (done < count) {
      int block = (int) ((position + done) >>> cache.blockBits());
      Slot slot = find(block);
      if (slot == null) {
        break;
      }
      long version = slot.acquire();
      int from = (int) (position + done) & (cache.blockSize() - 1);
      int here = Math.min(count - done, cache.blockSize() - from);
      if (!isIn(slot, version, block)) {
        break;
      }
      cache.chunk(slot).bytes().get(cache.offset(slot) + from, dst, offset + done, here);
      VarHandle.loadLoadFence();
      if (!slot.is(version)) {
        break;
      }
      done += here;
    }
    return done;
  }

  // ---- misses ----

  /**
   * Brings a block in that a reader has looked up in vain, or waits for another thread that is
   * about to.
   *
   * @param count how many blocks from there on the caller is going to read now, at least 1
   * @return a slot that had the block a moment ago; null if there is no slot to be had, the cache
   *     is closed or this file is, or that other thread does not come back: the caller then reads
   *     for itself
   * @throws IOException of the source, for a byte of the block itself
   */
  public Slot load(int block, int count, BlockSource source) throws IOException {
    cache.counters().missed();
    Slot slot = load(new Fill(this, source, block, count, false));
    if (slot == null) {
      cache.counters().bypassed();
    }
    return slot;
  }

  /** As {@link #load}, for a block that nobody has looked up yet. */
  Slot loadAhead(int block, int count, BlockSource source) throws IOException {
    return load(new Fill(this, source, block, count, true));
  }

  private Slot load(Fill fill) throws IOException {
    StackReserve.ensure();
    Wait wait = null;
    boolean found = false;
    try {
      while (!isGone()) {
        Slot slot = find(fill.block());
        if (slot == null) {
          slot = fill.run();
          if (slot != null || fill.foundNoSlot()) {
            return slot;
          }
        } else {
          long version = slot.acquire();
          wait = wait == null ? new Wait(fill) : wait;
          found = isIn(slot, version, fill.block());
          if (found || !wait.until(slot, version)) {
            return found ? slot : null;
          }
        }
      }
      return null;
    } finally {
      if (wait != null && !found) {
        wait.wasInVain();
      }
    }
  }

  /** For a block that other threads are reading: one after the other, if they fail. */
  private final class Wait {

    private final Fill fill;
    private final long deadline = System.nanoTime() + cache.maxWaitNanos();

    Wait(Fill fill) {
      this.fill = fill;
      if (!fill.isAhead()) {
        cache.counters().waited();
      }
    }

    /**
     * Waits for a slot to change.
     *
     * @return false if all of this has taken too long
     */
    boolean until(Slot slot, long version) {
      // One that left the table meanwhile may be free, and nobody would ever end the wait.
      if (Guard.isStable(version) || find(fill.block()) != slot) {
        return true;
      }
      long start = System.nanoTime();
      if (cache.signal(slot).await(slot, version, () -> isGone(), deadline - start)) {
        return true;
      }
      cache.counters().waitTimedOut();
      if (System.nanoTime() - start >= cache.maxWaitNanos() / 2) {
        // It is this one that does not come back, and not one before it.
        abandon(fill.block(), slot, version);
      }
      return false;
    }

    void wasInVain() {
      if (!fill.isAhead()) {
        cache.counters().waitedInVain();
      }
    }
  }

  private boolean isGone() {
    return closed || cache.isClosed();
  }

  /**
   * Takes a slot out of the table that has been in motion for too long, so that others do not wait
   * for it, too. Should it be published after all, it is freed: by the thread that publishes it and
   * then finds that it is not in the table, or here, by who finds that it was published meanwhile.
   */
  void abandon(int block, Slot slot, long version) {
    remove(block, slot);
    if ((long) Guard.VERSION.getVolatile(slot) != version) {
      freeIfOurs(slot);
    }
  }

  /**
   * Whether a read at random of a few bytes should leave their block out of a full cache: it is not
   * there, and has not been missed often lately. For sources where a block costs a few times what
   * those bytes do, so that it has to be wanted a few times to be worth it. Counts the miss.
   */
  public boolean shouldBypass(int block) {
    Extent extent = extents.at(block);
    boolean hasPlace = extent != null && extent.isPending();
    boolean passes = !hasPlace && find(block) == null && !cache.admits(this, block);
    if (passes) {
      cache.counters().missed();
      cache.counters().bypassed();
    }
    return passes;
  }

  /**
   * Counts a read past the cache that begins in a block which is not there, and says whether there
   * have been so many lately that it had better come in.
   */
  public boolean missedOften(int block) {
    return cache.missedOften(this, block);
  }

  /**
   * Brings more of a file in that is read a lot, while there are slots kept for it, in the
   * background: called now and then by readers, who do not wait for it.
   *
   * @param position near which it is read
   */
  public void completeLater(long position, BlockSource source) {
    int block = (int) (position >>> cache.blockBits());
    if (!completing.get() && extents.mayComplete(block)) {
      StackReserve.ensure();
      if (completing.compareAndSet(false, true)) {
        cache.prefetcher().complete(this, position, source);
      }
    }
  }

  /** What {@link #completeLater} has begun is over. */
  void completed() {
    completing.set(false);
  }

  /**
   * Brings more of a file in that is read a lot, while there are slots kept for it.
   *
   * <p>A failure is nobody's: who asked wants another block. What can't be read is not tried again
   * and again.
   *
   * @param position near which it is read
   * @return whether it has brought something in, so that it is worth being called again
   */
  public boolean complete(long position, BlockSource source) {
    int block = (int) (position >>> cache.blockBits());
    Extent extent = extents.placeAgain(block);
    if (extent == null || !extent.isPending()) {
      return false;
    }
    int next = extent.nextUnclaimed(block);
    Slot elsewhere = next < 0 ? null : find(next);
    if (next >= 0 && elsewhere == null) {
      try {
        return loadAhead(next, SlotCache.MAX_FILL, source) != null;
      } catch (ClosedChannelException e) {
        // Closed by who asked for it, which says nothing about the file.
        return false;
      } catch (IOException e) {
        extents.failed(block);
        return false;
      }
    }
    boolean moved = false;
    for (int i = 0; i < SlotCache.MAX_FILL && elsewhere != null && move(elsewhere, next); i++) {
      moved = true;
      next = extent.nextUnclaimed(next);
      elsewhere = next < 0 ? null : find(next);
    }
    return moved;
  }

  /** Moves a block that is in the cache to the slot its extent keeps for it. */
  private boolean move(Slot from, int block) {
    long version = from.acquire();
    Extent extent = extents.at(block);
    StackReserve.ensure();
    Slot to = isIn(from, version, block) ? extent.claim(block) : null;
    if (to == null) {
      return false;
    }
    boolean taken = false;
    try {
      to.owner = this;
      to.block = block;
      cache
          .chunk(to)
          .bytes()
          .put(cache.offset(to), cache.chunk(from).bytes(), cache.offset(from), cache.blockSize());
      // Taken under the version it was copied under: so what was copied is right.
      taken = from.tryTake(version);
    } finally {
      if (!taken) {
        cache.release(to);
      }
    }
    if (taken) {
      // In vain where somebody gave the slot up: then `to` is freed when it is published.
      boolean ignored = ENTRY.compareAndSet(page(block), block & PAGE_MASK, from, to);
      cache.leave(from);
      cache.release(from);
      cache.publish(to, this, block);
    }
    return taken;
  }

  /** Whether a range could ever lie in one extent. */
  public boolean inOneExtent(long position, long count) {
    int bits = cache.blockBits();
    return extents.inOne((int) (position >>> bits), (int) ((position + count - 1) >>> bits));
  }

  /** Brings a range in, as far as there is room. */
  public void loadRange(long position, int count, BlockSource source) throws IOException {
    int last = (int) ((position + count - 1) >>> cache.blockBits());
    for (int block = (int) (position >>> cache.blockBits()); block <= last; block++) {
      Slot slot = find(block);
      if (slot == null) {
        load(block, last - block + 1, source);
      } else {
        cache.counters().hit();
        slot.touch();
      }
    }
  }

  /**
   * Begins to bring in what is missing of a range, and returns at once: advice, which may be
   * forgotten and never fails. Of a long range only the beginning is brought in, since a cache that
   * is full would lose for it what is wanted before.
   */
  public void prefetch(long position, long count, BlockSource source) {
    int block = (int) (position >>> cache.blockBits());
    long last = (position + count - 1) >>> cache.blockBits();
    int end = (int) Math.min(last + 1, block + SlotCache.MAX_FILL);
    while (block < end) {
      int next = block + 1;
      if (find(block) == null) {
        while (next < end && find(next) == null) {
          next++;
        }
        cache.prefetcher().prefetch(this, block, next - block, source);
      }
      block = next;
    }
  }

  /** Brings all of it in, as far as there is room. */
  public void loadAll(BlockSource source) throws IOException {
    for (int block = 0; block < blocks; block++) {
      if (find(block) == null && loadAhead(block, SlotCache.MAX_FILL, source) == null) {
        return;
      }
    }
  }

  /** The extent to place {@code block} in, made if there is room; null if there is none. */
  Extent place(int block) {
    return extents.place(block);
  }

  int blocks() {
    return blocks;
  }

  /** Bytes of the file in {@code block}. */
  int bytesIn(int block) {
    return (int) Math.min(cache.blockSize(), length - ((long) block << cache.blockBits()));
  }

  /** Enters a slot for a block that has none; false if it has one. */
  boolean install(int block, Slot slot) {
    slot.owner = this;
    slot.block = block;
    return ENTRY.compareAndSet(page(block), block & PAGE_MASK, (Slot) null, slot);
  }

  /** Removes {@code slot}, which the caller has taken, from the table. */
  void remove(int block, Slot slot) {
    ENTRY.compareAndSet(page(block), block & PAGE_MASK, slot, (Slot) null);
  }

  /** Whether {@code slot} is what the table has for {@code block}. */
  boolean isEntered(int block, Slot slot) {
    return ENTRY.getVolatile(page(block), block & PAGE_MASK) == slot;
  }

  /** Makes the page for {@code block}, so that {@link #install} takes no memory any more. */
  void preparePage(int block) {
    page(block);
  }

  private Slot[] page(int block) {
    int number = block >>> PAGE_BITS;
    Slot[] page = (Slot[]) PAGE.getAcquire(pages, number);
    if (page == null) {
      Slot[] fresh = new Slot[Math.min(1 << PAGE_BITS, blocks - (number << PAGE_BITS))];
      page = (Slot[]) PAGE.compareAndExchange(pages, number, (Slot[]) null, fresh);
      if (page == null) {
        page = fresh;
      }
    }
    return page;
  }

  // ---- the end ----

  /** Gives up the caller's part in it, and has all readers look up again. */
  public void close() {
    close(true);
  }

  /**
   * Gives up the caller's part in it; the last to close frees its slots.
   *
   * @param hasReaders whether there are readers of the caller's that have to learn of it: all
   *     readers of the file then look up again
   */
  public void close(boolean hasReaders) {
    cache.close(this, hasReaders);
  }

  /** Makes every reader look up again. */
  void invalidate() {
    extents.forEach(Extent::invalidate);
    for (Slot[] page : pages) {
      for (int i = 0; page != null && i < page.length; i++) {
        Slot slot = (Slot) ENTRY.getVolatile(page, i);
        // It may be another file's by now; then that one's readers look up again for nothing.
        if (slot != null && slot.tryTake((long) Guard.VERSION.getVolatile(slot))) {
          CachedFile owner = slot.owner;
          int block = slot.block;
          slot.publish();
          cache.signal(slot).signal();
          if (owner.closed || cache.isClosed() || !owner.isEntered(block, slot)) {
            // Who closed it passed by while the slot was in motion; or somebody had given it up.
            owner.freeIfOurs(slot);
          }
        }
      }
    }
  }

  /** Frees all its slots but those being filled, which who fills them frees. */
  void freeAll() {
    closed = true;
    extents.forEach(Extent::end);
    for (Slot[] page : pages) {
      for (int i = 0; page != null && i < page.length; i++) {
        Slot slot = (Slot) ENTRY.getVolatile(page, i);
        if (slot != null) {
          freeIfOurs(slot);
        }
      }
    }
  }

  /** Frees a slot of this file, which or whose cache is closed, unless somebody else does. */
  void freeIfOurs(Slot slot) {
    while (true) {
      long version = (long) Guard.VERSION.getVolatile(slot);
      Extent extent = slot.extent;
      // Under a version that does not change the owner can't either, nor the extent.
      if (!Guard.isStable(version) || slot.owner != this) {
        return;
      }
      if (extent != null && extent.isPinned()) {
        // Somebody looks at it; it is freed when that has ended. Who reads it as a block of its own
        // has to learn that it is closed.
        if (slot.tryTake(version)) {
          slot.publish();
          cache.signal(slot).signal();
        }
        if (extent.isPinned()) {
          return;
        }
        // That has ended just now, and whoever ended it may have met the slot in motion.
      } else {
        if (slot.tryTake(version)) {
          remove(slot.block, slot);
          cache.leave(slot);
          cache.release(slot);
        }
        return;
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
