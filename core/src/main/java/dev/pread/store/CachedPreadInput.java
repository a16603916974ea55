/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import dev.pread.cache.AnnouncedPage;
import dev.pread.cache.CachedFile;
import dev.pread.cache.Chunk;
import dev.pread.cache.Extent;
import dev.pread.cache.Guard;
import dev.pread.cache.ScanReadAhead;
import dev.pread.cache.Slot;
import dev.pread.cache.SlotCache;
import dev.pread.cache.SpareMemory;
import dev.pread.posix.Advice;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;

/**
 * An input whose window lies in the block cache. It has no buffer and makes no copy except into the
 * caller's arrays, so a clone is this object and no more.
 *
 * <p>A window is a block, or as much as lies in one piece ({@link Extent}). Nothing is pinned.
 * Closing the input changes the version of the window, so reads look at no flag.
 *
 * <p>When the cache has no slot to give, or evicts blocks faster than they can be read, the window
 * is in the cache's spare memory ({@link SpareMemory}), which may be taken away just as a block
 * may.
 */
public class CachedPreadInput extends WindowedPreadInput {

  /** A read of so many bytes is worth a call of its own, also of the device. */
  private static final int LARGE_READ = 4 << 10;

  /** A read of fewer bytes is likely to be followed by others nearby, which want a window. */
  private static final int MIN_COPY = 128;

  private static final Access ACCESS = CachedInputs.best().access();

  private final CachedFile blocks;

  /** Reads ahead of this input if it misses blocks in order; null before the first miss. */
  private ScanReadAhead scan;

  /** Whether a read has gone on where one without a window had ended: so a window is worth it. */
  private boolean readsOn;

  /**
   * The last view of each stretch that was handed out of this input; null before the first one. A
   * caller may keep addresses alone, and this input for as long as it uses them, as it may with a
   * mapped file. An older view of the same stretch need not be kept: they all keep the same memory.
   */
  private Object[] views;

  /** Creates the input of a whole file, which its {@code close} closes. */
  protected CachedPreadInput(InputFile file) {
    super(file);
    this.blocks = file.blocks();
  }

  @Override
  Access access() {
    return ACCESS;
  }

  @Override
  public CachedPreadInput clone() {
    CachedPreadInput clone = (CachedPreadInput) super.clone();
    clone.views = null;
    return clone;
  }

  // ---- single values ----

  // These are declared once more for the compiler: here it knows how values are loaded. In the
  // superclass it asks an input for its class, for every value, unless the caller has done so.

  @Override
  public final byte readByte() throws IOException {
    return super.readByte();
  }

  @Override
  public final short readShort() throws IOException {
    return super.readShort();
  }

  @Override
  public final int readInt() throws IOException {
    return super.readInt();
  }

  @Override
  public final long readLong() throws IOException {
    return super.readLong();
  }

  // ---- the window ----

  /** Makes the window show what is in the cache, and returns false if it is not there. */
  private boolean show(long filePosition) {
    Extent extent = blocks.extent(filePosition);
    boolean found = extent != null && enter(extent);
    if (!found) {
      int block = blocks.block(filePosition);
      Slot slot = blocks.find(block);
      found = slot != null && enter(slot, block);
    }
    if (found) {
      countHit(filePosition);
    }
    return found;
  }

  private void countHit(long filePosition) {
    boolean isSample = blocks.cache().counters().countHit();
    if (isSample) {
      // A file that is read a lot is gradually completed in the cache.
      file.completeLater(filePosition);
    }
  }

  @Override
  final void fill(long position, int bytes, long wanted, boolean isHopeless) throws IOException {
    readsOn |= hasNoWindow() && goesOn(bytes, 1);
    if (!isHopeless) {
      long filePosition = offset + position;
      if (show(filePosition)) {
        return;
      }
      AnnouncedPage page = blocks.announced(filePosition);
      if (page != null && enter(page, filePosition >>> AnnouncedPage.BITS)) {
        return;
      }
      int block = blocks.block(filePosition);
      int count = blocks.block(filePosition + wanted - 1) - block + 1;
      boolean isInOrder = goesOn(bytes, blocks.cache().blockSize());
      boolean isJump = !isInOrder && count == 1;
      ReadableFile source = isJump ? file.sourceOfJump(filePosition) : file.source();
      scan = scan == null ? new ScanReadAhead(blocks, offset + length) : scan;
      int together = scan.recordMiss(block, count, isInOrder, source);
      Slot slot = blocks.load(block, count, together, source);
      if (slot != null && enter(slot, block)) {
        scan.loaded(source);
        return;
      }
    }
    // Nothing more is announced for a scan whose blocks do not come.
    scan = null;
    fillPrivately(position);
  }

  @Override
  final void reset(long position) {
    super.reset(position);
    scan = null;
    readsOn = false;
  }

  /** Makes an extent the window, and returns false if it is not in one piece just now. */
  private boolean enter(Extent extent) {
    long stable = extent.acquire();
    if (!Guard.isStable(stable)) {
      return false;
    }
    extent.touch();
    enter(extent, stable, extent.chunk(), extent.base(), extent.start(), extent.size());
    return true;
  }

  /** Makes a slot the window, and returns false if it does not hold the block any more. */
  private boolean enter(Slot slot, int block) {
    long stable = slot.acquire();
    if (!blocks.isIn(slot, stable, block)) {
      return false;
    }
    slot.touch();
    SlotCache cache = blocks.cache();
    long start = (long) block << cache.blockBits();
    enter(slot, stable, cache.chunk(slot), cache.offset(slot), start, cache.blockSize());
    return true;
  }

