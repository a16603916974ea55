/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;

/**
 * Notices that a reader goes through a file in order, and then has the next blocks read ahead of it
 * ({@link CachedFile#prefetch}), as the kernel does for those who read through the page cache.
 *
 * <p>A reader tells what it misses. Once it has missed {@value #SHORTEST_RUN} blocks in a row, with
 * nothing but what is in the cache between them, the blocks behind them are announced, and each
 * time that the reader comes to the first block of the last announcement, the next one follows,
 * which is twice as long. So there are always one or two announcements ahead of it, and only misses
 * and those blocks cost anything. A miss elsewhere ends this. Each block that has been announced
 * and is not there when the reader comes, since it has been evicted or could not be read, makes the
 * next announcement shorter, down to none.
 *
 * <p>What is read ahead enters the small queue of {@link EvictionShard} as any new block does, and
 * is too little for a reader to fill that. It is of one reader, and for one thread.
 */
public final class ScanReadAhead {

  /** A place at which nothing is to be announced. */
  public static final int NOWHERE = -1;

  /** How many blocks a reader misses in a row at least. A document seldom is in so many. */
  private static final int SHORTEST_RUN = 4;

  /** The first announcement, in bytes. */
  private static final int FIRST_BYTES = 64 << 10;

  /** The longest announcement, in bytes. Two of them under way keep a device busy. */
  private static final int MOST_BYTES = 512 << 10;

  /** Which part of the cache an announcement may be at most. The small queue is a tenth of it. */
  private static final int PART = 64;

  private final CachedFile file;

  /** How many blocks have been missed in a row. */
  private int run;

  /** The last block that was missed, other than those that are announced. */
  private int lastMiss = Integer.MAX_VALUE;

  /** The block behind those that have been announced since that miss. */
  private int end;

  /** How many blocks the last announcement had. */
  private int size;

  /** The first block of the last announcement. */
  private int mark = NOWHERE;

  /** Creates what reads ahead for one reader of a file, which is read at random so far. */
  public ScanReadAhead(CachedFile file) {
    this.file = file;
  }

  /**
   * Learns that a block was not in the cache, or not yet, before it is {@linkplain CachedFile#load
   * loaded}.
   *
   * @param count how many blocks from there on the reader is going to read now
   * @param limit the block behind the last one that the reader may come to
   * @return the block at which to call {@link #reached}, or {@link #NOWHERE}
   */
  public int missed(int block, int count, int limit, ReadableFile source) {
    boolean isComing = file.find(block) != null;
    if (block == lastMiss || (isComing && block != mark)) {
      // It has been evicted as soon as it was there, or is on its way for whoever it is.
      return mark;
    }
    if (block > lastMiss && block < end) {
      size = isComing ? size : size / 4;
      return block == mark ? reached(limit, source) : mark;
    }
    int loaded = Math.min(count, Fill.MAX_BLOCKS);
    boolean goesOn = goesOn(block);
    run = goesOn ? run + loaded : loaded;
    lastMiss = block;
    end = block + loaded;
    mark = NOWHERE;
    if (goesOn && run >= SHORTEST_RUN) {
      size = Math.max(loaded, FIRST_BYTES >>> file.cache().blockBits());
      announce(limit, source);
    }
    return mark;
  }

  /**
   * Announces more, since the reader has come to the block that was named.
   *
   * @param limit the block behind the last one that the reader may come to
   * @return the block at which to call this again, or {@link #NOWHERE}
   */
  public int reached(int limit, ReadableFile source) {
    size *= 2;
    announce(limit, source);
    return mark;
  }

  /** Returns whether all blocks between the last miss and this one have been there. */
  private boolean goesOn(int block) {
    if (block <= lastMiss || block - lastMiss > Fill.MAX_BLOCKS) {
      return false;
    }
    int next = lastMiss + 1;
    while (next < block && file.find(next) != null) {
      next++;
    }
    return next == block;
  }

  private void announce(int limit, ReadableFile source) {
    SlotCache cache = file.cache();
    int bits = cache.blockBits();
    int most = Math.min(Math.min(MOST_BYTES >>> bits, Fill.MAX_BLOCKS), cache.capacity() / PART);
    size = Math.min(size, most);
    int first = end;
    int next = Math.min(first + size, limit);
    // Through the page cache the kernel reads ahead by itself.
    if (first >= next || source.alignment() == 1) {
      mark = NOWHERE;
      return;
    }
    mark = first;
    end = next;
    long position = (long) first << bits;
    file.prefetch(position, Math.min((long) end << bits, file.length()) - position, source);
    cache.prefetcher().begin();
  }
}
