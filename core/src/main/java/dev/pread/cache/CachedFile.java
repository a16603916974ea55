/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.cache.EvictionShard.Reason;
import dev.pread.posix.PlatformThreads;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;

/**
 * One file's part in the cache: which of its blocks are in which slots.
 *
 * <p>An instance stands for the bytes of one file, however often that file is open: {@link
 * OpenFiles#open} returns the same object to all that open the file, and forgets it when the last
 * of them has closed it. A file that is written again under the same name is another one, with an
 * object of its own, so that nobody can find stale blocks.
 *
 * <p>It is thread-safe. A hit is {@link #find} and what follows it ({@link Guard}): it takes no
 * lock and writes nothing but the count of a use. A miss is {@link #load}.
 */
public final class CachedFile extends BlockTable {

  private final SlotCache cache;
  private final String name;
  private final Object key;
  private final long length;
  private final long modifiedNanos;
  private final long seed;

  private final Extents extents;

  /** Whether the file is closed. It is set once, by the last close. */
  private volatile boolean closed;

  /**
   * Whether pages of it may have been announced, so that a close has to look for them. It is set
   * before the first one is claimed.
   */
  private volatile boolean mayHavePages;

  /** Whether its name has been deleted. It is set once. */
  private volatile boolean isDeleted;

  /** How many times the file is open. It is guarded by the lock of its key in {@link OpenFiles}. */
  int openCount = 1;

  CachedFile(SlotCache cache, String name, Object key, long length, long modifiedNanos, long id) {
    super(Math.toIntExact((length + cache.blockSize() - 1) >>> cache.blockBits()));
    this.cache = cache;
    this.name = name;
    this.key = key;
    this.length = length;
    this.modifiedNanos = modifiedNanos;
    this.seed = id * 0x9E3779B97F4A7C15L;
    this.extents = new Extents(this, blocks());
  }

  /** Returns the name it was opened with, for events and messages. */
  String name() {
    return name;
  }

  /** Records that nobody will find the file under its name again. */
  void setDeleted() {
    isDeleted = true;
  }

  /** Returns whether its name has been deleted: it ends with those that have it open. */
  boolean isDeleted() {
    return isDeleted;
  }

  /** Returns the length of the file in bytes. */
  public long length() {
    return length;
  }

  /** Returns when its bytes had last been written, or 0 if nobody has said so. */
  long modifiedNanos() {
    return modifiedNanos;
  }

  Object key() {
    return key;
  }

  /** Returns the cache it is in. */
  public SlotCache cache() {
    return cache;
  }

  /** Returns whether nobody has the file open any more. */
  boolean isClosed() {
    return closed;
  }

  /** Returns whether pages of it may have been announced. */
  boolean mayHavePages() {
    return mayHavePages;
  }

  /** Says that pages of it are about to be claimed. */
  void expectPages() {
    if (!mayHavePages) {
      mayHavePages = true;
    }
  }

  /** Returns a well-mixed hash of a block, for shards and ghosts. */
  long hash(int block) {
    long h = (seed ^ block) * 0xBF58476D1CE4E5B9L;
    h = (h ^ (h >>> 29)) * 0x94D049BB133111EBL;
    return h ^ (h >>> 32);
  }

  // ---- hits ----

  /**
   * Returns whether {@code slot} had the block under {@code version}. The caller checks the
   * version.
   */
  public boolean isIn(Slot slot, long version, int block) {
    return Guard.isStable(version) && slot.holds(this, block);
  }

  /**
   * Returns the extent that the byte at {@code position} lies in, complete or not, or null if there
   * is none.
   */
  public Extent extent(long position) {
    return extents.at((int) (position >>> cache.blockBits()));
  }

  /**
   * Returns whether a range begins in a complete extent, or has few blocks that are all in the
   * cache. Of a range that is longer than what a prefetch brings in, nobody looks for all blocks.
   */
  public boolean isCached(long position, long count) {
    Extent extent = extent(position);
    if (extent != null && Guard.isStable(extent.acquire())) {
      return true;
    }
    int block = block(position);
    int end = block(position + count - 1) + 1;
    if (end - block > Fill.MAX_BLOCKS) {
      return false;
    }
    while (block < end && find(block) != null) {
      block++;
    }
    return block == end;
  }

