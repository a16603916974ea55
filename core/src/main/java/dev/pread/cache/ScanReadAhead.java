/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;

/**
 * Notices that a reader goes through a file in order, and then has more blocks read than it has
 * asked for, as the kernel does for those who read through the page cache.
 *
 * <p>A reader tells what it misses, and nothing of its hits. When it misses a block in order,
 * others are loaded with it, so that twice as many have been read as before: 1, 1, 2, 4 and so on.
 * At most as much is read in vain as has been wanted. Once that has been much, the next blocks are
 * announced instead ({@link CachedFile#prefetchBlocks}), and the device goes on while the reader
 * does. When it comes to a block of the last announcement and the device has not done that yet, the
 * next announcement follows: one is under way while the reader waits for the other. They become
 * longer as the reader goes on. A device that is faster than that is met at the end of the
 * announcement instead, by one miss. A miss elsewhere ends this. Where a block that has been
 * announced is gone when the reader comes, since it has been evicted or could not be read, the next
 * announcements are a quarter as long, down to none. Then it takes a much longer run to begin anew.
 * After blocks that were loaded with another one and are gone it takes a longer one. A jump ends
 * either.
 *
 * <p>What is read ahead goes into the small queue of its {@link EvictionShard}, and is too little
 * for a reader to fill that. This is of one reader, and for one thread.
 */
public final class ScanReadAhead {

  /**
   * How many blocks a reader has come through in order at least before any is announced. They have
   * as many bytes as a miss reads around itself while there is room: a document, or a chunk of
   * stored fields, is seldom so long.
   */
  private static final int SHORTEST_RUN = 4;

  /** How many more blocks that takes after what a queue had read was gone again and again. */
  private static final int AFTER_FAILURE = 256;

  /** The longest announcement, in bytes. Two of them under way keep a device busy. */
  private static final int MAX_BYTES = 512 << 10;

  /** Which part of the cache an announcement may be at most. The small queue is a tenth of it. */
  private static final int CACHE_DIVISOR = 64;

  private final CachedFile file;

  /** The block behind the last one that the reader may come to. */
  private final int limit;

  /**
   * The first block of those that the reader has come through in order. After reads in vain it is
   * one that the reader has yet to come to.
   */
  private int start;

  /** The first block of the last load; the end of what has been announced since, if any. */
  private int loadedFrom;

  /** The block behind those that the reader has asked for. */
  private int asked;

  /** Whether the reader is loading a block that had not been announced. */
  private boolean isLoading;

  /** Whether to announce what comes next once the reader has its block. */
  private boolean isDue;

  /** How many blocks are announced next, or 0 while there is no scan. */
  private int size;

  /** The first block of the last announcement but one. */
  private int previous;

  /** The first block of the last announcement. */
  private int last;

  /** The block behind what had been announced when a block was last found to be gone. */
  private int cut;

  /** The block behind the last announcement, or behind what was loaded if that came later. */
  private int end;

  /**
   * Creates what reads ahead for one reader of a file, which is read at random so far.
   *
   * @param end the position in the file, in bytes, behind the last one that the reader may come to
   */
  public ScanReadAhead(CachedFile file, long end) {
    this.file = file;
    this.limit = file.block(end - 1) + 1;
    // The first miss is behind nothing, wherever it is.
    this.end = -shortest();
  }

  /**
   * Learns that a block is not in the cache, or not yet, before the reader {@linkplain
   * CachedFile#load loads} it. If the block is on its way, this announces what comes next, so that
   * the device goes on while the reader waits. What comes through the page cache is read ahead by
   * the kernel, unless it has been told not to.
   *
   * @param count how many blocks from there on the reader is going to read now
   * @param isInOrder whether the reader comes from the block before
   * @return how many blocks from there on to load together, at least {@code count}
   */
  public int recordMiss(int block, int count, boolean isInOrder, ReadableFile source) {
    isLoading = false;
    isDue = false;
    if (source.alignment() == 1) {
      return count;
    }
    boolean isComing = file.find(block) != null;
    if (size > 0 && block >= previous && block < end) {
      comeTo(block, isComing);
      if (isDue && isComing) {
        isDue = false;
        announce(source);
      }
      return count;
    }
    // What comes next after a block that is on its way is left to whoever has it read.
    return isComing ? count : goOn(block, count, isInOrder);
  }

