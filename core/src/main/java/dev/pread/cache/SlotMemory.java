/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A fixed amount of memory, cut into slots of one block each, and which of them are free.
 *
 * <p>Memory is requested in chunks when their first slot is needed, and is given back after a
 * close, when all slots of a chunk have come back. It is never unmapped while a reader could look
 * at it: that is left to the garbage collector, which knows when no reader can.
 *
 * <p>It is thread-safe. It is the base of {@link SlotCache} and not a part of it, so that a hit
 * goes straight to the memory.
 */
abstract sealed class SlotMemory permits SlotCache {

  private static final Logger LOGGER = System.getLogger(SlotCache.class.getName());

  private final MemorySource memory;
  private final int blockBits;
  private final int slotCount;
  private final int chunkSlotBits;
  private final Chunk[] chunks;
  private final ByteBuffer[] mapped;
  private final Slot[] slots;
  private final FreeSlots free;

  /** How many slots of each chunk have been taken for good after the close. */
  private final AtomicIntegerArray withdrawn;

  /** Chunks and slots are made under this lock. */
  private final ReentrantLock growLock = new ReentrantLock();

  /** Whether memory was asked for in vain. It is guarded by the lock. */
  private boolean outOfMemory;

  /**
   * How many slots there are, less those for which there was no memory. It is written under the
   * lock.
   */
  private volatile int capacity;

  private volatile boolean closed;

  SlotMemory(long bytes, int blockBits, MemorySource memory) {
    this.memory = memory;
    this.blockBits = blockBits;
    this.slotCount = Math.toIntExact(bytes >>> blockBits);
    this.capacity = slotCount;
    int needed = 32 - Integer.numberOfLeadingZeros(Math.max(1, slotCount - 1));
    this.chunkSlotBits =
        Math.min(needed, Integer.numberOfTrailingZeros(memory.chunkBytes()) - blockBits);
    int chunkCount = (slotCount + chunkSlots() - 1) >>> chunkSlotBits;
    this.chunks = new Chunk[chunkCount];
    this.mapped = new ByteBuffer[chunkCount];
    this.withdrawn = new AtomicIntegerArray(chunkCount);
    this.slots = new Slot[slotCount];
    this.free = new FreeSlots(slotCount, chunkSlots());
  }

  /** Returns the size of a block in bytes, a power of two. */
  public final int blockSize() {
    return 1 << blockBits;
  }

  /** Returns the binary logarithm of {@link #blockSize}. */
  public final int blockBits() {
    return blockBits;
  }

  /** Returns how many bytes all blocks have together. */
  public final long size() {
    return (long) slotCount << blockBits;
  }

  /** Returns how many blocks it is meant to hold. */
  public final int slots() {
    return slotCount;
  }

  /**
   * Returns how many blocks it holds at most: fewer than {@link #slots} once there was no more
   * memory.
   */
  public final int capacity() {
    return capacity;
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

  final Slot slot(int index) {
    return slots[index];
  }

  final int chunkSlots() {
    return 1 << chunkSlotBits;
  }

  private int slotsIn(int chunk) {
    return Math.min(chunkSlots(), slotCount - (chunk << chunkSlotBits));
  }

  // ---- free slots ----

  final int freeCount() {
    return free.count();
  }

  final boolean mayHaveRun(int count) {
    return free.mayHaveRun(count);
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
    return ensureMemory(index, 1) ? slots[index] : null;
  }

  /**
   * Returns the first of {@code count} neighbouring slots that are the caller's now, or a negative
   * number if there are none.
   */
  final int takeRun(int count) {
    int run = free.takeRun(count);
    return run >= 0 && ensureMemory(run, count) ? run : -1;
  }

  /** Frees a slot that is in motion and belongs to nobody. */
  final void free(int index) {
    free.give(index);
    if (closed) {
      withdraw(index, 1);
    }
  }

  final void freeRun(int first, int count) {
    for (int i = first; i < first + count; i++) {
      free(i);
    }
  }

  // ---- memory ----

  /**
   * Makes the memory and the slots. Slots for which there is no memory are lost to the cache. If
   * this throws, they are free again.
   */
  private boolean ensureMemory(int first, int count) {
    if (count == 1 && slots[first] != null) {
      // The slot was made by an earlier owner, who gave it back before the caller got it.
      return true;
    }
    boolean done = false;
    growLock.lock();
    try {
      boolean there = ensureChunk(first >>> chunkSlotBits);
      for (int i = first; there && i < first + count; i++) {
        if (slots[i] == null) {
          slots[i] = new Slot(i);
        }
      }
      done = true;
      return there;
    } finally {
      growLock.unlock();
      if (!done) {
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
    try {
      mapped[number] = memory.allocate(slotsIn(number) << blockBits);
    } catch (OutOfMemoryError e) {
      stayAsLarge(e);
      return false;
    }
    chunks[number] = new Chunk(mapped[number]);
    return true;
  }

  /** Records that there is no more memory: what there is will be used over and over. */
  private void stayAsLarge(OutOfMemoryError reason) {
    outOfMemory = true;
    int lost = 0;
    for (int i = 0; i < chunks.length; i++) {
      if (chunks[i] == null) {
        free.drain(i << chunkSlotBits, slotsIn(i));
        lost += slotsIn(i);
      }
    }
    capacity = slotCount - lost;
    LOGGER.log(
        Level.WARNING,
        "the block cache stays smaller than the "
            + size()
            + " bytes it may have: it has "
            + ((long) capacity << blockBits)
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

  /** Takes all slots that are free for good, after {@link #stopGrowing}. */
  final void withdrawAll() {
    for (int i = 0; i < mapped.length; i++) {
      withdraw(i << chunkSlotBits, slotsIn(i));
    }
  }

  /**
   * Takes free slots of this closed cache for good. Once the last one of a chunk is taken, nobody
   * has any of it and nobody can get one, so its memory is given back. This does not happen while a
   * part of it is being filled or looked at.
   */
  private void withdraw(int first, int count) {
    int chunk = first >>> chunkSlotBits;
    int taken = free.drain(first, count);
    if (taken > 0 && withdrawn.addAndGet(chunk, taken) == slotsIn(chunk) && mapped[chunk] != null) {
      memory.discard(mapped[chunk]);
    }
  }
}