  /**
   * Copies what is in the cache, for readers that bypass it. This does not count as a use.
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
   * Brings in a block that a reader has missed, or waits for another thread that is about to do so.
   *
   * @param count how many blocks from there on the caller is going to read now, at least 1
   * @param together how many blocks from there on to load together; those that the caller is not
   *     going to read now take only the place that announced blocks may take
   * @return a slot that had the block a moment ago; null if no slot is available, if the cache,
   *     this file or the source is closed, or if that other thread does not come back: the caller
   *     then reads for itself
   * @throws IOException if the source fails to read a byte of the block itself
   */
  public Slot load(int block, int count, int together, ReadableFile source) throws IOException {
    StackReserve.ensure();
    Slot ahead = findReadAhead(block);
    if (ahead != null) {
      cache.counters().countHit();
      return ahead;
    }
    if (PlatformThreads.areNeeded() && isForPlatformThread(find(block), block, source)) {
      // Others want the block, too, and a virtual thread that parked with it in its hands might get
      // its next turn only after seconds.
      return PlatformThreads.make(() -> load(block, count, together, source));
    }
    boolean isSample = cache.counters().countMiss();
    if (isSample) {
      // What was announced and is not wanted any more would keep its slots in motion.
      cache.queues().flush();
    }
    cache.lookOut();
    Fill fill = new Fill(this, source, block, count, together, Fill.Purpose.MISS);
    FillWait wait = null;
    boolean found = false;
    try {
      while (!isGone() && !fill.gaveUp()) {
        Slot slot = find(block);
        if (slot == null) {
          boolean mayHandOver = wait != null && PlatformThreads.areNeeded();
          slot =
              mayHandOver && isForPlatformThread(null, block, source)
                  ? PlatformThreads.make(fill::run)
                  : fill.run();
          if (slot != null) {
            return slot;
          }
        } else {
          long version = slot.acquire();
          wait = wait == null ? new FillWait(this, block) : wait;
          found = isIn(slot, version, block);
          if (found) {
            return slot;
          }
          if (!wait.until(slot, version)) {
            break;
          }
        }
      }
      cache.counters().count(Counter.BYPASSES);
      return null;
    } finally {
      if (wait != null) {
        wait.ended(found);
      }
    }
  }

  /**
   * Returns whether a virtual thread has another one load: it might have to wait in a call, and not
   * only for a thread that makes one, and not so many wait already that its block might be gone by
   * the time it gets its turn.
   *
   * @param slot the slot of the block, or null if there was none a moment ago
   */
  private boolean isForPlatformThread(Slot slot, int block, ReadableFile source) {
    if (PlatformThreads.callers() >= cache.capacity() / 4) {
      return false;
    }
    return slot == null ? source.mayWait((long) block << cache.blockBits()) : slot.reader != null;
  }

  /** Does the same, and asks for no more than the caller is going to read now. */
  public Slot load(int block, int count, ReadableFile source) throws IOException {
    return load(block, count, count, source);
  }

  /**
   * Returns the slot of a block that has come since it was looked up, or that a queue had read and
   * nobody had noticed, or null.
   */
  private Slot findReadAhead(int block) {
    Slot slot = find(block);
    FillQueue reader = slot == null ? null : slot.reader;
    if (reader == null) {
      return null;
    }
    if (!Guard.isStable(slot.acquire())) {
      reader.flush();
    }
    return isIn(slot, slot.acquire(), block) ? slot : null;
  }

  /**
   * Brings in a block that nobody has looked up yet, unless another thread is about to do so.
   *
   * @param purpose why it is read
   * @return false if there was no slot for it, or if the source is closed
   */
  boolean loadAhead(int block, int count, ReadableFile source, Fill.Purpose purpose)
      throws IOException {
    StackReserve.ensure();
    if (isGone()) {
      return false;
    }
    Fill fill = new Fill(this, source, block, count, count, purpose);
    return fill.run() != null || !fill.gaveUp();
  }

