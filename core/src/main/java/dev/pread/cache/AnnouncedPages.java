/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.IoVector;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Pages of files that somebody has announced to read, of blocks that a full cache leaves out: the
 * device reads the pages alone, beside the cache, and whoever wants them finds them here.
 *
 * <p>A page belongs to nobody. It has a version as a slot has ({@link Guard}), and its memory is
 * taken for the next page that is announced: first that of pages that have been read, in turn. So
 * there is nothing to release, and what is announced and never read costs no block its place. While
 * the device reads into a page, the page is in motion, and nobody takes it.
 *
 * <p>A page is looked for in the few places that its hash selects. It is known by its {@link
 * CachedFile}, which stands for one file while that is open, and for no other after that.
 *
 * <p>It is thread-safe, and takes a lock only to be made.
 */
public final class AnnouncedPages {

  /** The binary logarithm of the size of a page, which is what a device reads fastest. */
  public static final int PAGE_BITS = 12;

  /** The size of a page in bytes. */
  public static final int PAGE_SIZE = 1 << PAGE_BITS;

  /**
   * The fewest bytes that are worth a page alone. Shorter announcements say where a read begins and
   * not how long it is: Lucene announces postings and terms by one byte.
   */
  private static final int MIN_BYTES = 256;

  /** The most pages of an announcement. Two hold a vector or a document that does not fit one. */
  private static final int MAX_TOGETHER = 2;

  /** The most pages there are: 8 MiB, a batch for each of many threads. */
  static final int MAX_PAGES = 2048;

  private static final int MIN_PAGES = 64;

  /** How much smaller than the cache all pages together are at least. */
  private static final int PART = 64;

  /** In how many places a page may be. */
  static final int PLACES = 8;

  private static final Page[] NONE = {};

  private final MemorySource memory;
  private final CacheCounters counters;
  private final CacheEvents events;
  private final FillSignal[] signals;
  private final int count;
  private final ReentrantLock lock = new ReentrantLock();

  /** Which place of each set is the next to be taken. A turn that is lost does no harm. */
  private final byte[] turns;

  /** The pages, null before the first is wanted, {@link #NONE} if there are none. */
  private volatile Page[] pages;

  /**
   * Creates pages that take no memory yet.
   *
   * @param count how many pages there are, from {@link #countFor}
   * @param signals what threads wait for
   */
  AnnouncedPages(
      int count,
      MemorySource memory,
      CacheCounters counters,
      CacheEvents events,
      FillSignal[] signals) {
    this.memory = memory;
    this.counters = counters;
    this.events = events;
    this.signals = signals;
    this.count = count;
    this.turns = new byte[count / PLACES];
  }

  /** Returns how many pages go with a cache of so many bytes. */
  static int countFor(long bytes) {
    return (int) Long.highestOneBit(Math.clamp(bytes / PART / PAGE_SIZE, MIN_PAGES, MAX_PAGES));
  }

  /** A page of a file, or memory for one. */
  public static final class Page extends Guard {

    private final Chunk chunk;
    private final int offset;
    private final FillSignal signal;

    /** The file that the page is of; written by the thread that has taken it. */
    private CachedFile owner;

    /** Which page of the file it is, written and read as {@link #owner} is. */
    private long number;

    /** The queue that reads it. A thread that waits looks again and again whether it still does. */
    private FillQueue reader;

    /** Whether somebody has read it. It is plain: a page that is taken too early is read again. */
    private boolean isUsed;

    private Page(Chunk chunk, int offset, FillSignal signal) {
      super(true);
      this.chunk = chunk;
      this.offset = offset;
      this.signal = signal;
    }

    /** Returns the chunk it lies in. */
    public Chunk chunk() {
      return chunk;
    }

    /** Returns where in its chunk it begins. */
    public int offset() {
      return offset;
    }

    /**
     * Returns whether it had that page of the file under {@code version}. The caller checks the
     * version.
     */
    public boolean isIn(long version, CachedFile file, long page) {
      return Guard.isStable(version) && owner == file && number == page;
    }

