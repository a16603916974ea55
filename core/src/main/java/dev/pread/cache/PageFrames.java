/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.NoNativeMemoryError;
import dev.pread.posix.QuietLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory of announced pages, and where in it a page may lie.
 *
 * <p>Pages that follow each other in a file lie side by side as far as there is room, in a frame. A
 * device gets a read as so many pieces as its memory has, and each piece costs it ({@code
 * docs/results/queue.md}). Side by side is one piece in a huge page, which the memory has where the
 * system grants any of 2 MiB.
 *
 * <p>A hash selects a set of frames, and a page has one place in each frame of its set. A page is
 * known by its {@link CachedFile}, which stands for one file while that is open, and for no other
 * after that.
 *
 * <p>It is thread-safe, and takes a lock only to get its memory and to give it back.
 */
final class PageFrames {

  /** The most pages there are: 16 MiB, a batch for each of many threads. */
  static final int MAX_PAGES = 4096;

  private static final int MIN_PAGES = 64;

  /**
   * The part of the cache, as a divisor, that all pages together are at most, unless they are the
   * fewest.
   */
  private static final int CACHE_DIVISOR = 32;

  /** The number of places that a page may be in, one in each frame of its set. */
  static final int PLACES = 8;

  /** The most pages that lie side by side. */
  private static final int MAX_FRAME = 8;

  /** The fewest sets, if there are so many pages at all. */
  private static final int MIN_SETS = 8;

  private static final AnnouncedPage[] NONE = {};

  private static final Logger LOGGER = System.getLogger(AnnouncedPages.class.getName());

  private final MemorySource memory;
  private final FillSignal[] signals;
  private final int size;
  private final ReentrantLock lock = new ReentrantLock();

  /** The binary logarithm of the number of pages in a frame. */
  private final int frameBits;

  /** The bits of a page's number that say where it is in its frame. */
  private final int frameMask;

  /** The frame of each set that is the next to be taken. A turn that is lost does no harm. */
  private final byte[] turns;

  /**
   * The pages, those of a frame side by side, and the frames of a set; null before the first is
   * wanted, {@link #NONE} if there are none.
   */
  private volatile AnnouncedPage[] pages;

  /**
   * Creates frames that take no memory yet.
   *
   * @param size how many pages there are, from {@link #sizeFor}
   * @param signals what threads wait for
   */
  PageFrames(int size, MemorySource memory, FillSignal[] signals) {
    this.memory = memory;
    this.signals = signals;
    this.size = size;
    // What is announced may begin at the same place of each frame: then there have to be many sets.
    int frame = Math.clamp(size / PLACES / MIN_SETS, 1, MAX_FRAME);
    this.frameBits = Integer.numberOfTrailingZeros(frame);
    this.frameMask = frame - 1;
    this.turns = new byte[size / PLACES / frame];
  }

  /** Returns how many pages go with a cache of so many bytes. */
  static int sizeFor(long bytes) {
    long pages = bytes / CACHE_DIVISOR / AnnouncedPage.SIZE;
    return (int) Long.highestOneBit(Math.clamp(pages, MIN_PAGES, MAX_PAGES));
  }

  /** Returns whether there are pages, or may be some as soon as one is wanted. */
  boolean mayHavePages() {
    AnnouncedPage[] all = pages;
    return all == null || all.length > 0;
  }

  /** Returns which set of frames a page may be in. */
  int set(CachedFile file, long number) {
    return (int) (file.hash((int) (number >>> frameBits)) >>> 32) & (turns.length - 1);
  }

  /** Returns where a page is in the first frame of its set. */
  private int firstPlace(CachedFile file, long number) {
    return ((set(file, number) * PLACES) << frameBits) + (int) (number & frameMask);
  }

