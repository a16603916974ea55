/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.BriefLock;
import dev.pread.posix.NoNativeMemoryError;
import dev.pread.posix.QuietLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Memory that is cut into slots of one block each, and which of them are free.
 *
 * <p>Addresses are requested in chunks when their first slot is needed, and real memory comes with
 * the first write to a page. How many pages may have memory can change at any time. A page is given
 * back when all its slots are free, and after a close every page is. It is never unmapped while a
 * reader could look at it: that is left to the garbage collector, which knows when no reader can.
 *
 * <p>It is thread-safe. It is the base of {@link SlotCache} and not a part of it, so that a hit
 * goes straight to the memory.
 */
abstract sealed class SlotMemory permits SlotCache {

  /** What {@link #pageCacheShare} is if all blocks are left to the page cache; a power of two. */
  private static final int ALL_BLOCKS = 256;

  /** Accesses an element of {@link #slots}. */
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Slot[].class);

  private static final Logger LOGGER = System.getLogger(SlotCache.class.getName());

  private final MemorySource memory;
  private final int blockBits;
  private final int slotCount;
  private final int chunkSlotBits;
  private final int pageSlotBits;
  private final Chunk[] chunks;

  /** The slots of each chunk that has memory. */
  private final Slot[][] slots;

  private final FreeSlots free;

  /** Chunks and slots are made under this lock. */
  private final BriefLock growLock = new BriefLock();

  /** Whether the system has refused memory. It is guarded by the lock. */
  private boolean outOfMemory;

  /** How many slots there is no memory for. It is written under the lock. */
  private volatile int lost;

  /** How many pages may have memory. */
  private volatile int pageLimit;

  /** Whether there is no more memory for it. */
  private volatile boolean isShortOfMemory;

  /** How many of 256 blocks are left to the page cache while memory is short. */
  private volatile int pageCacheShare;

  private volatile boolean closed;

  SlotMemory(long bytes, int blockBits, MemorySource memory) {
    this.memory = memory;
    this.blockBits = blockBits;
    this.slotCount = Math.toIntExact(bytes >>> blockBits);
    int needed = 32 - Integer.numberOfLeadingZeros(Math.max(1, slotCount - 1));
    this.chunkSlotBits = Math.min(needed, bits(memory.chunkBytes()));
    this.pageSlotBits = Math.min(chunkSlotBits, bits(memory.pageBytes()));
    int chunkCount = (slotCount + chunkSlots() - 1) >>> chunkSlotBits;
    this.chunks = new Chunk[chunkCount];
    this.slots = new Slot[chunkCount][];
    this.free = new FreeSlots(slotCount, chunkSlots(), pageSlots());
    this.pageLimit = free.pages();
  }

  /** Returns the binary logarithm of the number of slots in so many bytes. */
  private int bits(int bytes) {
    return Math.max(0, Integer.numberOfTrailingZeros(bytes) - blockBits);
  }

  /** Returns the size of a block in bytes, a power of two. */
  public final int blockSize() {
    return 1 << blockBits;
  }

  /** Returns the binary logarithm of {@link #blockSize}. */
  public final int blockBits() {
    return blockBits;
  }

  /** Returns how many bytes all blocks that it may ever hold have together. */
  public final long size() {
    return (long) slotCount << blockBits;
  }

  /** Returns how many blocks it may ever hold. */
  public final int slots() {
    return slotCount;
  }

  /**
   * Returns how many blocks it may hold just now: as many as {@link #slots} unless it has been made
   * smaller, or the system has refused it memory.
   */
  public final int capacity() {
    return (int) Math.min((long) pageLimit << pageSlotBits, slotCount - lost);
  }

  /**
   * Returns how many bytes its pages have that may have memory behind them just now: one of their
   * slots is used, or kept for a block that may come.
   */
  public final long bytesInUse() {
    return Math.min((long) free.inUse() << (pageSlotBits + blockBits), size());
  }

  /**
   * Returns how many bytes of memory it has taken from the system, and not given back. A page
   * counts from when its first block has come, and not while that is being read.
   */
  public final long bytesBacked() {
    return Math.min((long) free.backed() << (pageSlotBits + blockBits), size());
  }

  /**
   * Records that a slot, which is the caller's, has a block in it. The first one of a page takes
   * the whole page from the system, since that is what counts from then on, unless the page is
   * about to be given back. Huge pages come so by themselves; where there are none, what came block
   * by block would look as if others took it.
   */
  final void used(Slot slot) {
    if (free.used(slot.index) && !isLeaving(slot.index)) {
      try {
        memory.populate(page(slot.index >>> pageSlotBits));
      } catch (RuntimeException | Error e) {
        // The slot has a block, which is to be published whatever this may be. The rest of the page
        // comes block by block.
      }
    }
  }

  /** Returns whether the cache has been closed. */
  public final boolean isClosed() {
    return closed;
  }

  /** Returns the memory that slot {@code index} lies in. */
  public final Chunk chunk(int index) {
    return chunks[index >>> chunkSlotBits];
  }

  /** Returns the memory that {@code slot} lies in. */
  public final Chunk chunk(Slot slot) {
    return chunk(slot.index);
  }

  /** Returns where in its chunk {@code slot} begins, in bytes. */
  public final int offset(Slot slot) {
    return offset(slot.index);
  }

  final int offset(int index) {
    return (index & (chunkSlots() - 1)) << blockBits;
  }

  /** Returns a slot by its number, or null if nobody has had it yet. */
  final Slot slot(int index) {
    Slot[] ofChunk = slots[index >>> chunkSlotBits];
    return ofChunk == null ? null : (Slot) SLOT.getAcquire(ofChunk, index & (chunkSlots() - 1));
  }

  final int chunkSlots() {
    return 1 << chunkSlotBits;
  }

  final int pageSlots() {
    return 1 << pageSlotBits;
  }

  private int slotsIn(int chunk) {
    return Math.min(chunkSlots(), slotCount - (chunk << chunkSlotBits));
  }

  // ---- free slots ----

  /** Returns what knows which slots are free, and which pages of them may have memory. */
  final FreeSlots freeSlots() {
    return free;
  }

  /**
   * Returns whether there is no more memory to be had, be it free or taken by the page cache, as
   * far as whoever sets the limit knows.
   */
  public final boolean isShortOfMemory() {
    return isShortOfMemory;
  }

  /** Says whether there is more memory to be had. */
  public final void setShortOfMemory(boolean isShort) {
    isShortOfMemory = isShort;
  }

  /**
   * Returns whether blocks are better read past the page cache, but for those that are left to it:
   * while memory is short, unless the page cache may have more of it than the caches have.
   */
  public final boolean readsPastPageCache() {
    return isShortOfMemory && pageCacheShare < ALL_BLOCKS;
  }

  /**
   * Returns whether a block is one of those that are left to the page cache while memory is short.
   *
   * @param hash the hash of the block
   */
  final boolean isLeftToPageCache(long hash) {
    return isShortOfMemory && (hash & (ALL_BLOCKS - 1)) < pageCacheShare;
  }

  /**
   * Sets the share of blocks that are left to the page cache while memory is short.
   *
   * @param share from 0 to 1
   */
  public final void setPageCacheShare(double share) {
    pageCacheShare = (int) (ALL_BLOCKS * share);
  }

  final int freeCount() {
    return free.count();
  }

  /**
   * Returns the number of a slot that was free and is the caller's now, who has to call {@link
   * #made} next; a negative number if there is none.
   */
  final int takeIndex() {
    return free.take();
  }

  /**
   * Returns the slot of a number that {@link #takeIndex} has returned, or null if there is no
   * memory for it.
   */
  final Slot made(int index) {
    return ensureMemory(index, 1) ? slot(index) : null;
  }

  /**
   * Returns the first of {@code count} neighbouring slots that are the caller's now, or a negative
   * number if there are none.
   */
  final int takeRun(int count) {
    int run = free.takeRun(count);
    return run >= 0 && ensureMemory(run, count) ? run : -1;
  }

  /** Takes a certain slot, which is the caller's now. Returns false if it can't be had. */
  final boolean take(int index) {
    return free.take(index) && made(index) != null;
  }

  /**
   * Frees neighbouring slots that are in motion and belong to nobody, and gives back the memory of
   * pages that only waited for them.
   */
  final void freeRun(int first, int count) {
    int next = first;
    while (next < first + count) {
      int page = next >>> pageSlotBits;
      int end = Math.min(first + count, free.end(page));
      if (free.give(next, end)) {
        giveBack(page);
      }
      next = end;
    }
  }

  // ---- memory ----

  /**
   * Makes the memory and the slots. If this fails or throws, nobody has the slots; those for which
   * there is no memory are lost to the cache.
   */
  private boolean ensureMemory(int first, int count) {
    if (count == 1 && slot(first) != null) {
      // The slot was made by an earlier owner, who gave it back before the caller got it.
      return true;
    }
    boolean isThere = false;
    growLock.lock();
    try {
      boolean hasChunk = ensureChunk(first >>> chunkSlotBits);
      for (int i = first; hasChunk && i < first + count; i++) {
        if (slot(i) == null) {
          // Who finds it by its number finds it in motion.
          SLOT.setRelease(slots[i >>> chunkSlotBits], i & (chunkSlots() - 1), new Slot(i));
        }
      }
      isThere = hasChunk;
      return hasChunk;
    } finally {
      growLock.unlock();
      if (!isThere) {
        freeRun(first, count);
      }
    }
  }

  private boolean ensureChunk(int number) {
    if (chunks[number] != null) {
      return true;
    }
    if (closed || outOfMemory) {
      return false;
    }
    // The heap's part comes first: where that fails, nothing has been taken from the system.
    Slot[] made = new Slot[slotsIn(number)];
    try {
      chunks[number] = new Chunk(memory.allocate(slotsIn(number) << blockBits));
    } catch (NoNativeMemoryError e) {
      stayAsLarge(e);
      return false;
    }
    slots[number] = made;
    return true;
  }

  /** Records that there is no more memory: what there is will be used over and over. */
  private void stayAsLarge(NoNativeMemoryError reason) {
    outOfMemory = true;
    int without = 0;
    for (int i = 0; i < chunks.length; i++) {
      if (chunks[i] == null) {
        free.lose(i);
        without += slotsIn(i);
      }
    }
    lost = without;
    QuietLog.log(
        LOGGER,
        Level.WARNING,
        null,
        () ->
            "the block cache stays smaller than the "
                + size()
                + " bytes it may have: it has "
                + ((long) (slotCount - lost) << blockBits)
                + "; said once. Make it smaller, or: "
                + reason.getMessage());
  }

  /** Lets nothing grow any more. Returns false if that has been so before. */
  final boolean stopGrowing() {
    growLock.lock();
    try {
      boolean first = !closed;
      closed = true;
      return first;
    } finally {
      growLock.unlock();
    }
  }

  // ---- pages ----

  /**
   * Sets how many bytes may have memory behind them, in whole pages. What exceeds a lower limit
   * stays until it is told to leave. Once the cache is closed, nothing happens.
   *
   * @return how many pages have to leave
   */
  final int limit(long bytes) {
    long pages = Math.max(1, bytes >>> (pageSlotBits + blockBits));
    growLock.lock();
    try {
      if (closed) {
        return 0;
      }
      pageLimit = bytes >= size() ? free.pages() : (int) Math.min(free.pages(), pages);
      free.limit(pageLimit);
      return free.excess();
    } finally {
      growLock.unlock();
    }
  }

  /** Returns whether the page that a slot lies in is about to be given back. */
  final boolean isLeaving(int index) {
    return free.isLeaving(index);
  }

  /**
   * Makes a page give its memory back as soon as all its slots are free. Until then what is in them
   * stays readable, and nobody gets one of them.
   */
  final void leave(int page) {
    if (free.leave(page)) {
      giveBack(page);
    }
  }

  /**
   * Gives back the memory of pages of which no slot has been had since the last call, at most so
   * many bytes, and returns how many it was. They may have memory again at any time.
   */
  final long leaveIdle(long most) {
    long returned = 0;
    int page = 0;
    // One goes after the other, so that the rest can be had meanwhile.
    while (returned + ((long) pageSlots() << blockBits) <= most
        && (page = free.leaveIdle(page)) >= 0) {
      giveBack(page);
      returned += (long) (free.end(page) - (page << pageSlotBits)) << blockBits;
      page++;
    }
    return returned;
  }

  /** Makes all pages leave, after {@link #stopGrowing}. */
  final void leaveAll() {
    free.limit(0);
    for (int page = 0; page < free.pages(); page++) {
      leave(page);
    }
  }

  /**
   * Gives the memory of a page back to the system. All its slots are free and nobody can get one,
   * so no part of it is being filled or looked at, but by readers who will find that what they have
   * read is not theirs.
   */
  private void giveBack(int page) {
    try {
      if (chunks[(page << pageSlotBits) >>> chunkSlotBits] != null) {
        memory.discard(page(page));
      }
    } catch (OutOfMemoryError e) {
      // Whoever has freed the last slot has more to do, and nobody would do it for them. The page
      // keeps its memory, though that does not count, until its slots have been used and it leaves
      // once more.
    } finally {
      free.left(page);
    }
  }

  /** Returns the memory of a page, whose chunk there is. */
  private ByteBuffer page(int page) {
    int first = page << pageSlotBits;
    return chunks[first >>> chunkSlotBits]
        .bytes()
        .slice(offset(first), (free.end(page) - first) << blockBits);
  }
}
