/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Brings in blocks that a reader has said it is going to want, while the reader goes on. Many
 * blocks that are asked for one after the other are read at the same time, which is what devices
 * are fast at. Nothing waits for a prefetch, and nobody is told when one fails: the reader that
 * wants the block meets the failure itself.
 *
 * <p><b>By a queue</b> ({@link ReadQueue}), where there is one. The first read begins at once,
 * those that follow together, since each call costs as much as a read: when there are {@value
 * #BATCH} of them, or when somebody waits. The queue has no thread. A reader that waits for a
 * block, whoever reads it, ends the reads of the queue ({@link #await}): one of those that wait
 * does it for all, and when it has what it wants, it wakes another that goes on.
 *
 * <p><b>By threads</b> otherwise, and when the queue is full: at most {@value #THREADS} for all
 * files of a cache. They are made when there is something to read, and end a moment after there is
 * nothing more. Up to {@value #QUEUE} more requests wait their turn, which keeps the device busy
 * without waking a thread for each; what is asked for beyond that is forgotten, as advice may be.
 *
 * <p>It is thread-safe.
 */
final class Prefetcher {

  /**
   * How many reads a device is given at a time: as many as an NVMe or a network disk needs to reach
   * its full rate.
   */
  static final int THREADS = 16;

  /**
   * Room for a few batches: a block that would have to wait longer is read by the reader that wants
   * it.
   */
  static final int QUEUE = 128;

  /** How many reads of the queue may be under way: more than any device is faster with. */
  static final int DEPTH = 128;

  /** How many reads begin together while others are under way. */
  static final int BATCH = 8;

  /**
   * How long a thread waits before it looks again whether there is something to begin or to reap:
   * the one that has just claimed the block may be about to ask the queue for it.
   */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Long enough for the next query's batch, and too short to be noticed when all is over. */
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

  private final FillSignal[] signals;
  private final ReentrantLock openLock = new ReentrantLock();

  /** The queue, once there is one. It is written under the lock. */
  private volatile ReadQueue queue;

  private volatile boolean closed;

  /** How many threads wait while another one reaps. */
  private final AtomicInteger followers = new AtomicInteger();

  /**
   * @param signals what threads wait for
   */
  Prefetcher(FillSignal[] signals) {
    this.signals = signals;
    pool.allowCoreThreadTimeOut(true);
  }

  /** Drops work, as advice may be dropped, and tells the file of a completion that it is over. */
  private static void forget(Runnable work, ThreadPoolExecutor pool) {
    if (work instanceof Completion completion) {
      completion.extents().completed();
    }
  }

  /** Brings in more of a file that is read a lot. */
  private record Completion(Extents extents, int block, ReadableFile source) implements Runnable {

    @Override
    public void run() {
      try {
        boolean ignored = extents.complete(block, source);
      } finally {
        extents.completed();
      }
    }
  }

  private static Thread thread(Runnable work) {
    // The thread takes nothing from whoever happens to ask first: neither its locals nor its class
    // loader.
    Thread thread = new Thread(null, work, "lucene-pread-prefetch", 0, false);
    thread.setContextClassLoader(null);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to bring in blocks, and returns at once.
   *
   * @param count how many blocks from {@code block} on are missing, at least 1
   */
  void prefetch(CachedFile file, int block, int count, ReadableFile source) {
    ReadQueue to = queueFor(source);
    if (to != null && enqueue(to, new Fill(file, source, block, count, Fill.Purpose.AHEAD))) {
      return;
    }
    execute(
        () -> {
          try {
            // If the block is there, the reader was faster, and this thread would only wait for it.
            if (file.find(block) == null) {
              file.loadAhead(block, count, source);
            }
          } catch (IOException ignored) {
            // The reader that wants the block reads it again, and gets the exception.
          }
        });
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
    } catch (OutOfMemoryError noThread) {
      // There is no memory for a thread, or no more threads are allowed, which is no reason to fail
      // a search.
      forget(work, pool);
    }
  }

  // ---- the queue ----

  /** Returns the queue, which is opened for the first file that can have one, or null. */
  private ReadQueue queueFor(ReadableFile source) {
    if (queue != null || closed) {
      return queue;
    }
    if (!openLock.tryLock()) {
      return null;
    }
    try {
      if (queue == null && !closed) {
        queue = source.openQueue(DEPTH);
      }
      return queue;
    } finally {
      openLock.unlock();
    }
  }

  /** Returns false if the queue has not accepted the read. */
  private boolean enqueue(ReadQueue to, Fill fill) {
    StackReserve.ensure();
    if (to.waiting() == 0 || isFull(to)) {
      // What has been read meanwhile makes room, and tells whether the device has anything to do.
      int ignored = reap(to, 0);
    }
    if (isFull(to)) {
      // No block has to go for a read that would be refused.
      return false;
    }
    boolean accepted = fill.begin(to);
    if (to.underWay() == 0 || to.waiting() >= BATCH) {
      to.submit();
    }
    return accepted;
  }

  private static boolean isFull(ReadQueue queue) {
    return queue.underWay() + queue.waiting() >= queue.depth();
  }

  /**
   * Waits until a slot no longer has a version. An interrupt does not end the wait. Meanwhile the
   * reads of the queue are ended, since this slot may be one of theirs.
   *
   * @param isGone says whether to wait no longer
   * @param nanos how long to wait at most
   * @return false if the slot still has that version after all this time
   */
  boolean await(Slot slot, long version, BooleanSupplier isGone, long nanos) {
    FillSignal signal = signals[slot.index & (signals.length - 1)];
    ReadQueue from = queue;
    if (from == null) {
      return signal.await(slot, version, isGone, nanos);
    }
    long deadline = System.nanoTime() + nanos;
    try {
      while ((long) Guard.VERSION.getVolatile(slot) == version && !isGone.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        // Whoever has asked for this block may not have begun to read it.
        from.submit();
        if (from.reap(Math.min(left, LOOK_NANOS)) <= 0) {
          follow(from, signal, slot, version, isGone, Math.min(left, LOOK_NANOS));
        }
      }
      return true;
    } finally {
      passOn(from);
    }
  }

  /** Waits while another thread reaps, or if there is nothing to reap. */
  private void follow(
      ReadQueue from,
      FillSignal signal,
      Slot slot,
      long version,
      BooleanSupplier isGone,
      long nanos) {
    // This is counted before anybody looks whether a thread reaps: either that is seen, or the
    // thread that has reaped sees this and wakes somebody.
    followers.incrementAndGet();
    try {
      boolean ignored =
          signal.await(slot, version, () -> isGone.getAsBoolean() || isToBeReaped(from), nanos);
    } finally {
      followers.decrementAndGet();
    }
  }

  private static boolean isToBeReaped(ReadQueue queue) {
    return !queue.isReaped() && queue.underWay() + queue.waiting() > 0;
  }

  /** Wakes a thread that waits, if nobody reaps for it. */
  private void passOn(ReadQueue from) {
    if (followers.get() > 0 && isToBeReaped(from)) {
      int start = (int) Thread.currentThread().threadId();
      for (int i = 0; i < signals.length; i++) {
        if (signals[(start + i) & (signals.length - 1)].wakeOne()) {
          return;
        }
      }
    }
  }

  private int reap(ReadQueue from, long nanos) {
    int ended = from.reap(nanos);
    passOn(from);
    return ended;
  }

  /**
   * Begins the reads that wait for others to come, and ends those that the device has done.
   *
   * @return whether there may have been any
   */
  boolean flush() {
    ReadQueue from = queue;
    if (from == null) {
      return false;
    }
    from.submit();
    int ignored = reap(from, 0);
    return true;
  }

  /**
   * Waits for one of the reads of the queue, but not for long.
   *
   * @return whether one has ended, or another thread ends some
   */
  boolean awaitOne() {
    ReadQueue from = queue;
    if (from == null) {
      return false;
    }
    from.submit();
    return reap(from, LOOK_NANOS) > 0;
  }

  /** Returns how many threads there are. */
  int threads() {
    return pool.getPoolSize();
  }

  /**
   * Accepts no more requests. Reads of the queue have ended when this returns, and reads by threads
   * run to their end.
   */
  void close() {
    pool.shutdown();
    ReadQueue opened;
    openLock.lock();
    try {
      closed = true;
      opened = queue;
    } finally {
      openLock.unlock();
    }
    if (opened != null) {
      opened.close();
    }
  }
}
