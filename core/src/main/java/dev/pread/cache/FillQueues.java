/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import java.io.Closeable;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * The queues of a cache: a few, each for some of the threads. They are opened when they are first
 * wanted, and have no threads of their own.
 *
 * <p>It is thread-safe.
 */
public final class FillQueues implements Closeable {

  /**
   * How many queues there may be. Threads that announce blocks at the same time share one seldom,
   * so that each ends its own reads, and wakes nobody.
   */
  static final int MAX =
      Integer.highestOneBit(Math.clamp(8L * Runtime.getRuntime().availableProcessors(), 8, 32));

  private final FillSignal[] signals;
  private final int depth;
  private final ThreadFactory threads;
  private final ReentrantLock openLock = new ReentrantLock();

  /** The queues that have been opened. They are entered under the lock. */
  private final AtomicReferenceArray<FillQueue> queues = new AtomicReferenceArray<>(MAX);

  private volatile boolean closed;

  /**
   * Creates them.
   *
   * @param signals what threads wait for
   * @param depth how many reads each queue may have under way; 0 for no queues
   * @param threads makes the threads that close queues
   */
  FillQueues(FillSignal[] signals, int depth, ThreadFactory threads) {
    this.signals = signals;
    this.depth = depth;
    this.threads = threads;
  }

  /**
   * Returns the queue of this thread, which is opened when it is first wanted, or one of other
   * threads while it can't be, or null if there is none at all.
   */
  FillQueue queueFor(ReadableFile source) {
    int index = (int) Thread.currentThread().threadId() & (MAX - 1);
    FillQueue queue = queues.get(index);
    if (queue != null || closed || depth == 0) {
      return queue;
    }
    if (!openLock.tryLock()) {
      return anyQueue();
    }
    try {
      if (!closed && queues.get(index) == null) {
        ReadQueue opened = source.openQueue(depth);
        if (opened != null) {
          queues.set(index, new FillQueue(opened, signals));
        }
      }
      return queues.get(index) == null ? anyQueue() : queues.get(index);
    } finally {
      openLock.unlock();
    }
  }

  /** Returns a queue of other threads, since there is none of this one, or null. */
  private FillQueue anyQueue() {
    FillQueue queue = null;
    for (int i = 0; i < MAX && queue == null; i++) {
      queue = queues.get(i);
    }
    return queue;
  }

  /** Returns how many reads each queue may have under way; 0 if there are no queues. */
  public int depth() {
    return depth;
  }

  /** Returns how many queues there are; without any, threads read. */
  public int count() {
    int count = 0;
    for (int i = 0; i < MAX; i++) {
      count += queues.get(i) == null ? 0 : 1;
    }
    return count;
  }

  /**
   * Begins the reads that wait for others to come, and ends those that the device has done. Who has
   * closed a file that is read ahead calls this: a read that waits holds on to its descriptor, and
   * to slots.
   */
  public void flush() {
    for (int i = 0; i < MAX; i++) {
      FillQueue queue = queues.get(i);
      if (queue != null && queue.isBusy()) {
        queue.flush();
      }
    }
  }

  /** Waits for one of the reads of the queues, but not for long. */
  void awaitOne() {
    boolean ignored = awaitOne(System.nanoTime() + FillQueue.LOOK_NANOS);
  }

  /**
   * Waits for one of the reads of a queue, and ends those that the device has done of all.
   *
   * @param deadline when to wait no longer, as {@link System#nanoTime} has it
   * @return whether it has waited: false if there is no read, or if the time was over
   */
  boolean awaitOne(long deadline) {
    FillQueue queue = busyQueue();
    long left = deadline - System.nanoTime();
    if (queue == null || left <= 0) {
      return false;
    }
    queue.awaitOne(left);
    // That queue may be slower than others.
    flush();
    return true;
  }

  /** Returns whether a queue has reads that have not ended. */
  boolean isBusy() {
    return busyQueue() != null;
  }

  /** Returns a queue that has reads that have not ended, that of this thread if it has, or null. */
  private FillQueue busyQueue() {
    int start = (int) Thread.currentThread().threadId();
    for (int i = 0; i < MAX; i++) {
      FillQueue queue = queues.get((start + i) & (MAX - 1));
      if (queue != null && queue.isBusy()) {
        return queue;
      }
    }
    return null;
  }

  /** Opens no more queues, and closes those that there are: then all their reads have ended. */
  @Override
  public void close() {
    openLock.lock();
    try {
      closed = true;
    } finally {
      openLock.unlock();
    }
    try {
      closeTogether();
    } catch (OutOfMemoryError noMemory) {
      // It takes longer.
    } finally {
      // Those that are closed stay so.
      closeQueues(0);
    }
  }

  /**
   * Closes all queues at the same time, and returns when that is done. Linux takes some 30
   * milliseconds to end a queue, and no longer to end many.
   */
  private void closeTogether() {
    CompletableFuture<?>[] closing =
        IntStream.range(0, MAX)
            .mapToObj(queues::get)
            .filter(Objects::nonNull)
            .map(queue -> CompletableFuture.runAsync(() -> tryClose(queue), this::runInThread))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(closing).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      // To close a queue throws nothing that is checked.
      throw (RuntimeException) e.getCause();
    }
  }

  /** Closes a queue, unless there is no memory for that: who waits for this closes it once more. */
  private static void tryClose(FillQueue queue) {
    try {
      queue.close();
    } catch (OutOfMemoryError noMemory) {
      // To tell who waits takes some, too, and an error that leaves a thread would end some
      // servers.
    }
  }

  /** Runs something in a thread of its own, or, if there can be none, in this one. */
  private void runInThread(Runnable work) {
    boolean isRun = false;
    try {
      threads.newThread(work).start();
      isRun = true;
    } catch (OutOfMemoryError | SecurityException noThread) {
      // It takes longer.
    } finally {
      if (!isRun) {
        work.run();
      }
    }
  }

  /** Closes the queues from that one on, even if one of them throws. */
  private void closeQueues(int first) {
    if (first == MAX) {
      return;
    }
    try {
      FillQueue queue = queues.get(first);
      if (queue != null) {
        queue.close();
      }
    } finally {
      closeQueues(first + 1);
    }
  }
}