  boolean isGone() {
    return closed || cache.isClosed();
  }

  /**
   * Has a random read of a few bytes from {@code position} on leave their block out of a full
   * cache, if the block is not there and has not been missed often lately. A block costs more than
   * those bytes do, from the page cache and from the device, and another block its place. The miss
   * is counted.
   *
   * @return whether the read bypasses the cache
   */
  public boolean tryBypass(long position) {
    int block = block(position);
    // What has been announced is there, or soon will be, whoever has announced it.
    if (!isOut(block) || cache.announced().has(this, position >>> AnnouncedPage.BITS)) {
      return false;
    }
    StackReserve.ensure();
    boolean bypasses = !cache.admit(this, block);
    if (bypasses) {
      cache.lookOut();
      cache.counters().countMiss();
      cache.counters().count(Counter.BYPASSES);
    }
    return bypasses;
  }

  /**
   * Returns whether the block with the byte at {@code position} is one of those that are left to
   * the page cache while memory is short: the same ones as long as the file is open. What the cache
   * may not use is room for some of them there, or for more than the cache has.
   */
  public boolean isLeftToPageCache(long position) {
    return cache.isLeftToPageCache(hash(block(position)));
  }

  /** Returns whether a block is not there, and has no place that is kept for it. */
  private boolean isOut(int block) {
    Extent extent = extents.at(block);
    boolean hasPlace = extent != null && extent.isPending();
    return !hasPlace && find(block) == null;
  }

  /**
   * Counts an announcement of a read in a block.
   *
   * @return whether a full cache leaves the block out
   */
  boolean leaveOut(int block) {
    return isOut(block) && !cache.admit(this, block);
  }

  /**
   * Counts a read that bypasses the cache and begins in a block that is not there.
   *
   * @return whether there have been so many lately that the block should come in
   */
  public boolean countMiss(int block) {
    StackReserve.ensure();
    return cache.countMiss(this, block);
  }

  /** Returns the block with the byte at {@code position}. */
  public int block(long position) {
    return (int) (position >>> cache.blockBits());
  }

  /** Returns the extents that blocks of the file are kept in. */
  public Extents extents() {
    return extents;
  }

  /**
   * Moves a block to another slot.
   *
   * @param version the version under which {@code from} has the block
   * @param to a slot in motion that is the caller's, and not any more
   * @return whether it has moved; otherwise {@code from} has changed, and {@code to} is free again
   */
  boolean move(Slot from, long version, int block, Slot to) {
    Reason reason = EvictionShard.reasonToMove(from);
    boolean taken = false;
    try {
      to.owner = this;
      to.block = block;
      to.reader = null;
      cache
          .chunk(to)
          .bytes()
          .put(cache.offset(to), cache.chunk(from).bytes(), cache.offset(from), cache.blockSize());
      // If it is taken under the version under which it was copied, the copy is right.
      taken = from.tryTake(version);
    } finally {
      if (!taken) {
        cache.release(to);
      }
    }
    if (taken) {
      // This fails if somebody has given up the slot: then `to` is freed when it is published.
      replace(block, from, to);
      cache.leave(from);
      cache.release(from);
      cache.publish(to, this, block, reason);
    }
    return taken;
  }

  /** Brings in a range, as far as there is room. */
  public void loadRange(long position, int count, ReadableFile source) throws IOException {
    int last = block(position + count - 1);
    for (int block = block(position); block <= last; block++) {
      if (!use(block)) {
        load(block, last - block + 1, last - block + 1, source);
      }
    }
  }

  /**
   * Counts a use of a block.
   *
   * @return false if the block is not there
   */
  public boolean use(int block) {
    Slot slot = find(block);
    if (slot == null) {
      return false;
    }
    cache.counters().countHit();
    slot.touch();
    return true;
  }

