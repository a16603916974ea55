/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.cache.EvictionShard.Reason;
import dev.pread.posix.FileClosedException;
import dev.pread.posix.IoVector;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import dev.pread.posix.VectorPool;
import java.io.IOException;

/**
 * One read into slots: the block that is missing, what the caller is going to read next, what it
 * may read after that, and, while there is room, what lies around it. A cold start depends on the
 * latter, as that of a mapped file does; a full cache would only evict what it needs next.
 */
final class Fill implements FillQueue.Request {

  /** The largest number of blocks that one read fills. */
  static final int MAX_BLOCKS = VectorPool.CAPACITY;

  /**
   * How much a miss reads around itself while there is room: as much as Linux reads around a page
   * fault.
   */
  static final int AROUND_BYTES = 128 << 10;

  /** Why blocks are read. */
  enum Purpose {
    /** A reader has missed the block. */
    MISS(Reason.READ),
    /** Somebody has said that the block is going to be wanted. */
    AHEAD(Reason.AHEAD),
    /** Nobody has said so, but the block is of a file that is new, or that is read a lot. */
    UNASKED(Reason.AHEAD),
    /**
     * The block was in the cache before a restart. It takes the room that nobody uses, and brings
     * nothing along.
     */
    RESTORE(Reason.KNOWN);

    private final Reason reason;

    Purpose(Reason reason) {
      this.reason = reason;
    }
  }

  private final CachedFile file;
  private final SlotCache cache;
  private final ReadableFile source;

  private final int block;

  /** The end of what the caller is going to read. */
  private final int wanted;

  /** The end of what it may read after that. */
  private final int likely;

  /** The slots by block, {@code slots[0]} for {@code from}. */
  private final Slot[] slots;

  private final int from;

  private final Purpose purpose;

  /** The queue that reads, or null if the thread does that itself. */
  private FillQueue reader;

  /**
   * The first block that is being filled; {@link #end} follows the last one. Their slots are this
   * object's alone until they are published, and are given back whatever is thrown: a slot that
   * stayed in motion would hold up all threads that want its block.
   */
  private int first;

  private int end;
  private boolean gaveUp;
  private boolean sourceIsClosed;

  /**
   * Creates the read of a block that is missing.
   *
   * @param count how many blocks from there on the caller is going to read now
   * @param together how many blocks from there on to read; those behind the first {@code count} are
   *     ones that nobody has used yet
   * @param purpose why it is read
   */
  Fill(CachedFile file, ReadableFile source, int block, int count, int together, Purpose purpose) {
    this.file = file;
    this.cache = file.cache();
    this.source = source;
    this.block = block;
    this.purpose = purpose;
    int around = purpose == Purpose.RESTORE ? 1 : blocksAround();
    wanted = Math.min(file.blocks() - block, Math.min(count, MAX_BLOCKS)) + block;
    likely =
        Math.min(file.blocks() - block, Math.clamp(together, wanted - block, MAX_BLOCKS)) + block;
    from = block & -around;
    slots = new Slot[Math.max(likely - from, Math.min(around, file.blocks() - from))];
    first = block;
    end = block;
  }

  private int blocksAround() {
    return Math.clamp(AROUND_BYTES >>> cache.blockBits(), 1, MAX_BLOCKS);
  }

  /** Returns whether {@link #run} has returned null since there was no slot, or no open file. */
  boolean gaveUp() {
    return gaveUp;
  }

  /** Returns whether it gave up since the source is closed. */
  boolean sourceIsClosed() {
    return sourceIsClosed;
  }

  /**
   * Fills a slot with the block, and further slots with blocks that may be read along with it.
   *
   * @return the slot; null if there is none ({@link #gaveUp}), or if another thread was faster
   */
  Slot run() throws IOException {
    boolean isBegun = false;
    boolean isFilled = false;
    try {
      if (!claimAll()) {
        if (gaveUp) {
          dropped();
        }
        return null;
      }
      isBegun = true;
      begun();
      Slot slot = slots[block - from];
      Object event = cache.events().readBegins();
      boolean done = false;
      while (!done) {
        IoVector memory = memory();
        try {
          source.readFully(
              (long) first << cache.blockBits(), memory, Math.toIntExact(bytes()), memory.length());
          done = true;
        } catch (IOException e) {
          if (end - first == 1) {
            throw e;
          }
          // Whatever is wrong with its neighbours is no reason not to read this block.
          releaseAllBut(block);
        } finally {
          source.vectors().give(memory);
        }
      }
      isFilled = true;
      filled(event);
      return slot;
    } catch (FileClosedException e) {
      // Whoever asked for the block has closed the file, which says nothing about the block. If
      // they still want it, they find out when they read for themselves.
      gaveUp = true;
      sourceIsClosed = true;
      return null;
    } finally {
      releaseAll();
      if (isBegun && !isFilled) {
        dropped();
      }
    }
  }

  /**
   * Has a queue fill a slot with the block, and further slots with blocks that may be read along
   * with it. Until the read has ended, the slots are in motion.
   */
  @Override
  public FillQueue.Outcome begin(FillQueue by, ReadQueue queue) {
    reader = by;
    Queued read = null;
    try {
      if (!claimAll()) {
        return gaveUp ? FillQueue.Outcome.NO_ROOM : FillQueue.Outcome.DONE;
      }
      read = new Queued(memory());
      // This comes first, since the read may have ended by the time the offer returns.
      begun();
      return source.offer(queue, read, (long) first << cache.blockBits())
          ? FillQueue.Outcome.DONE
          : FillQueue.Outcome.REFUSED;
    } finally {
      if (read == null || !read.isAccepted()) {
        try {
          releaseAll();
        } finally {
          if (read != null) {
            refused();
            source.vectors().give(read.memory());
          }
        }
      }
    }
  }

