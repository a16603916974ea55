/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reads what a reader has said it is going to want, while the reader goes on: blocks into slots, or
 * pages beside them ({@link AnnouncedPages}), which only queues can. Many that are asked for one
 * after the other are read at the same time, which is what devices are fast at. Nothing waits for a
 * prefetch, and nobody is told when one fails: the reader that wants the block meets the failure
 * itself.
 *
 * <p><b>By queues</b> ({@link FillQueues}), where the system has them and the cache wants them.
 *
 * <p><b>By threads</b> otherwise, and blocks also when a queue is full: at most {@value #THREADS}
 * for all files of a cache. They are made when there is something to read, and end a moment after
 * there is nothing more. Up to {@value #MAX_BACKLOG} more requests wait their turn, which keeps the
 * device busy without waking a thread for each; what is asked for beyond that is forgotten, as
 * advice may be.
 *
 * <p>It is thread-safe.
 */
final class Prefetcher {

  /**
   * How many reads a device is given at a time: as many as an NVMe or a network disk needs to reach
   * its full rate.
   */
  private static final int THREADS = 16;

  /**
   * How many requests may wait for a thread. That is room for a few batches: a block that would
   * have to wait longer is read by the reader that wants it.
   */
  private static final int MAX_BACKLOG = 128;

  /**
   * A time that is long enough for the next query's batch, and too short to be noticed when all is
   * over.
   */
  private static final long IDLE_MILLIS = 200;

  private final ThreadPoolExecutor pool;
  private final CacheCounters counters;
  private final FillQueues queues;

  /**
   * Creates it.
   *
   * @param queues what reads where there is one of them
   * @param threads makes the threads that read where there is none
   */
  Prefetcher(CacheCounters counters, FillQueues queues, ThreadFactory threads) {
    this.counters = counters;
    this.queues = queues;
    this.pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new ArrayBlockingQueue<>(MAX_BACKLOG),
            threads,
            this::forget);
    pool.allowCoreThreadTimeOut(true);
  }

  /** Drops work, as advice may be dropped, and tells the file of a completion that it is over. */
  private void forget(Runnable work, ThreadPoolExecutor pool) {
    if (work instanceof Completion completion) {
      completion.extents().completed();
    } else {
      counters.count(Counter.PREFETCHES_DROPPED);
    }
  }

  /** Brings in more of a file that is read a lot. */
  private record Completion(Extents extents, int block, ReadableFile source) implements Runnable {

    @Override
    public void run() {
      try {
        boolean ignored = extents.complete(block, source);
      } catch (OutOfMemoryError noMemory) {
        // It was worth a try. An error that leaves this thread would end some servers.
      } finally {
        extents.completed();
      }
    }
  }

  static Thread newThread(Runnable work) {
    // The thread takes neither its locals nor its class loader from whoever happens to ask first.
    // Under a security manager it may do what that caller may, which is enough to read.
    Thread thread = new Thread(null, work, "lucene-pread-prefetch", 0, false);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Implements {@link CachedFile#prefetch}.
   *
   * @param mayBePages whether what is left out of the cache may be read by pages
   */
  void prefetch(
      CachedFile file, long position, long count, ReadableFile source, boolean mayBePages) {
    StackReserve.ensure();
    try {
      prefetchAll(file, position, count, source, mayBePages && count >= AnnouncedPages.MIN_BYTES);
    } catch (OutOfMemoryError noMemory) {
      // A queue or a block would need more of it, and it is no reason to fail a search.
      counters.count(Counter.PREFETCHES_DROPPED);
    }
  }

  private void prefetchAll(
      CachedFile file, long position, long count, ReadableFile source, boolean mayBePages) {
    SlotCache cache = file.cache();
    int bits = cache.blockBits();
    int block = (int) (position >>> bits);
    long last = (position + count - 1) >>> bits;
    int end = (int) Math.min(last + 1, block + Fill.MAX_BLOCKS);
    while (block < end) {
      int next = block + 1;
      if (file.find(block) == null) {
        while (next < end && file.find(next) == null) {
          next++;
        }
        long from = Math.max(position, (long) block << bits);
        long bytes = Math.min(position + count, (long) next << bits) - from;
        boolean isForPages =
            mayBePages && cache.announced().isFor(from, bytes, cache.blockSize(), source);
        prefetchMissing(file, from, bytes, isForPages, source);
      }
      block = next;
    }
  }

  /**
   * Begins to read a range none of whose blocks is there. Pages are read alone if their blocks had
   * better stay out, or if these have no slot. That is decided once, since a look at whether blocks
   * stay out counts as a miss of each.
   */
  private void prefetchMissing(
      CachedFile file, long position, long bytes, boolean isForPages, ReadableFile source) {
    int block = file.block(position);
    int end = file.block(position + bytes - 1) + 1;
    SlotCache cache = file.cache();
    boolean mayBePages = isForPages;
    if (mayBePages && leaveOut(file, block, end)) {
      FillQueue.Outcome pages = announce(file, position, bytes, source);
      if (pages == FillQueue.Outcome.REFUSED) {
        // Whole blocks would cost more, and other blocks their place.
        counters.count(Counter.PREFETCHES_DROPPED);
      }
      if (pages == FillQueue.Outcome.DONE || pages == FillQueue.Outcome.REFUSED) {
        return;
      }
      mayBePages = false;
    }
    int next = end;
    while (block < end) {
      FillQueue.Outcome blocks = prefetchBlocks(file, block, next - block, source);
      if (blocks == FillQueue.Outcome.NO_ROOM) {
        long from = Math.max(position, (long) block << cache.blockBits());
        long rest = position + bytes - from;
        boolean mayTry =
            mayBePages && cache.announced().isFor(from, rest, cache.blockSize(), source);
        if (mayTry && announce(file, from, rest, source) == FillQueue.Outcome.DONE) {
          return;
        }
        mayBePages = false;
        counters.count(Counter.PREFETCHES_DROPPED);
      }
      // There may be a slot for a block behind one that has got none: they are in many shards.
      boolean isLeftToAThread =
          blocks == FillQueue.Outcome.REFUSED || blocks == FillQueue.Outcome.NO_QUEUE;
      block = isLeftToAThread ? next : block + 1;
      while (block < end && file.find(block) != null) {
        block++;
      }
      next = block + 1;
      while (next < end && file.find(next) == null) {
        next++;
      }
    }
  }

  /** Counts an announcement of a read in a few blocks, and returns whether all stay out. */
  private static boolean leaveOut(CachedFile file, int block, int end) {
    int next = block;
    while (next < end && file.leaveOut(next)) {
      next++;
    }
    return next == end;
  }

  /**
   * Begins to bring in blocks, and waits for no read.
   *
   * @param count how many blocks from {@code block} on are missing, at least 1
   * @return what has come of the first of them, and of those that follow as far as each has got a
   *     slot; if there is no queue, or it has refused them, all are left to a thread
   */
  FillQueue.Outcome prefetchBlocks(CachedFile file, int block, int count, ReadableFile source) {
    FillQueue.Outcome outcome =
        readByQueue(source, () -> new Fill(file, source, block, count, count, Fill.Purpose.AHEAD));
    if (outcome == FillQueue.Outcome.DONE || outcome == FillQueue.Outcome.NO_ROOM) {
      return outcome;
    }
    counters.count(Counter.PREFETCHES_BY_THREADS);
    execute(
        () -> {
          try {
            // What is there has been read by a reader that was faster, or is about to be.
            int first = block;
            while (first < block + count && file.find(first) != null) {
              first++;
            }
            if (first < block + count) {
              file.loadAhead(first, block + count - first, source, Fill.Purpose.AHEAD);
            }
          } catch (IOException | OutOfMemoryError ignored) {
            // The reader that wants the block reads it again, and gets the exception. An error that
            // leaves this thread would end some servers.
          }
        });
    return outcome;
  }

  /**
   * Begins to read the pages of blocks that are not to come in, and waits for no read.
   *
   * @return what has come of it. If there is no queue, nor a page to read into, the blocks had
   *     better come in
   */
  private FillQueue.Outcome announce(
      CachedFile file, long position, long bytes, ReadableFile source) {
    return readByQueue(
        source, () -> file.cache().announced().request(file, position, bytes, source));
  }

  /** Has a queue read something, unless there is nothing to read. */
  private FillQueue.Outcome readByQueue(ReadableFile source, Supplier<FillQueue.Request> reads) {
    FillQueue queue = queues.queueFor(source);
    if (queue == null) {
      return FillQueue.Outcome.NO_QUEUE;
    }
    FillQueue.Request request = reads.get();
    return request == null ? FillQueue.Outcome.DONE : queue.begin(request, source);
  }

  /**
   * Begins to bring in more of a file, and returns at once. The file is told when that has ended.
   */
  void complete(Extents extents, int block, ReadableFile source) {
    boolean begun = false;
    try {
      execute(new Completion(extents, block, source));
      begun = true;
    } finally {
      if (!begun) {
        extents.completed();
      }
    }
  }

  private void execute(Runnable work) {
    try {
      pool.execute(work);
    } catch (OutOfMemoryError | SecurityException noThread) {
      // There is no memory for a thread, or no more threads are allowed, or a security manager
      // denies them to a script that reads: none is a reason to fail a search.
      forget(work, pool);
    }
  }

  /** Returns how many threads there are. */
  int threads() {
    return pool.getPoolSize();
  }

  /** Accepts no more requests. Reads by threads run to their end. */
  void close() {
    try {
      pool.shutdown();
    } catch (OutOfMemoryError noMemory) {
      // Its threads end when they have been idle for a while.
    }
  }
}