  /** Makes a block that was announced, and that the reader is not given, a reason to go on. */
  private void comeTo(int block, boolean isComing) {
    // A thread that is to read the first of them may not have begun, which means nothing.
    boolean byQueue = file.cache().queues().count() > 0;
    boolean isGone = !isComing && block >= cut && (byQueue || block != last);
    isDue = block >= last;
    if (isGone) {
      size /= 4;
      cut = end;
    } else if (isComing && isDue) {
      size = longer(block);
    }
    if (size == 0) {
      beginAnew(block + 1);
      start = block + 1 + (byQueue ? AFTER_FAILURE : 0);
    }
  }

  /**
   * Makes a miss of what has not been announced a part of a run, or the first of one.
   *
   * @return how many blocks to load
   */
  private int goOn(int block, int count, boolean isInOrder) {
    int shortest = shortest();
    int together = count;
    // In a cache with room there are gaps: what a miss has read around itself is not missed.
    if (!isInOrder || block < end || block - end >= shortest) {
      // What was loaded and is gone when the reader comes to it would be gone again.
      boolean isGone = isInOrder && block > loadedFrom && block < end;
      start = isGone ? Math.max(start, block + shortest) : block;
      size = 0;
    } else if (size > 0) {
      size = longer(block);
    } else if (block - start >= shortest) {
      size = longest(block);
    } else if (block >= asked) {
      together = Math.max(count, Math.min(atMost(block - start), limit - block));
    }
    asked = block + count;
    isDue = true;
    isLoading = true;
    loadedFrom = block;
    beginAnew(block + Math.min(together, Fill.MAX_BLOCKS));
    return together;
  }

  /** Returns how many blocks a reader has to come through before any is announced. */
  private int shortest() {
    return Math.max(SHORTEST_RUN, Fill.AROUND_BYTES >>> file.cache().blockBits());
  }

  /**
   * Learns that the block of the last miss is there, and that the others have been loaded as far as
   * that was possible. This announces what comes next if that is due.
   */
  public void loaded(ReadableFile source) {
    if (isLoading) {
      int next = loadedFrom + 1;
      while (next < end && file.find(next) != null) {
        next++;
      }
      if (size == 0 && next == loadedFrom + 1 && end > next) {
        // If none has come with it, there was no room, one can't be read, or others are faster.
        start = Math.max(start, next + shortest());
      }
      beginAnew(next);
    }
    if (isDue) {
      announce(source);
    }
  }

  /** Goes on from a block on, before which nothing is announced any more. */
  private void beginAnew(int block) {
    end = block;
    last = block;
    previous = block;
    cut = block;
  }

  private void announce(ReadableFile source) {
    int first = end;
    int next = Math.min(first + size, limit);
    if (first >= next || file.isGone()) {
      return;
    }
    previous = last;
    last = first;
    end = next;
    loadedFrom = next;
    int bits = file.cache().blockBits();
    long position = (long) first << bits;
    file.prefetchBlocks(position, Math.min((long) next << bits, file.length()) - position, source);
  }

  /** Returns how many blocks to announce next, when the reader has come to a block. */
  private int longer(int block) {
    return Math.min(atMost(2 * size), longest(block));
  }

  /**
   * Returns how many that may be. Short announcements cost a long scan little, and long ones that
   * are read in vain cost much where it ends soon, as most do: so they grow late.
   */
  private int longest(int block) {
    return atMost(Math.max(shortest() / 2, block - start - 2 * shortest()));
  }

  private int atMost(int blocks) {
    SlotCache cache = file.cache();
    int most = Math.min(MAX_BYTES >>> cache.blockBits(), cache.capacity() / CACHE_DIVISOR);
    return Math.min(blocks, Math.min(most, Fill.MAX_BLOCKS));
  }
}
