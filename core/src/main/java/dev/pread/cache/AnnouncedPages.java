/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.PlatformThreads;
import dev.pread.posix.ReadableFile;
import java.io.Closeable;
import java.util.function.BooleanSupplier;

/**
 * Pages of files that somebody has announced to read, of blocks that a full cache leaves out: the
 * device reads the pages alone, beside the cache, and whoever wants them finds them here.
 *
 * <p>A page belongs to nobody. It has a version as a slot has ({@link Guard}), and its memory is
 * taken for the next page that is announced: first that of pages that have been used, in turn; a
 * long announcement takes one frame after another, used or not ({@link PageFrames}). So there is
 * nothing to release, and what is announced and never read costs no block its place.
 *
 * <p>It is thread-safe.
 */
final class AnnouncedPages implements Closeable {

  /**
   * The fewest bytes that are worth a page alone. Shorter announcements say where a read begins and
   * not how long it is: Lucene announces postings and terms by one byte.
   */
  static final int MIN_BYTES = 256;

  /** The most pages of an announcement. A chunk of stored fields has from four to ten. */
  private static final int MAX_TOGETHER = 16;

  private final PageFrames frames;

  AnnouncedPages(PageFrames frames) {
    this.frames = frames;
  }

  /**
   * Returns whether a range is small enough to be read by pages, and the source can do so. One
   * whole block is none, since it is one piece of memory anyway; nor are blocks of a page or less.
   */
  boolean isFor(long position, long bytes, int blockSize, ReadableFile source) {
    long last = position + bytes - 1;
    long wanted = (last >>> AnnouncedPage.BITS) - (position >>> AnnouncedPage.BITS) + 1;
    long blocks = last / blockSize - position / blockSize + 1;
    int alignment = source.alignment();
    return wanted <= MAX_TOGETHER
        && blockSize > AnnouncedPage.SIZE
        && (blocks > 1 || wanted << AnnouncedPage.BITS < blockSize)
        // No queue reads through the page cache.
        && alignment > 1
        && alignment <= AnnouncedPage.SIZE
        && frames.mayHavePages();
  }

  /**
   * Returns what has the pages of a range read, from the first that is not here yet to the last
   * one, or null if all are.
   */
  FillQueue.Request request(CachedFile file, long position, long bytes, ReadableFile source) {
    long first = position >>> AnnouncedPage.BITS;
    long end = ((position + bytes - 1) >>> AnnouncedPage.BITS) + 1;
    while (first < end && has(file, first)) {
      first++;
    }
    // The first one is not here.
    while (first < end - 1 && has(file, end - 1)) {
      end--;
    }
    return first == end ? null : new PageRead(frames, file, source, first, (int) (end - first));
  }

  /** Returns whether a page is there, or is being read. */
  boolean has(CachedFile file, long number) {
    return frames.find(file, number) != null;
  }

  /**
   * Returns a page that has been announced, and waits until the device has read it. If it returns
   * one, that is counted as a hit or as a miss.
   *
   * @return what had the page a moment ago, or null if the caller has to read for itself
   */
  AnnouncedPage await(CachedFile file, long number) {
    AnnouncedPage page = frames.find(file, number);
    if (page == null) {
      return null;
    }
    // The version comes first: what reads the page now reads it under that version, or a later one.
    long version = page.acquire();
    PageRead read = page.read();
    boolean isLate = !Guard.isStable(version);
    if (isLate && read != null) {
      StackReserve.ensure();
      // The device may have read it, and nobody has noticed.
      read.reader().flush();
      isLate = !page.hasChangedFrom(version);
    }
    if (isLate && !awaitEnd(read, page, version, file, number)) {
      return null;
    }
    if (!page.isIn(page.acquire(), file, number)) {
      return null;
    }
    if (isLate) {
      file.cache().counters().countMiss();
      file.cache().counters().count(Counter.WAITS);
      file.cache().counters().count(Counter.PREFETCHES_LATE);
    } else {
      boolean isSample = file.cache().counters().countHit();
      if (isSample) {
        file.cache().lookOut();
      }
    }
    return page;
  }

  /**
   * Waits for a page's read to end, and returns whether it has, or the page is another one's by
   * now.
   *
   * @param read may be null, if it has just ended
   */
  private static boolean awaitEnd(
      PageRead read, AnnouncedPage page, long version, CachedFile file, long number) {
    BooleanSupplier isOver =
        () -> page.hasChangedFrom(version) || !page.is(file, number) || file.isGone();
    if (read == null) {
      // Another thread is about to give it away.
      return page.signal().await(isOver, FillQueue.LOOK_NANOS);
    }
    if (PlatformThreads.areNeeded()) {
      return PlatformThreads.make(() -> awaitEnd(read, page, version, file, number));
    }
    file.cache().lookOut();
    boolean hasEnded = read.reader().await(page.signal(), isOver, file.cache().maxWaitNanos());
    if (!hasEnded) {
      file.cache().counters().count(Counter.WAIT_TIMEOUTS);
      // Whoever comes next for a page of this read reads the block and waits no more.
      read.giveUp();
    }
    return hasEnded;
  }

  // ---- the end ----

  /**
   * Makes all who read pages of that file look again. A page in motion is left to its reader.
   *
   * @param isClosed whether nobody has the file open any more: its pages are free then; otherwise
   *     they are found again
   */
  void closing(CachedFile file, boolean isClosed) {
    if (file.mayHavePages()) {
      frames.end(file, !isClosed);
    }
  }

  /** Forgets all pages, and gives their memory back. Nothing is read any more. */
  @Override
  public void close() {
    frames.close();
  }
}