  /** Returns what has a page, or is going to have it, or null. */
  AnnouncedPage find(CachedFile file, long number) {
    AnnouncedPage[] all = pages;
    if (all == null || all.length == 0) {
      return null;
    }
    AnnouncedPage coming = null;
    int first = firstPlace(file, number);
    for (int i = 0; i < PLACES; i++) {
      AnnouncedPage page = all[first + (i << frameBits)];
      if (page.is(file, number)) {
        PageRead read = page.read();
        if (read == null) {
          return page;
        }
        // It may be there in another place, and be read once more.
        coming = read.isGivenUp() ? coming : page;
      }
    }
    return coming;
  }

  /**
   * Takes a page's memory for another one: if it can be had the memory behind {@code before}, so
   * that both are one piece.
   *
   * @param before what has been taken for the page before it, or null
   * @param isSparing whether it leaves alone what has been announced and not been used, while there
   *     is anything else; otherwise it takes one frame after the other
   * @return null if the device reads into all of it, or if there is none
   */
  AnnouncedPage claim(CachedFile file, long number, AnnouncedPage before, boolean isSparing) {
    AnnouncedPage[] all = made();
    if (all.length == 0) {
      return null;
    }
    int first = firstPlace(file, number);
    boolean goesOn = before != null && (number & frameMask) != 0;
    int turn = goesOn ? frame(before) : turns[set(file, number)]++;
    for (int i = isSparing ? 0 : PLACES; i < 2 * PLACES; i++) {
      AnnouncedPage page = all[first + (((turn + i) & (PLACES - 1)) << frameBits)];
      boolean isSpared = i < PLACES && page.isAwaited();
      if (!isSpared && page.tryTake(page.acquire())) {
        return page;
      }
    }
    return null;
  }

  /** Returns the number of a page's frame, counted through all sets. */
  private int frame(AnnouncedPage page) {
    return page.offset() >>> AnnouncedPage.BITS >>> frameBits;
  }

  private AnnouncedPage[] made() {
    AnnouncedPage[] all = pages;
    if (all != null) {
      return all;
    }
    lock.lock();
    try {
      if (pages == null) {
        pages = make();
      }
      return pages;
    } catch (NoNativeMemoryError e) {
      // It is not asked for again. Meanwhile blocks are read.
      pages = NONE;
      QuietLog.log(
          LOGGER,
          Level.WARNING,
          e,
          () ->
              "There is no memory for "
                  + (size << AnnouncedPage.BITS >> 10)
                  + " KiB of announced pages; this cache reads blocks of what is announced from now"
                  + " on. Leave more memory to the process outside the heap");
      return NONE;
    } finally {
      lock.unlock();
    }
  }

  private AnnouncedPage[] make() {
    AnnouncedPage[] all = new AnnouncedPage[size];
    Chunk chunk = new Chunk(memory.allocate(size << AnnouncedPage.BITS));
    for (int i = 0; i < size; i++) {
      FillSignal signal = signals[i & (signals.length - 1)];
      all[i] = new AnnouncedPage(chunk, i << AnnouncedPage.BITS, signal);
    }
    return all;
  }

  /** Calls {@link AnnouncedPage#end} for all pages. */
  void end(CachedFile file, boolean isKept) {
    AnnouncedPage[] all = pages;
    for (int i = 0; all != null && i < all.length; i++) {
      all[i].end(file, isKept);
    }
  }

  /**
   * Forgets all pages, and gives their memory back. The device has done with it, but for pages of
   * which nobody knows when it will: then all memory stays.
   */
  void close() {
    AnnouncedPage[] all;
    lock.lock();
    try {
      all = pages;
      pages = NONE;
    } finally {
      lock.unlock();
    }
    boolean isOurs = all != null && all.length > 0;
    for (int i = 0; all != null && i < all.length; i++) {
      // Nobody else has it from now on: the next page that is in it would be in no memory.
      isOurs &= all[i].tryTake();
    }
    if (isOurs) {
      memory.discard(all[0].chunk().bytes());
    }
  }
}
