/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.CachedFile;
import dev.pread.cache.Chunk;
import dev.pread.cache.Extent;
import dev.pread.cache.Guard;
import dev.pread.cache.Slot;
import dev.pread.cache.SpareMemory;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * An input with windows into the block cache. This class decides how windows are found, where they
 * end, and how one knows that they are still what they were; subclasses decide what is read in
 * them, and how.
 *
 * <p>A window is a stretch of the cache's memory that holds a stretch of the slice: a block, or as
 * much as lies in one piece ({@link Extent}). The cursor has one and absolute reads have another.
 * Nothing is pinned, and there is nothing to release: a {@link Guard} and the version it had when
 * the window was found tell afterwards whether what has been read was right. Closing the input
 * changes the versions of all its windows, so there is no flag to look at.
 *
 * <p>When the cache has no slot to give, or evicts blocks faster than they can be read, the window
 * is in the cache's spare memory ({@link SpareMemory}), which may be taken away just as a block
 * may.
 */
public abstract class WindowedPreadInput extends PreadIndexInput {

  /**
   * How often a block may vanish between being found and being read before it is read privately.
   */
  private static final int MAX_ATTEMPTS = 8;

  final CachedFile blocks;

  // The cursor's window: indexes of `memory` from `first` to `limit`, with the cursor at `next`.
  // Index 0 is position `windowStart`, which may well be negative. Subclasses see what they need to
  // read in it by other means, and may move `next` within the limits.
  Chunk chunk = Chunk.EMPTY;
  ByteBuffer memory = Chunk.EMPTY.bytes();

  /** The address of index 0 of the cursor's memory; see {@link #address}. */
  protected long address;

  /** Tells whether what has been read in the cursor's window was right; see {@link Guard}. */
  protected Guard guard;

  /** The version that {@link #guard} is to be compared with. */
  protected long version;

  /** The cursor, as an index. */
  protected int next;

  /** Where the cursor's window ends, as an index. */
  protected int limit;

  private long windowStart;
  private int first;

  // The window of absolute reads: `otherSize` bytes from position `otherStart` on, which lie in
  // `otherMemory` from `otherBase` on.
  ByteBuffer otherMemory = Chunk.EMPTY.bytes();
  int otherBase;

  /** The address of the first byte of the window of absolute reads; see {@link #address}. */
  protected long otherAddress;

  /** Like {@link #guard}, but for absolute reads. */
  protected Guard otherGuard;

  /** Like {@link #version}, but for absolute reads. */
  protected long otherVersion;

  /** The position of the first byte of the window of absolute reads. */
  protected long otherStart;

  /** The size of the window of absolute reads in bytes. */
  protected int otherSize;

  /** Whether this input is read a little here and a little there, as Lucene says. */
  boolean atRandom;

  /** Creates the input of a whole file, which its {@code close} closes. */
  WindowedPreadInput(InputFile file) {
    super(file);
    this.blocks = file.blocks();
    this.guard = file.guard();
    this.otherGuard = file.guard();
  }

  @Override
  public final long getFilePointer() {
    return windowStart + next;
  }

  @Override
  public final void seek(long position) throws IOException {
    long i = position - windowStart;
    if (i >= first && i <= limit) {
      next = (int) i;
    } else {
      checkSeek(position);
      moveTo(position);
    }
    ensureOpen();
  }

  /** Returns whether what was read in the cursor's window just now was right. */
  final boolean isValid() {
    VarHandle.loadLoadFence();
    return guard.is(version);
  }

  /**
   * Returns where in {@link #otherMemory} a position of this slice is, which must be in the window.
   */
  final int otherIndex(long position) {
    return otherBase + (int) (position - otherStart);
  }

  /** Returns whether what was read in the window of absolute reads just now was right. */
  final boolean isOtherValid() {
    VarHandle.loadLoadFence();
    return otherGuard.is(otherVersion);
  }

  /**
   * Returns whether {@code size} bytes from index {@code i} on lie below {@code limit}. One
   * unsigned comparison covers both ends.
   */
  protected static boolean isWithin(long i, int size, int limit) {
    return Long.compareUnsigned(i, Math.max(0, limit - (size - 1))) < 0;
  }

  // ---- windows ----

  /**
   * Returns the address of a chunk's first byte, for subclasses that read by address; they keep
   * this input reachable while they do.
   */
  protected long address(Chunk ofChunk) {
    return 0;
  }

  /**
   * Finds the window of the cursor.
   *
   * @param size bytes of the value to read; there must be that many before the end of the slice
   * @param wanted how many bytes are going to be read from here on
   * @param attempt how many attempts in a row have already been of no use
   * @return whether the whole value is in the window; its first byte is in any case
   */
  final boolean refill(int size, long wanted, int attempt) throws IOException {
    long position = getFilePointer();
    checkRead(position, size);
    if (attempt >= MAX_ATTEMPTS || !locate(true, position, wanted)) {
      readPrivately(true, position);
    }
    if (isClosed()) {
      // This is asked once more, now that there is a version: a close after this look changes it.
      moveTo(position);
      throw file.alreadyClosed(this);
    }
    return size <= limit - next;
  }