    /** Notes that somebody reads it. */
    public void touch() {
      if (!isUsed) {
        isUsed = true;
      }
    }

    private void take(CachedFile file, long page, FillQueue by) {
      owner = file;
      number = page;
      reader = by;
      isUsed = false;
    }

    /** Ends the motion: everybody can see that it has the page, or is free if that is not so. */
    private void settle(CachedFile file, boolean isRead) {
      if (!isRead) {
        owner = null;
      }
      publish();
      signal.signal();
      if (file.isClosed()) {
        // The close has left it alone while it was in motion.
        drop(file);
      }
    }

    /** Frees it if it is of that file, unless somebody else does. */
    private void drop(CachedFile file) {
      long version = (long) VERSION.getVolatile(this);
      if (Guard.isStable(version) && owner == file && tryTake(version)) {
        owner = null;
        publish();
      }
    }
  }

  // ---- announcing ----

  /** Returns whether a range is small enough to be read by pages. */
  boolean isFor(long position, long bytes, int blockSize) {
    Page[] all = pages;
    long wanted = ((position + bytes - 1) >>> PAGE_BITS) - (position >>> PAGE_BITS) + 1;
    return bytes >= MIN_BYTES
        && wanted <= MAX_TOGETHER
        && wanted << PAGE_BITS < blockSize
        && (all == null || all.length > 0);
  }

  /** Returns what has the pages of a range read that are not here yet, or null if all are. */
  FillQueue.Request request(CachedFile file, long position, long bytes, ReadableFile source) {
    long first = position >>> PAGE_BITS;
    long end = ((position + bytes - 1) >>> PAGE_BITS) + 1;
    while (first < end && find(file, first) != null) {
      first++;
    }
    while (first < end && find(file, end - 1) != null) {
      end--;
    }
    return first == end ? null : new Announced(file, source, first, (int) (end - first));
  }

  /** One read into one page or two that follow each other. */
  private final class Announced implements FillQueue.Request {

    private final CachedFile file;
    private final ReadableFile source;
    private final long first;
    private final Page[] taken;
    private int count;

    Announced(CachedFile file, ReadableFile source, long first, int count) {
      this.file = file;
      this.source = source;
      this.first = first;
      this.taken = new Page[count];
    }

    @Override
    public boolean begin(FillQueue by, ReadQueue queue) {
      Queued read = null;
      try {
        while (count < taken.length && take(by)) {
          count++;
        }
        if (count == 0) {
          return true;
        }
        read = new Queued(source.vectors().take());
        for (int i = 0; i < count; i++) {
          read.memory().add(taken[i].chunk.bytes(), taken[i].offset, PAGE_SIZE);
        }
        return source.offer(queue, read, first << PAGE_BITS);
      } finally {
        if (read == null || !read.isAccepted()) {
          settle(false);
          if (read != null) {
            source.vectors().give(read.memory());
          }
        }
      }
    }

    @Override
    public boolean gaveUp() {
      return count == 0;
    }

    private boolean take(FillQueue by) {
      taken[count] = AnnouncedPages.this.take(file, first + count);
      if (taken[count] == null) {
        return false;
      }
      taken[count].take(file, first + count, by);
      return true;
    }

    /** Gives all pages away, whatever is thrown in between. */
    private void settle(boolean isRead) {
      for (int i = 0; i < taken.length; i++) {
        Page page = taken[i];
        taken[i] = null;
        if (page != null) {
          page.settle(file, isRead);
        }
      }
    }

    private final class Queued extends QueuedRead {

      private final Object event = events.readBegins();

      Queued(IoVector memory) {
        super(memory);
      }

      /** Who wants a page that could not be read meets the error when they read it themselves. */
      @Override
      protected void ended(long result) {
        long position = first << PAGE_BITS;
        long bytes = Math.min((long) count << PAGE_BITS, file.length() - position);
        boolean isRead = result >= bytes;
        try {
          settle(isRead);
        } finally {
          source.vectors().give(memory());
        }
        if (isRead) {
          counters.prefetched(0, bytes);
          events.readEnds(event, file, (int) (position >>> file.cache().blockBits()), bytes);
        }
      }
    }
  }

