/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;

/**
 * Notices that a reader goes through a file in order, and then has the next blocks read ahead of it
 * ({@link CachedFile#prefetchBlocks}), as the kernel does for those who read through the page
 * cache.
 *
 * <p>A reader tells what it misses, and nothing of its hits. Once it has missed enough blocks in a
 * row, the next ones are announced. When it comes to a block of the last announcement and the
 * device has not done that yet, the next announcement follows, which is twice as long: one is under
 * way while the reader waits for the other. A device that is faster than that is met at the end of
 * the announcement instead, by one miss. A miss elsewhere ends this. Where a block that has been
 * announced is gone when the reader comes, since it has been evicted or could not be read, the next
 * announcements are a quarter as long, down to none. Then it takes a much longer run to begin anew.
 *
 * <p>What is read ahead goes into the small queue of its {@link EvictionShard}, and is too little
 * for a reader to fill that. This is of one reader, and for one thread.
 */
public final class ScanReadAhead {

  /** How many blocks a reader misses in a row at least. */
  private static final int SHORTEST_RUN = 4;

  /** How many more blocks that takes after what a queue had read was gone again and again. */
  private static final int AFTER_FAILURE = 256;

  /**
   * The number of bytes that a reader misses in a row at least: a document, or a chunk of stored
   * fields, is seldom so long.
   */
  private static final int SHORTEST_BYTES = 64 << 10;

  /** The longest announcement, in bytes. Two of them under way keep a device busy. */
  private static final int MAX_BYTES = 512 << 10;

  /** Which part of the cache an announcement may be at most. The small queue is a tenth of it. */
  private static final int CACHE_DIVISOR = 64;

  private final CachedFile file;

  /** The block behind the last one that the reader may come to. */
  private final int limit;

  /** How many blocks have been missed in a row. */
  private int run;

  /** How many blocks are announced next, or 0 while there is no scan. */
  private int size;

  /** The first block of the last announcement but one. */
  private int previous;

  /** The first block of the last announcement. */
  private int last;

  /** The block behind what had been announced when a block was last found to be gone. */
  private int cut;

  /** The block behind the last announcement, or behind the last miss if that came later. */
  private int end;

  /**
   * Creates what reads ahead for one reader of a file, which is read at random so far.
   *
   * @param end the position in the file, in bytes, behind the last one that the reader may come to
   */
  public ScanReadAhead(CachedFile file, long end) {
    this.file = file;
    this.limit = file.block(end - 1) + 1;
  }

  /**
   * Learns that a block is not in the cache, or not yet, before the reader {@linkplain
   * CachedFile#load loads} it. If the block is on its way, this announces what comes next, so that
   * the device goes on while the reader waits. What comes through the page cache is read ahead by
   * the kernel, unless it has been told not to.
   *
   * @param count how many blocks from there on the reader is going to read now
   * @param isInOrder whether the reader comes from the block before
   * @return whether to call {@link #announce} once the reader has the block
   */
  public boolean recordMiss(int block, int count, boolean isInOrder, ReadableFile source) {
    if (source.alignment() == 1) {
      return false;
    }
    boolean isComing = file.find(block) != null;
    boolean isDue;
    if (size > 0 && block >= previous && block < end) {
      // A thread that is to read the first of them may not have begun, which means nothing.
      boolean byQueue = file.cache().prefetcher().queues() > 0;
      boolean isGone = !isComing && block >= cut && (byQueue || block != last);
      isDue = block >= last;
      if (isGone) {
        size /= 4;
        cut = end;
      } else if (isComing && isDue) {
        size = atMost(2 * size);
      }
      if (size == 0) {
        beginAnew(block + 1);
        run = byQueue ? -AFTER_FAILURE : 0;
      }
    } else if (isComing) {
      // What comes next is left to whoever has announced it.
      isDue = false;
    } else {
      goOn(block, Math.min(count, Fill.MAX_BLOCKS), isInOrder);
      isDue = true;
    }
    if (isDue && isComing) {
      announce(source);
    }
    return isDue && !isComing;
  }

  /** Makes a miss of what has not been announced a part of a run, or the first of one. */
  private void goOn(int block, int loaded, boolean isInOrder) {
    int bits = file.cache().blockBits();
    int around = Math.max(SHORTEST_RUN, Fill.AROUND_BYTES >>> bits);
    boolean goesOn = isInOrder && block >= end && block - end < around;
    run = goesOn ? run + loaded : loaded;
    int shortest = Math.max(SHORTEST_RUN, SHORTEST_BYTES >>> bits);
    if (!goesOn) {
      size = 0;
    } else if (size > 0) {
      size = atMost(2 * size);
    } else if (run >= shortest) {
      size = atMost(run);
    }
    beginAnew(block + loaded);
  }

  /** Goes on from a block on, before which nothing is announced any more. */
  private void beginAnew(int block) {
    end = block;
    last = block;
    previous = block;
    cut = block;
  }

  /** Announces the blocks that come next. */
  public void announce(ReadableFile source) {
    int first = end;
    int next = Math.min(first + size, limit);
    if (first >= next || file.isGone()) {
      return;
    }
    previous = last;
    last = first;
    end = next;
    int bits = file.cache().blockBits();
    long position = (long) first << bits;
    file.prefetchBlocks(position, Math.min((long) next << bits, file.length()) - position, source);
  }

  private int atMost(int blocks) {
    SlotCache cache = file.cache();
    int most = Math.min(MAX_BYTES >>> cache.blockBits(), cache.capacity() / CACHE_DIVISOR);
    return Math.min(blocks, Math.min(most, Fill.MAX_BLOCKS));
  }
}