  /** The read of a queue. */
  private final class Queued extends QueuedRead {

    private final Object event = cache.events().readBegins();

    Queued(IoVector memory) {
      super(memory);
    }

    /**
     * Whoever wants a block that could not be read meets the error when they read it themselves.
     */
    @Override
    protected void ended(long result) {
      try {
        if (result >= bytes()) {
          filled(event);
        } else {
          dropped();
        }
      } finally {
        releaseAll();
        source.vectors().give(memory());
      }
    }
  }

  /** Counts and publishes the slots, which have been filled. */
  private void filled(Object event) {
    int blocks = end - first;
    long bytes = bytes();
    CacheCounters counters = cache.counters();
    switch (purpose) {
      case MISS -> counters.count(Counter.LOADS);
      case AHEAD -> counters.count(Counter.PREFETCHES);
      case UNASKED -> {}
      case RESTORE -> counters.add(Counter.BLOCKS_RESTORED, blocks);
    }
    counters.read(blocks, bytes);
    publish();
    cache.events().readEnds(event, file, block, bytes);
  }

  private void begun() {
    if (purpose == Purpose.AHEAD) {
      cache.counters().count(Counter.PREFETCHES_ISSUED);
    }
  }

  private void refused() {
    if (purpose == Purpose.AHEAD) {
      cache.counters().takeBack(Counter.PREFETCHES_ISSUED);
    }
  }

  private void dropped() {
    if (purpose == Purpose.AHEAD) {
      cache.counters().count(Counter.PREFETCHES_DROPPED);
    }
  }

  private boolean claimAll() {
    if (purpose != Purpose.RESTORE) {
      cache.helpToShrink();
    }
    if (!claim(block)) {
      return false;
    }
    end++;
    claimNeighbours();
    // That there was no slot for a neighbour means nothing.
    gaveUp = false;
    return true;
  }

  private void claimNeighbours() {
    while (end < from + slots.length && hasRoom() && claim(end)) {
      end++;
    }
    while (first > from && hasRoom() && claim(first - 1)) {
      first--;
    }
  }

  private boolean hasRoom() {
    return end - first < MAX_BLOCKS;
  }

  /** Returns whether a block has been announced, or is read with one that is wanted. */
  private boolean isAhead(int block) {
    return purpose == Purpose.AHEAD || (block >= wanted && block < likely);
  }

  private boolean claim(int next) {
    if (file.find(next) != null) {
      return false;
    }
    file.preparePage(next);
    boolean isAhead = isAhead(next);
    boolean mayEvict = next >= block && next < likely;
    Slot slot =
        purpose == Purpose.RESTORE
            ? cache.obtainUnused(file.extents().at(next), next, mayEvict)
            : cache.obtain(file, next, mayEvict, isAhead);
    if (slot == null && mayEvict && !isAhead && purpose != Purpose.RESTORE) {
      // What queues read ahead may be in the way. Announcements do not wait for that.
      slot = cache.awaitSlot(file, next);
    }
    gaveUp = slot == null;
    if (slot == null) {
      return false;
    }
    boolean entered = false;
    try {
      slot.reader = reader;
      if (isAhead) {
        cache.expect(slot, file, next);
      }
      entered = file.install(next, slot);
    } finally {
      if (!entered) {
        giveBack(slot, next);
      }
    }
    slots[next - from] = slot;
    return entered;
  }

  private long bytes() {
    return ((long) (end - first - 1) << cache.blockBits()) + file.bytesIn(end - 1);
  }

  /** Returns the memory of the slots, in a borrowed vector. */
  private IoVector memory() {
    IoVector memory = source.vectors().take();
    for (int block = first; block < end; block++) {
      int index = slots[block - from].index;
      memory.add(cache.chunk(index).bytes(), cache.offset(index), cache.blockSize());
    }
    return memory;
  }

  private void publish() {
    while (first < end) {
      Slot slot = slots[first - from];
      // The slot is no longer ours to release, whatever happens.
      first++;
      Reason reason = isAhead(first - 1) ? Reason.AHEAD : purpose.reason;
      cache.publish(slot, file, first - 1, reason);
    }
  }

  private void releaseAllBut(int kept) {
    for (int block = first; block < end; block++) {
      if (block != kept) {
        release(block);
      }
    }
    first = kept;
    end = kept + 1;
  }

  /** Releases the slots that have not been published, even if one of them throws. */
  private void releaseAll() {
    try {
      while (first < end) {
        // The slot is no longer ours to release, whatever happens.
        first++;
        release(first - 1);
      }
    } finally {
      if (first < end) {
        releaseAll();
      }
    }
  }

  private void release(int block) {
    Slot slot = slots[block - from];
    // The slot is no longer ours, whatever happens; it may have been given back already.
    slots[block - from] = null;
    if (slot != null) {
      file.remove(block, slot);
      giveBack(slot, block);
    }
  }

  private void giveBack(Slot slot, int block) {
    if (isAhead(block)) {
      cache.expectNoMore(slot, file, block);
    }
    cache.release(slot);
  }
}
