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
 * #THREADS} for all files of a cache, made when there is something to read, gone when there was
 * nothing for a second. While all are busy, so is the device: {@value #QUEUE} more blocks wait
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

  private static final long IDLE_MILLIS = 1000;

  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_MILLIS,
          TimeUnit.MILLISECONDS,
          new ArrayBlockingQueue<>(QUEUE),
          Prefetcher::thread,
          new ThreadPoolExecutor.DiscardPolicy());

  Prefetcher() {
    pool.allowCoreThreadTimeOut(true);
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
    pool.execute(
        () -> {
          try {
            // Otherwise the reader was faster, and a thread would wait for it.
            if (file.find(block) == null) {
              file.load(block, count, source);
            }
          } catch (IOException nobodys) {
            // Who wants the block reads it again, and is told.
          }
        });
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