  /**
   * Begins to bring in the missing blocks of a range, and waits for no read. This is advice, which
   * may be forgotten and never fails. Only the beginning of a long range is brought in, since for
   * the rest a full cache would evict what is wanted sooner. Of blocks that a full cache leaves
   * out, up to 16 pages are read alone ({@link #announced}).
   */
  public void prefetch(long position, long count, ReadableFile source) {
    cache.prefetcher().prefetch(this, position, count, source, true);
  }

  /** Does the same with whole blocks in any case, since all of them are going to be read. */
  void prefetchBlocks(long position, long count, ReadableFile source) {
    cache.prefetcher().prefetch(this, position, count, source, false);
  }

  /**
   * Returns the page with the byte at {@code position}, if it has been announced and read alone, or
   * null. If the device is still reading it, this waits.
   *
   * @return what had the page a moment ago: take a version, then ask {@link AnnouncedPage#isIn}
   */
  public AnnouncedPage announced(long position) {
    return cache.announced().await(this, position >>> AnnouncedPage.BITS);
  }

  /** Brings in the whole file, as far as there is room. */
  public void loadAll(ReadableFile source) throws IOException {
    for (int block = 0; block < blocks(); block++) {
      if (find(block) == null && !loadAhead(block, Fill.MAX_BLOCKS, source, Fill.Purpose.UNASKED)) {
        return;
      }
    }
  }

  /** Returns how many bytes of the file are in {@code block}. */
  int bytesIn(int block) {
    return (int) Math.min(cache.blockSize(), length - ((long) block << cache.blockBits()));
  }

  /** Enters a slot for a block that has none. Returns false if the block has one. */
  boolean install(int block, Slot slot) {
    slot.owner = this;
    slot.block = block;
    return enter(block, slot);
  }

  // ---- restarts ----

  /**
   * Begins to bring in what was in the cache before a restart, if that is known and has not been
   * begun yet. Readers call this when they open the file, and do not wait for it.
   */
  public void restoreLater(ReadableFile source) {
    HotBlocks hot = cache.files().hotBlocks();
    if (hot != null) {
      hot.opened(this, source);
    }
  }

  // ---- the end ----

  /** Gives up the caller's part in the file, and makes all readers look up their blocks again. */
  public void close() {
    close(true);
  }

  /**
   * Gives up the caller's part in the file. The last to close it frees its slots.
   *
   * @param hasReaders whether the caller has readers that must learn of it: all readers of the file
   *     then look up their blocks again
   */
  public void close(boolean hasReaders) {
    cache.files().close(this, hasReaders);
  }

  /** Makes all readers look up their blocks again. */
  void invalidate() {
    extents.forEach(Extent::invalidate);
    for (int at = nextEntered(0); at < blocks(); at = nextEntered(at + 1)) {
      Slot slot = entered(at);
      // The slot may be another file's by now; then the readers of that file look up for nothing.
      if (slot != null && slot.tryTake((long) Guard.VERSION.getVolatile(slot))) {
        cache.endMotion(slot, slot.owner, slot.block);
      }
    }
  }

  /**
   * Frees all slots of the file except those being filled, which the threads that fill them free.
   */
  void freeAll() {
    closed = true;
    extents.forEach(Extent::end);
    for (int block = nextEntered(0); block < blocks(); block = nextEntered(block + 1)) {
      Slot slot = entered(block);
      if (slot != null) {
        freeIfOurs(slot);
      }
    }
  }

  /**
   * Frees a slot of this file, unless somebody else does. The file or its cache is closed, or the
   * slot has been taken out of the table.
   */
  void freeIfOurs(Slot slot) {
    while (true) {
      long version = (long) Guard.VERSION.getVolatile(slot);
      Extent extent = slot.extent;
      // While the version does not change, neither the owner nor the extent can.
      if (!Guard.isStable(version) || slot.owner != this) {
        return;
      }
      if (extent != null && extent.isPinned()) {
        // Somebody looks at the extent's memory; the slot is freed when that has ended. A reader
        // that has the slot as a block of its own must learn that the file is closed.
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