  /** Makes an announced page the window, and returns false if it is another one by now. */
  private boolean enter(AnnouncedPage page, long number) {
    long stable = page.acquire();
    if (!page.isIn(stable, blocks, number)) {
      return false;
    }
    page.touch();
    long start = number << AnnouncedPage.BITS;
    enter(page, stable, page.chunk(), page.offset(), start, AnnouncedPage.SIZE);
    return true;
  }

  /**
   * Makes the part of a stretch that belongs to this slice the window, which is empty in between.
   *
   * @param at where the stretch starts in its chunk
   * @param start where the stretch starts in the file
   * @param size the size of the stretch in bytes, which may end behind the file
   */
  private void enter(Guard by, long stable, Chunk in, int at, long start, int size) {
    long from = Math.max(start, offset);
    long to = Math.min(start + size, offset + length);
    moveTo(getFilePointer());
    guard = by;
    version = stable;
    lookAt(in, at + (int) (from - start));
    setWindow(from - offset, (int) (to - from));
  }

  /** Says where the memory begins that values are loaded from. */
  private void lookAt(Chunk in, int at) {
    chunk = in;
    memory = in.bytes();
    base = at;
    address = access().address(in) + at;
  }

  /** Reads a window into the cache's spare memory, bypassing its slots. */
  private void fillPrivately(long position) throws IOException {
    // A slice that fits is read from its start, and none is read beyond its end.
    boolean fits = length <= SpareMemory.PIECE_SIZE;
    long start = fits ? offset : (offset + position) & -SpareMemory.PIECE_SIZE;
    int size = (int) Math.min(SpareMemory.PIECE_SIZE, offset + length - start);
    // The window may be in this memory, so there is no window until the read has succeeded.
    moveTo(position);
    SpareMemory.Piece piece = blocks.cache().spare().take(guard, version, file.guard());
    long filled;
    try {
      file.reader().read(FileReader.MEMORY, start, piece.chunk().bytes(), piece.offset(), size);
    } finally {
      filled = piece.filled();
    }
    enter(piece.guard(), filled, piece.chunk(), piece.offset(), start, size);
  }

  /**
   * Reads at random bypass a full cache, in which their blocks would not stay: what they want is
   * read, and not the whole block. From the page cache a few bytes cost little. From the device
   * they cost nearly as much as a block, and it takes a few KiB to be worth it; such reads need no
   * hint, but must not go on near where the last one ended, nor be announced or said to be in
   * order. A whole block is read like this if it is left to the page cache, so that not both have
   * it.
   */
  @Override
  final <A> boolean readPast(Elements<A> kind, long position, A dst, int at, int count)
      throws IOException {
    if (!hasNoWindow()) {
      return false;
    }
    long bytes = (long) count * kind.bytes;
    int block = blocks.cache().blockSize();
    boolean hasJumped = !goesOn(1, block);
    boolean mayCopy = hasJumped && !readsOn && bytes >= MIN_COPY;
    if (mayCopy && copy(kind, offset + position, bytes, dst, at, count)) {
      return true;
    }
    boolean isWhole = bytes == block && ((offset + position) & (block - 1)) == 0;
    boolean jumps = !isAnnounced && plan.advice() != Advice.SEQUENTIAL && hasJumped;
    boolean bypasses =
        (bytes < block || (isWhole && file.isLeftToPageCache(offset + position)))
            && ((plan.atRandom() && file.readsThroughPageCache()) || (jumps && bytes >= LARGE_READ))
            && blocks.tryBypass(offset + position);
    if (bypasses) {
      file.reader().read(kind, offset + position, dst, at, count);
    }
    return bypasses;
  }

  /**
   * Copies what lies in one block of the cache, and leaves the window empty: a reader that jumps
   * from one vector to the next does not need one ({@code
   * docs/decisions/0007-memory-handed-out.md}).
   *
   * @return false if not all of it is in one block, if the block is not there or goes meanwhile, or
   *     if it lies in a larger piece, which is worth a window
   */
  private <A> boolean copy(
      Elements<A> kind, long filePosition, long bytes, A dst, int at, int count) {
    Access access = access();
    SlotCache cache = blocks.cache();
    int block = blocks.block(filePosition);
    int from = (int) filePosition & (cache.blockSize() - 1);
    Slot slot = blocks.find(block);
    if (slot == null || bytes > cache.blockSize() - from) {
      return false;
    }
    long stable = slot.acquire();
    if (!blocks.isIn(slot, stable, block) || slot.isInOnePiece()) {
      return false;
    }
    lookAt(cache.chunk(slot), cache.offset(slot) + from);
    kind.copy(access, this, 0, dst, at, count);
    VarHandle.loadLoadFence();
    if (!slot.is(stable)) {
      return false;
    }
    // A close before the version was taken shows here, and a later one in the version.
    ensureOpen();
    slot.touch();
    countHit(filePosition);
    return true;
  }

  // ---- memory that is handed out ----

  /**
   * Returns the view of the memory that holds a range of this slice; see {@link InputFile#view}.
   * The memory stays what it is as long as the view or this input can be reached. What a clone or a
   * slice has handed out its original does not keep, which may live as long as a reader.
   */
  protected final Object view(long position, long count, Extent.ViewMaker maker)
      throws IOException {
    if (count < 0 || position < 0 || count > length - position) {
      throw outOfRange("look at", position, count);
    }
    ensureOpen();
    Object view = file.view(offset + position, count, maker);
    if (view != null) {
      views = views == null ? new Object[blocks.extents().count()] : views;
      views[blocks.extents().number(offset + position)] = view;
    }
    return view;
  }

  /** Returns where in its {@link #view} a position of this slice is. */
  protected final long viewOffset(long position) {
    return offset + position - blocks.extent(offset + position).start();
  }
}
