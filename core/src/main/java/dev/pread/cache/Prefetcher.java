/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Brings blocks in that a reader has said it is going to want, while it goes on: many blocks asked
 * for one after the other are read at the same time, which is what devices are fast at.
 *
 * <p>Direct I/O has no {@code posix_fadvise(WILLNEED)}, so this takes threads: at most {@value
 * #THREADS} for all files of a cache, made when there is something to read, gone a moment after
 * there was nothing more. While all are busy, so is the device: {@value #QUEUE} more blocks wait
 * their turn, which keeps it busy without waking a thread for each; what is asked for then is
 * forgotten, as advice may be. A reader that gets to its block first reads it itself. Nothing waits
 * for a prefetch, and a failure is nobody's: the reader that wants the block meets it by itself.
 *
 * <p>Thread-safe.
 */
final class Prefetcher {

  /** How deep devices are asked: what an NVMe or a network disk needs to show its rate. */
  static final int THREADS = 16;

  /** A few batches: what waits longer than that is read by who wants it. */
  static final int QUEUE = 128;

  /** Long enough for the next query's batch, too short to be noticed when all is over. */
  private static final long IDLE_MILLIS = 200;

  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_MILLIS,
          TimeUnit.MILLISECONDS,
          new ArrayBlockingQueue<>(QUEUE),
          Prefetcher::thread,
          Prefetcher::forget);

  Prefetcher() {
    pool.allowCoreThreadTimeOut(true);
  }

  /** Advice may be forgotten, as long as it is known to be over. */
  private static void forget(Runnable work, ThreadPoolExecutor pool) {
    if (work instanceof Completion completion) {
      completion.file().completed();
    }
  }

  /** Brings more of a file in that is read a lot. */
  private record Completion(CachedFile file, long position, BlockSource source)
      implements Runnable {

    @Override
    public void run() {
      try {
        boolean ignored = file.complete(position, source);
      } finally {
        file.completed();
      }
    }
  }

  private static Thread thread(Runnable work) {
    // Nothing of whoever happens to be the first to ask: neither its locals nor its class loader.
    Thread thread = new Thread(null, work, "lucene-pread-prefetch", 0, false);
    thread.setContextClassLoader(null);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to bring blocks in; returns at once.
   *
   * @param count of blocks from {@code block} on that are missing, at least 1
   */
  void prefetch(CachedFile file, int block, int count, BlockSource source) {
    execute(
        () -> {
          try {
            // Otherwise the reader was faster, and a thread would wait for it.
            if (file.find(block) == null) {
              file.loadAhead(block, count, source);
            }
          } catch (IOException ignored) {
            // Who wants the block reads it again, and is told.
          }
        });
  }

  /** Begins to bring in more of a file, which is told when that has ended; returns at once. */
  void complete(CachedFile file, long position, BlockSource source) {
    boolean begun = false;
    try {
      execute(new Completion(file, position, source));
      begun = true;
    } finally {
      if (!begun) {
        file.completed();
      }
    }
  }

  private void execute(Runnable work) {
    try {
      pool.execute(work);
    } catch (OutOfMemoryError noThread) {
      // There is no memory for a thread, or no thread more is allowed: no reason to fail a search.
      forget(work, pool);
    }
  }

  /** How many threads there are. */
  int threads() {
    return pool.getPoolSize();
  }

  /** Takes no more; what is being read is read to its end. */
  void close() {
    pool.shutdown();
  }
}