  /** Takes a page's memory for another one, or returns null if the device reads into all of it. */
  private Page take(CachedFile file, long number) {
    Page[] all = made();
    if (all.length == 0) {
      return null;
    }
    int set = set(file, number);
    int turn = turns[set]++;
    for (int i = 0; i < 2 * PLACES; i++) {
      Page page = all[set * PLACES + ((turn + i) & (PLACES - 1))];
      boolean isWanted = i < PLACES && page.owner != null && !page.isUsed;
      if (!isWanted && page.tryTake(page.acquire())) {
        return page;
      }
    }
    return null;
  }

  private int set(CachedFile file, long number) {
    return (int) (file.hash((int) number) >>> 32) & (turns.length - 1);
  }

  private Page[] made() {
    Page[] all = pages;
    if (all != null) {
      return all;
    }
    lock.lock();
    try {
      if (pages == null) {
        // Should there be no memory, it is not asked for again.
        pages = NONE;
        pages = make();
      }
      return pages;
    } finally {
      lock.unlock();
    }
  }

  private Page[] make() {
    ByteBuffer bytes = memory.allocate(count << PAGE_BITS);
    Chunk chunk = new Chunk(bytes);
    Page[] all = new Page[count];
    for (int i = 0; i < count; i++) {
      all[i] = new Page(chunk, i << PAGE_BITS, signals[i & (signals.length - 1)]);
    }
    return all;
  }

  // ---- reading ----

  private Page find(CachedFile file, long number) {
    Page[] all = pages;
    if (all == null || all.length == 0) {
      return null;
    }
    int start = set(file, number) * PLACES;
    for (int i = start; i < start + PLACES; i++) {
      if (all[i].owner == file && all[i].number == number) {
        return all[i];
      }
    }
    return null;
  }

  /**
   * Returns a page that has been announced, and waits until the device has read it.
   *
   * @return what had the page a moment ago, or null if the caller has to read for itself
   */
  Page await(CachedFile file, long number) {
    Page page = find(file, number);
    if (page == null) {
      return null;
    }
    StackReserve.ensure();
    FillQueue reader = page.reader;
    if (!Guard.isStable(page.acquire()) && reader != null) {
      // The device may have read it, and nobody has noticed.
      reader.flush();
    }
    long version = page.acquire();
    if (Guard.isStable(version)) {
      boolean ignored = counters.hit();
    } else if (reader == null || !wait(page, version, reader, file)) {
      return null;
    }
    return page.isIn(page.acquire(), file, number) ? page : null;
  }

  private boolean wait(Page page, long version, FillQueue reader, CachedFile file) {
    counters.missed();
    counters.waited();
    counters.prefetchWasLate();
    // Should the page be another queue's by now, this thread would wait at the wrong one.
    boolean hasEnded =
        reader.await(
            page,
            page.signal,
            version,
            () -> file.isGone() || page.reader != reader,
            file.cache().maxWaitNanos());
    if (!hasEnded) {
      counters.waitTimedOut();
    }
    return hasEnded;
  }

  // ---- the end ----

  /** Makes all who read pages of that file look again. A page in motion is left to its reader. */
  void drop(CachedFile file) {
    Page[] all = pages;
    for (int i = 0; all != null && i < all.length; i++) {
      all[i].drop(file);
    }
  }

  /** Forgets all pages. The device has done with them, but for those that it never will. */
  void close() {
    Page[] all;
    lock.lock();
    try {
      all = pages;
      pages = NONE;
    } finally {
      lock.unlock();
    }
    for (int i = 0; all != null && i < all.length; i++) {
      Page page = all[i];
      if (page.owner != null) {
        page.drop(page.owner);
      }
    }
  }
}
