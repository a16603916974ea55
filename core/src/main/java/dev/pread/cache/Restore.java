/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.QuietLog;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads blocks of one file that were in the cache before, in the order in which they lie in the
 * file and as many at a time as a read can have.
 *
 * <p>It gives way to everybody. It takes only room that nobody uses, and ends when there is none.
 * When memory is short, the rest is left to the next time that the file is opened. While readers
 * miss blocks it rests for as long as it reads, so that it takes no more than half of a device's
 * time from them. A reader that gets to a block first reads it itself.
 *
 * <p>One thread runs it; any may ask what is {@link #left}.
 */
final class Restore implements Runnable {

  private static final Logger LOGGER = System.getLogger(Restore.class.getName());

  private final HotBlocks owner;
  private final CachedFile file;
  private final SlotCache cache;
  private final ReadableFile source;
  private final BitSet blocks;

  /**
   * Whether nearly all of the file is wanted, so that it should lie in one piece. A place for all
   * of it would otherwise be kept for blocks that do not come.
   */
  private final boolean isWhole;

  /**
   * The first block that has not been read yet. Only the thread that reads writes it; others that
   * see it late take a block for missing that is there.
   */
  private volatile int next;

  /** Whether what is left may be worth reading later. */
  private boolean isInterrupted;

  /**
   * Creates one.
   *
   * @param blocks which blocks, as a set of the caller's own
   */
  Restore(HotBlocks owner, CachedFile file, ReadableFile source, BitSet blocks) {
    this.owner = owner;
    this.file = file;
    this.cache = file.cache();
    this.source = source;
    // A set that has been cloned once is not changed by further clones, which others make.
    this.blocks = (BitSet) blocks.clone();
    this.isWhole = blocks.cardinality() >= file.blocks() - file.blocks() / 8;
  }

  CachedFile file() {
    return file;
  }

  /** Returns the blocks that have not been read yet. */
  BitSet left() {
    BitSet left = (BitSet) blocks.clone();
    left.clear(0, next);
    return left;
  }

  @Override
  public void run() {
    try {
      noteInterruption();
      while (!isInterrupted && readNext()) {
        noteInterruption();
      }
    } catch (IOException | RuntimeException | Error e) {
      // Whoever wants the block meets the failure itself, and nobody asks this task how it has
      // ended.
      QuietLog.log(LOGGER, Level.DEBUG, e, () -> "not all of it is brought in: " + file);
    } finally {
      owner.ended(this, isInterrupted);
    }
  }

  /** Short memory passes, and the file may be opened again. */
  private void noteInterruption() {
    isInterrupted |= file.isClosed() || cache.isClosed() || cache.isShortOfMemory();
  }

  /** Reads the next run of blocks that are missing, and returns whether there may be more. */
  private boolean readNext() throws IOException {
    int first = blocks.nextSetBit(next);
    while (first >= 0 && file.find(first) != null) {
      first = blocks.nextSetBit(first + 1);
    }
    if (first < 0) {
      next = file.blocks();
      return false;
    }
    next = first;
    int end = Math.min(blocks.nextClearBit(first), first + Fill.MAX_BLOCKS);
    StackReserve.ensure();
    cache.lookOut();
    if (isWhole) {
      Extent ignored = file.extents().place(first);
    }
    int count = end - first;
    Fill fill = new Fill(file, source, first, count, count, Fill.Purpose.RESTORE);
    long misses = cache.counters().sum(Counter.MISSES);
    long start = System.nanoTime();
    Slot slot = fill.run();
    if (cache.counters().sum(Counter.MISSES) != misses) {
      LockSupport.parkNanos(this, System.nanoTime() - start);
    }
    isInterrupted = fill.sourceIsClosed();
    return slot != null || !fill.gaveUp();
  }
}