  /** Does what {@link #refill} does, for an absolute position and the other window. */
  final boolean refillOther(long position, int size, long wanted, int attempt) throws IOException {
    checkRead(position, size);
    if (attempt >= MAX_ATTEMPTS || !locate(false, position, wanted)) {
      readPrivately(false, position);
    }
    if (isClosed()) {
      otherSize = 0;
      throw file.alreadyClosed(this);
    }
    return size <= otherSize - (position - otherStart);
  }

  /**
   * Finds memory of the cache that holds the byte at {@code position}, loading the block if
   * necessary, and makes it a window.
   *
   * @param ofCursor whether it becomes the cursor's window, or else that of absolute reads
   * @return false if the cache has no room for it
   */
  private boolean locate(boolean ofCursor, long position, long wanted) throws IOException {
    long filePosition = offset + position;
    Extent extent = blocks.extent(filePosition);
    if (extent != null) {
      long extentVersion = extent.acquire();
      if (Guard.isStable(extentVersion)) {
        extent.touch();
        countHit(filePosition);
        guardBy(ofCursor, extent, extentVersion);
        enter(ofCursor, position, extent.chunk(), extent.base(), extent.start(), extent.size());
        return true;
      }
    }
    int bits = blocks.cache().blockBits();
    int block = (int) (filePosition >>> bits);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Slot slot = blocks.find(block);
      boolean missing = slot == null || !Guard.isStable(slot.acquire());
      if (missing) {
        int count = (int) (((filePosition + wanted - 1) >>> bits) - block) + 1;
        slot = blocks.load(block, count, file.source());
        if (slot == null) {
          return false;
        }
      }
      long slotVersion = slot.acquire();
      if (blocks.isIn(slot, slotVersion, block)) {
        slot.touch();
        if (!missing) {
          countHit(filePosition);
        }
        guardBy(ofCursor, slot, slotVersion);
        long start = (long) block << bits;
        int size = (int) Math.min(1L << bits, blocks.length() - start);
        Chunk in = blocks.cache().chunk(slot);
        enter(ofCursor, position, in, blocks.cache().offset(slot), start, size);
        return true;
      }
    }
    return false;
  }

  private void guardBy(boolean ofCursor, Guard by, long byVersion) {
    if (ofCursor) {
      guard = by;
      version = byVersion;
    } else {
      otherGuard = by;
      otherVersion = byVersion;
    }
  }

  /** Counts a hit; a file that is read a lot is gradually completed in the cache. */
  private void countHit(long filePosition) {
    if (blocks.cache().counters().hit()) {
      file.completeLater(filePosition);
    }
  }

  /**
   * Makes a window of the part of a stretch that belongs to this slice.
   *
   * @param position where the cursor is, if it is the cursor's window
   * @param base where the stretch starts in its chunk
   * @param start where the stretch starts in the file
   * @param size the size of the stretch in bytes
   */
  private void enter(boolean ofCursor, long position, Chunk in, int base, long start, int size) {
    long from = Math.max(start, offset);
    long to = Math.min(start + size, offset + length);
    int inChunk = base + (int) (from - start);
    if (ofCursor) {
      chunk = in;
      memory = in.bytes();
      address = address(in);
      windowStart = from - offset - inChunk;
      first = inChunk;
      limit = inChunk + (int) (to - from);
      next = (int) (position - windowStart);
    } else {
      otherMemory = in.bytes();
      otherAddress = address(in) + inChunk;
      otherStart = from - offset;
      otherBase = inChunk;
      otherSize = (int) (to - from);
    }
  }

  /** Reads a window into the cache's spare memory, bypassing its slots. */
  private void readPrivately(boolean ofCursor, long position) throws IOException {
    int most = Math.min(SpareMemory.PIECE_SIZE, blocks.cache().blockSize());
    long filePosition = offset + position;
    // A slice that fits is read from its start to its end, and no further.
    long start = length <= most ? offset : filePosition & -most;
    int size = (int) Math.min(Math.min(most, length), blocks.length() - start);
    Guard last = ofCursor ? guard : otherGuard;
    long lastVersion = ofCursor ? version : otherVersion;
    // The window may be in this memory, so there is no window until the read has succeeded.
    if (ofCursor) {
      moveTo(position);
    } else {
      otherSize = 0;
    }
    SpareMemory.Piece piece = blocks.cache().spare().take(last, lastVersion, file.guard());
    long filled;
    try {
      file.reader().readBytes(start, piece.chunk().bytes(), piece.offset(), size);
    } finally {
      filled = piece.filled();
    }
    guardBy(ofCursor, piece.guard(), filled);
    enter(ofCursor, position, piece.chunk(), piece.offset(), start, size);
  }

  /**
   * Returns the view ({@link Extent#view}) of memory that holds a range of this slice in one piece,
   * and will hold it for as long as the view can be reached, or null if there is none just now.
   *
   * @param position where the range starts in the slice
   * @param maker makes the view if there is none yet
   */
  protected final Object view(long position, long count, Extent.ViewMaker maker)
      throws IOException {
    Objects.checkFromIndexSize(position, count, length);
    ensureOpen();
    long filePosition = offset + position;
    Object view = viewNow(filePosition, count, maker);
    if (view == null && blocks.inOneExtent(filePosition, count)) {
      // Somebody would have used it, so it is worth having the next time, or even this time.
      if (file.isForMerge()) {
        boolean more = true;
        while (more) {
          more = file.complete(filePosition);
        }
        return viewNow(filePosition, count, maker);
      }
      file.completeLater(filePosition);
    }
    return view;
  }

  private Object viewNow(long filePosition, long count, Extent.ViewMaker maker) {
    Extent extent = blocks.extent(filePosition);
    return extent == null || filePosition + count > extent.start() + extent.size()
        ? null
        : extent.view(maker);
  }

  /** Returns where in its {@link #view} a position of this slice is. */
  protected final long viewOffset(long position) {
    Extent extent = blocks.extent(offset + position);
    return offset + position - extent.start();
  }

  /** Moves the cursor out of its window, to a position that is known to be legal. */
  final void moveTo(long position) {
    windowStart = position;
    first = 0;
    next = 0;
    limit = 0;
  }

  @Override
  final void reset(long position) {
    moveTo(position);
    chunk = Chunk.EMPTY;
    memory = chunk.bytes();
    otherMemory = chunk.bytes();
    otherSize = 0;
    // A clone must not mistake the memory that its original reads in for its own.
    guard = file.guard();
    otherGuard = file.guard();
  }

  @Override
  final void shut() {
    limit = first;
    otherSize = 0;
  }

  @Override
  final void applyPlan(ReadPlan plan) {
    atRandom = plan.atRandom();
  }

  @Override
  final boolean isCached(long position, long count) {
    if (count == 0) {
      return true;
    }
    long from = offset + position;
    Extent extent = blocks.extent(from);
    if (extent != null && Guard.isStable(extent.acquire())) {
      return true;
    }
    int bits = blocks.cache().blockBits();
    return count <= 1L << bits
        && blocks.find((int) (from >>> bits)) != null
        && blocks.find((int) ((from + count - 1) >>> bits)) != null;
  }

  @Override
  final boolean readsWholeBlocks() {
    return !atRandom;
  }

  // ---- reads that are not worth a window ----

  /** Returns whether the cursor has come from elsewhere and is not going to stay. */
  final boolean hasJumped() {
    return atRandom && limit == 0;
  }

  /**
   * Returns the slot that holds a range, for one read that is not worth a window because the next
   * will be elsewhere. The slot becomes the guard, and what has been read there is right if the
   * guard says so.
   *
   * @param ofCursor whether it becomes the guard of the cursor, or else that of absolute reads,
   *     whose window must be empty
   * @return the slot, or null if the range is not in the cache or is better read in a window, which
   *     reaches further
   */
  final Slot lookUp(boolean ofCursor, long position, long bytes) {
    long filePosition = offset + position;
    int blockSize = blocks.cache().blockSize();
    int inBlock = (int) filePosition & (blockSize - 1);
    // Nothing may be read where there is no block: at the end of the file.
    if (bytes == 0 || bytes > blockSize - inBlock) {
      return null;
    }
    Extent extent = blocks.extent(filePosition);
    if (extent != null && Guard.isStable(extent.acquire())) {
      return null;
    }
    int block = (int) (filePosition >>> blocks.cache().blockBits());
    Slot slot = blocks.find(block);
    if (slot == null) {
      return null;
    }
    long slotVersion = slot.acquire();
    if (!blocks.isIn(slot, slotVersion, block)) {
      return null;
    }
    slot.touch();
    countHit(filePosition);
    guardBy(ofCursor, slot, slotVersion);
    return slot;
  }

  /** Returns where in its chunk the byte at a position of this slice is. */
  final int index(Slot slot, long position) {
    int inBlock = (int) (offset + position) & (blocks.cache().blockSize() - 1);
    return blocks.cache().offset(slot) + inBlock;
  }

  /** Returns whether a read should bypass the cache, since its block would not stay there. */
  final boolean shouldBypass(long position, long bytes) {
    return bytes > 0 && bytes < blocks.cache().blockSize() && file.shouldBypass(offset + position);
  }
}
