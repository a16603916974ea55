/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.IoVector;
import dev.pread.posix.QueuedRead;
import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Pages of files that somebody has announced to read, of blocks that a full cache leaves out: the
 * device reads the pages alone, beside the cache, and whoever wants them finds them here.
 *
 * <p>A page belongs to nobody. It has a version as a slot has ({@link Guard}), and its memory is
 * taken for the next page that is announced: first that of pages that have been read, in turn; a
 * long announcement takes one frame after another, read or not. So there is nothing to release, and
 * what is announced and never read costs no block its place. While the device reads into a page,
 * the page is in motion, and nobody takes it.
 *
 * <p>A page is looked for in the few places that a hash selects. It is known by its {@link
 * CachedFile}, which stands for one file while that is open, and for no other after that.
 *
 * <p>Pages that follow each other in a file lie side by side as far as there is room, in a frame. A
 * device gets a read as so many pieces as its memory has, and each piece costs it ({@code
 * docs/results/queue.md}). Side by side is one piece in a huge page, which the memory has where the
 * system grants them.
 *
 * <p>It is thread-safe, and takes a lock only to get its memory and to give it back.
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
  static final int MIN_BYTES = 256;

  /** The most pages of an announcement. A chunk of stored fields has from four to ten. */
  private static final int MAX_TOGETHER = 16;

  /**
   * The most pages of an announcement that leaves alone what others have announced. Three hold a
   * vector of 2,048 floats. A longer one is seldom read to its end: Lucene announces a whole chunk
   * of stored fields for one of its documents. What is left of it must not stay for good.
   */
  private static final int MAX_SPARING = 3;

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

  private static final Page[] NONE = {};

  private static final Logger LOGGER = System.getLogger(AnnouncedPages.class.getName());

  private final MemorySource memory;
  private final CacheCounters counters;
  private final CacheEvents events;
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
  private volatile Page[] pages;

  /**
   * Creates pages that take no memory yet.
   *
   * @param size how many pages there are, from {@link #sizeFor}
   * @param signals what threads wait for
   */
  AnnouncedPages(
      int size,
      MemorySource memory,
      CacheCounters counters,
      CacheEvents events,
      FillSignal[] signals) {
    this.memory = memory;
    this.counters = counters;
    this.events = events;
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
    return (int)
        Long.highestOneBit(Math.clamp(bytes / CACHE_DIVISOR / PAGE_SIZE, MIN_PAGES, MAX_PAGES));
  }

  /** A page of a file, or memory for one. */
  public static final class Page extends Guard {

    private final Chunk chunk;
    private final int offset;
    private final FillSignal signal;

    /** The file that the page is of; written by the thread that has taken it. */
    private CachedFile owner;

    /** The number of the page in the file, written and read as {@link #owner} is. */
    private long number;

    /** The queue that reads it. A thread that waits looks again and again whether it still does. */
    private FillQueue reader;

    /** Whether somebody has read it. It is plain: a page that is taken too early is read again. */
    private boolean isUsed;

    /**
     * The version under which it is not found, since its read takes too long. When that ends after
     * all, the version changes. A thread that writes this late gives up what has been given up.
     */
    private volatile long givenUp = -1;

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

    /** Returns the number of its frame, counted through all sets. */
    private int frame(int frameBits) {
      return offset >>> PAGE_BITS >>> frameBits;
    }

    /** Notes that somebody reads it. */
    public void touch() {
      if (!isUsed) {
        isUsed = true;
      }
    }

    private void become(CachedFile file, long page, FillQueue by) {
      owner = file;
      number = page;
      reader = by;
      isUsed = false;
    }

    /** Ends the motion: everybody can see that it has the page, or is free if that is not so. */
    private void endMotion(CachedFile file, boolean isRead) {
      if (!isRead) {
        owner = null;
      }
      publish();
      if (file.isClosed()) {
        // The close has left it alone while it was in motion.
        drop(file);
      }
      signal.signal();
    }

    /** Makes its readers look again, if it is of that file and not in motion. They find it. */
    private void invalidate(CachedFile file) {
      if (tryTakeFrom(file)) {
        endMotion(file, true);
      }
    }

    /** Frees it if it is of that file, unless somebody else does. */
    private void drop(CachedFile file) {
      if (tryTakeFrom(file)) {
        owner = null;
        publish();
      }
    }

    private boolean tryTakeFrom(CachedFile file) {
      long version = (long) VERSION.getVolatile(this);
      return Guard.isStable(version) && owner == file && tryTake(version);
    }
  }

  // ---- announcing ----

  /**
   * Returns whether a range is small enough to be read by pages, and the source can do so. One
   * whole block is none, since it is one piece of memory anyway; nor are blocks of a page or less.
   */
  boolean isFor(long position, long bytes, int blockSize, ReadableFile source) {
    Page[] all = pages;
    long last = position + bytes - 1;
    long wanted = (last >>> PAGE_BITS) - (position >>> PAGE_BITS) + 1;
    long blocks = last / blockSize - position / blockSize + 1;
    return wanted <= MAX_TOGETHER
        && blockSize > PAGE_SIZE
        && (blocks > 1 || wanted << PAGE_BITS < blockSize)
        && source.alignment() <= PAGE_SIZE
        && (all == null || all.length > 0);
  }

  /**
   * Returns what has the pages of a range read, from the first that is not here yet to the last
   * one, or null if all are.
   */
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

  /** One read into pages that follow each other in the file. */
  private final class Announced implements FillQueue.Request {

    private final CachedFile file;
    private final ReadableFile source;
    private final long first;
    private final Page[] claimed;

    /** How many of the pages have been claimed, from the first one on. */
    private int end;

    Announced(CachedFile file, ReadableFile source, long first, int count) {
      this.file = file;
      this.source = source;
      this.first = first;
      this.claimed = new Page[count];
    }

    @Override
    public FillQueue.Outcome begin(FillQueue by, ReadQueue queue) {
      Queued read = null;
      try {
        while (end < claimed.length && claimNext(by)) {
          end++;
        }
        if (end == 0) {
          return FillQueue.Outcome.NO_ROOM;
        }
        read = new Queued(source.vectors().take());
        // This comes first, since the read may have ended by the time the offer returns.
        counters.prefetchIssued();
        for (int i = 0; i < end; i++) {
          read.memory().add(claimed[i].chunk.bytes(), claimed[i].offset, PAGE_SIZE);
        }
        return source.offer(queue, read, first << PAGE_BITS)
            ? FillQueue.Outcome.DONE
            : FillQueue.Outcome.REFUSED;
      } finally {
        if (read == null || !read.isAccepted()) {
          try {
            settle(0, false);
          } finally {
            if (read != null) {
              counters.prefetchRefused();
              source.vectors().give(read.memory());
            }
          }
        }
      }
    }

    private boolean claimNext(FillQueue by) {
      boolean isSparing = claimed.length <= MAX_SPARING;
      Page before = end == 0 ? null : claimed[end - 1];
      Page page = claim(file, first + end, before, isSparing);
      if (page == null && reapFor(file, first + end)) {
        page = claim(file, first + end, before, isSparing);
      }
      claimed[end] = page;
      if (page != null) {
        page.become(file, first + end, by);
      }
      return page != null;
    }

    /** Gives away the pages from that one on, even if one of them throws. */
    private void settle(int from, boolean isRead) {
      int next = from;
      try {
        while (next < claimed.length) {
          Page page = claimed[next];
          claimed[next++] = null;
          if (page != null) {
            page.endMotion(file, isRead);
          }
        }
      } finally {
        if (next < claimed.length) {
          settle(next, isRead);
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
        long bytes = Math.min((long) end << PAGE_BITS, file.length() - position);
        boolean isRead = result >= bytes;
        try {
          settle(0, isRead);
        } finally {
          source.vectors().give(memory());
        }
        if (isRead) {
          counters.prefetched(0, bytes);
          events.readEnds(event, file, (int) (position >>> file.cache().blockBits()), bytes);
        } else {
          counters.prefetchDropped();
        }
      }
    }
  }

  /**
   * Takes a page's memory for another one: if it can be had the memory behind {@code before}, so
   * that both are one piece.
   *
   * @param before what has been taken for the page before it, or null
   * @param isSparing whether it leaves alone what has been announced and not been read, while there
   *     is anything else; otherwise it takes one frame after the other
   * @return null if the device reads into all of it
   */
  private Page claim(CachedFile file, long number, Page before, boolean isSparing) {
    Page[] all = made();
    if (all.length == 0) {
      return null;
    }
    int first = firstPlace(file, number);
    boolean goesOn = before != null && (number & frameMask) != 0;
    int turn = goesOn ? before.frame(frameBits) : turns[set(file, number)]++;
    for (int i = isSparing ? 0 : PLACES; i < 2 * PLACES; i++) {
      Page page = all[first + (((turn + i) & (PLACES - 1)) << frameBits)];
      boolean isSpared = i < PLACES && page.owner != null && !page.isUsed;
      if (!isSpared && page.tryTake(page.acquire())) {
        return page;
      }
    }
    return null;
  }

  /**
   * Ends what the device has done of the reads into the places of a page: whoever asked for them
   * may never come for them. Returns whether there are places at all.
   */
  private boolean reapFor(CachedFile file, long number) {
    Page[] all = made();
    if (all.length == 0) {
      return false;
    }
    FillQueue last = null;
    int first = firstPlace(file, number);
    for (int i = 0; i < PLACES; i++) {
      Page page = all[first + (i << frameBits)];
      FillQueue reader = page.reader;
      if (reader != null && !reader.equals(last) && !Guard.isStable(page.acquire())) {
        reader.flush();
        last = reader;
      }
    }
    return true;
  }

  /** Returns which set of frames a page may be in. */
  int set(CachedFile file, long number) {
    return (int) (file.hash((int) (number >>> frameBits)) >>> 32) & (turns.length - 1);
  }

  /** Returns where a page is in the first frame of its set. */
  private int firstPlace(CachedFile file, long number) {
    return ((set(file, number) * PLACES) << frameBits) + (int) (number & frameMask);
  }

  private Page[] made() {
    Page[] all = pages;
    if (all != null) {
      return all;
    }
    lock.lock();
    try {
      if (pages == null) {
        // Should there be no memory, it is not asked for again. Meanwhile blocks are read.
        pages = NONE;
        pages = make();
      }
      return pages;
    } catch (OutOfMemoryError e) {
      LOGGER.log(
          Level.WARNING,
          "There is no memory for "
              + (size << PAGE_BITS >> 10)
              + " KiB of announced pages; this cache reads blocks of "
              + "what is announced from now on. Leave more memory to the process outside the heap",
          e);
      return NONE;
    } finally {
      lock.unlock();
    }
  }

  private Page[] make() {
    Chunk chunk = new Chunk(memory.allocate(size << PAGE_BITS));
    Page[] all = new Page[size];
    for (int i = 0; i < size; i++) {
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
    int first = firstPlace(file, number);
    for (int i = 0; i < PLACES; i++) {
      Page page = all[first + (i << frameBits)];
      if (page.owner == file && page.number == number && page.givenUp != page.version) {
        return page;
      }
    }
    return null;
  }

  /** Returns whether a page is there, or is being read. */
  boolean has(CachedFile file, long number) {
    return find(file, number) != null;
  }

  /**
   * Returns a page that has been announced, and waits until the device has read it. If it returns
   * one, that is counted as a hit or as a miss.
   *
   * @return what had the page a moment ago, or null if the caller has to read for itself
   */
  Page await(CachedFile file, long number) {
    Page page = find(file, number);
    if (page == null) {
      return null;
    }
    FillQueue reader = page.reader;
    if (!Guard.isStable(page.acquire()) && reader != null) {
      StackReserve.ensure();
      // The device may have read it, and nobody has noticed.
      reader.flush();
    }
    long version = page.acquire();
    boolean isLate = !Guard.isStable(version);
    if (isLate && (reader == null || !wait(page, version, reader, file))) {
      return null;
    }
    if (!page.isIn(page.acquire(), file, number)) {
      return null;
    }
    if (isLate) {
      counters.countMiss();
      counters.waited();
      counters.prefetchWasLate();
    } else {
      boolean isSample = counters.countHit();
      if (isSample) {
        file.cache().lookOut();
      }
    }
    return page;
  }

  private boolean wait(Page page, long version, FillQueue reader, CachedFile file) {
    file.cache().lookOut();
    // Should the page be another queue's by now, this thread would wait at the wrong one.
    boolean hasEnded =
        reader.await(
            page.signal,
            () -> page.hasChangedFrom(version) || file.isGone() || page.reader != reader,
            file.cache().maxWaitNanos());
    if (!hasEnded) {
      counters.waitTimedOut();
      // Its memory stays the device's, but whoever comes next reads the block and waits no more.
      page.givenUp = version;
    }
    return hasEnded;
  }

  // ---- the end ----

  /** Makes all who read pages of that file look again, and find them. */
  void invalidate(CachedFile file) {
    Page[] all = pages;
    for (int i = 0; all != null && i < all.length; i++) {
      all[i].invalidate(file);
    }
  }

  /** Frees the pages of a closed file. A page in motion is left to its reader. */
  void drop(CachedFile file) {
    Page[] all = pages;
    for (int i = 0; all != null && i < all.length; i++) {
      all[i].drop(file);
    }
  }

  /**
   * Forgets all pages, and gives their memory back. The device has done with it, but for pages of
   * which nobody knows when it will: then all memory stays.
   */
  void close() {
    Page[] all;
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
      isOurs &= all[i].tryTake((long) Guard.VERSION.getVolatile(all[i]));
    }
    if (isOurs) {
      memory.discard(all[0].chunk.bytes());
    }
  }
}
