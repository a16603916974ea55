/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.IoVector;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;

/**
 * One read by a queue into announced pages that follow each other in a file.
 *
 * <p>Until it has ended, the pages are in motion. They are given away whatever is thrown: a page
 * that stayed in motion would hold up all who want it.
 */
final class PageRead implements FillQueue.Request {

  /**
   * The most pages of an announcement that leaves alone what others have announced. Three hold a
   * vector of 2,048 floats. A longer one is seldom read to its end: Lucene announces a whole chunk
   * of stored fields for one of its documents. What is left of it must not stay for good.
   */
  private static final int MAX_SPARING = 3;

  private final PageFrames frames;
  private final CachedFile file;
  private final ReadableFile source;

  /** The number of the first page in the file. */
  private final long first;

  /** The pages that are this object's alone, from the first one on. */
  private final AnnouncedPage[] claimed;

  /** How many pages have been claimed. */
  private int end;

  /** How many of them have been given away. */
  private int settled;

  /** The queue that reads. It is set before any page is claimed. */
  private FillQueue reader;

  /** Whether somebody has waited too long for it. When it ends after all, its pages are found. */
  private volatile boolean isGivenUp;

  PageRead(PageFrames frames, CachedFile file, ReadableFile source, long first, int count) {
    this.frames = frames;
    this.file = file;
    this.source = source;
    this.first = first;
    this.claimed = new AnnouncedPage[count];
  }

  /** Returns the queue that reads. */
  FillQueue reader() {
    return reader;
  }

  boolean isGivenUp() {
    return isGivenUp;
  }

  /** Has nobody wait for it any more. Its memory stays the device's. */
  void giveUp() {
    isGivenUp = true;
  }

  @Override
  public FillQueue.Outcome begin(FillQueue by, ReadQueue queue) {
    reader = by;
    file.expectPages();
    Queued read = null;
    try {
      while (end < claimed.length && claimNext()) {
        end++;
      }
      if (end == 0) {
        return FillQueue.Outcome.NO_ROOM;
      }
      read = new Queued(source.vectors().take());
      // This comes first, since the read may have ended by the time the offer returns.
      counters().count(Counter.PREFETCHES_ISSUED);
      for (int i = 0; i < end; i++) {
        read.memory().add(claimed[i].chunk().bytes(), claimed[i].offset(), AnnouncedPage.SIZE);
      }
      return source.offer(queue, read, position())
          ? FillQueue.Outcome.DONE
          : FillQueue.Outcome.REFUSED;
    } finally {
      if (read == null || !read.isAccepted()) {
        try {
          settle(false);
        } finally {
          if (read != null) {
            counters().takeBack(Counter.PREFETCHES_ISSUED);
            source.vectors().give(read.memory());
          }
        }
      }
    }
  }

  private CacheCounters counters() {
    return file.cache().counters();
  }

  private long position() {
    return first << AnnouncedPage.BITS;
  }

  private boolean claimNext() {
    boolean isSparing = claimed.length <= MAX_SPARING;
    AnnouncedPage before = end == 0 ? null : claimed[end - 1];
    AnnouncedPage page = frames.claim(file, first + end, before, isSparing);
    if (page == null && frames.mayHavePages()) {
      // The device may have done with some, and whoever asked for them may never come for them.
      file.cache().queues().flush();
      page = frames.claim(file, first + end, before, isSparing);
    }
    claimed[end] = page;
    if (page != null) {
      page.become(file, first + end, this);
    }
    return page != null;
  }

  /** Gives away the pages that have not been given away, even if one of them throws. */
  private void settle(boolean isRead) {
    try {
      while (settled < claimed.length) {
        AnnouncedPage page = claimed[settled];
        // The page is no longer ours, whatever happens.
        settled++;
        if (page != null) {
          page.endMotion(file, isRead);
        }
      }
    } finally {
      if (settled < claimed.length) {
        settle(isRead);
      }
    }
  }

  /** The read of the queue. */
  private final class Queued extends QueuedRead {

    private final Object event = file.cache().events().readBegins();

    Queued(IoVector memory) {
      super(memory);
    }

    /** Who wants a page that could not be read meets the error when they read it themselves. */
    @Override
    protected void ended(long result) {
      long bytes = Math.min((long) end << AnnouncedPage.BITS, file.length() - position());
      boolean isRead = result >= bytes;
      try {
        if (isRead) {
          counters().count(Counter.PREFETCHES);
          counters().read(0, bytes);
        } else {
          counters().count(Counter.PREFETCHES_DROPPED);
        }
        settle(isRead);
      } finally {
        source.vectors().give(memory());
      }
      if (isRead) {
        file.cache().events().readEnds(event, file, file.block(position()), bytes);
      }
    }
  }
}
