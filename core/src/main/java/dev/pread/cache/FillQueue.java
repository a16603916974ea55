/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.cache;

import dev.pread.posix.ReadQueue;
import dev.pread.posix.ReadableFile;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Reads blocks into slots, and announced pages, by a {@link ReadQueue}. The first read begins at
 * once, those that follow together, since each call costs as much as a read: a few while the device
 * has little to do and then {@value #BATCH} at a time, or fewer when the queue takes no more, or
 * when somebody waits.
 *
 * <p>The queue has no thread. A reader that waits for a block of this queue ({@link Slot#reader})
 * or for a page ends its reads: one of those that wait does it for all, and when it has what it
 * wants, it wakes another that goes on.
 *
 * <p>It is thread-safe.
 */
final class FillQueue implements Closeable {

  /** How many reads wait at most for others to come. */
  static final int BATCH = 8;

  /**
   * How long a thread waits before it looks again whether there is something to begin or to reap:
   * the one that has just claimed the block may be about to ask the queue for it.
   */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ReadQueue reads;
  private final FillSignal[] signals;

  /** How many threads wait while another one reaps. */
  private final AtomicInteger followers = new AtomicInteger();

  /**
   * @param signals what threads wait for
   */
  FillQueue(ReadQueue reads, FillSignal[] signals) {
    this.reads = reads;
    this.signals = signals;
  }

  /** Returns whether there are reads that have not ended. */
  boolean isBusy() {
    // In this order: a read is under way before it waits no more.
    return reads.waiting() > 0 || reads.underWay() > 0;
  }

  /**
   * Returns whether those that wait are worth a call. That is one if the device has nothing to do,
   * and otherwise more than twice as many as it has, so that it soon has enough, or {@value
   * #BATCH}. If another thread reaps, which mostly means that it waits, the device is busy, and the
   * processors have no time for such calls.
   */
  private boolean isBatch() {
    int underWay = reads.underWay();
    boolean isAlone = underWay == 0 || !reads.isReaped();
    return reads.waiting() >= (isAlone ? Math.min(BATCH, 2 * underWay + 1) : BATCH);
  }

  private boolean isFull() {
    return reads.underWay() + reads.waiting() >= reads.depth();
  }

  /** Says what has come of a {@link Request}. */
  enum Outcome {
    /** The read is the queue's, or there is nothing to read: the caller has nothing more to do. */
    DONE,
    /** There is nothing to read into. */
    NO_ROOM,
    /** The queue has not accepted the read, and somebody else may make it. */
    REFUSED,
    /** There is no queue that could be asked. */
    NO_QUEUE
  }

  /** Something of a file that a queue is to read. */
  interface Request {

    /**
     * Offers the read. What it reads into is nobody's but the device's until the read has ended.
     *
     * @param by what ends the reads of that queue
     */
    Outcome begin(FillQueue by, ReadQueue queue);
  }

  /** Begins a read of {@code source}. */
  Outcome begin(Request request, ReadableFile source) {
    if (reads.waiting() == 0 || isFull()) {
      // What has been read meanwhile makes room, and tells whether the device has anything to do.
      int ignored = reap(0);
    }
    if (isFull()) {
      // No block has to go for a read that would be refused.
      return Outcome.REFUSED;
    }
    Outcome outcome = request.begin(this, reads);
    // The read counts as waiting before this looks whether the file is closed, and who closes it
    // looks for reads that wait afterwards: one of the two sees the other.
    if (isBatch() || isFull() || !source.isOpen()) {
      reads.submit();
    }
    passOn();
    return outcome;
  }

  /** Begins the reads that wait for others to come, and ends those that the device has done. */
  void flush() {
    reads.submit();
    int ignored = reap(0);
  }

  /**
   * Waits for one of its reads. If another thread reaps, that one ends it.
   *
   * @param nanos how long to wait at most
   */
  void awaitOne(long nanos) {
    long deadline = System.nanoTime() + nanos;
    reads.submit();
    int ended = reap(nanos);
    long left = deadline - System.nanoTime();
    if (ended <= 0 && left > 0) {
      follow(
          signals[(int) Thread.currentThread().threadId() & (signals.length - 1)],
          () -> !isBusy(),
          left);
      passOn();
    }
  }

  private int reap(long nanos) {
    int ended = reads.reap(nanos);
    passOn();
    return ended;
  }

  /**
   * Waits for something to happen, mostly for one of its reads to end. An interrupt does not end
   * the wait. Meanwhile the reads of the queue are ended.
   *
   * @param signal what tells that it may have happened
   * @param isOver says whether it has happened, or to wait no longer
   * @param nanos how long to wait at most
   * @return false if it has not happened in all this time
   */
  boolean await(FillSignal signal, BooleanSupplier isOver, long nanos) {
    long deadline = System.nanoTime() + nanos;
    try {
      while (!isOver.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        // Whoever has asked for this block may not have begun to read it.
        reads.submit();
        if (reads.reap(Math.min(left, LOOK_NANOS)) <= 0) {
          follow(signal, isOver, Math.min(left, LOOK_NANOS));
        }
      }
      return true;
    } finally {
      passOn();
    }
  }

  /** Waits while another thread reaps, or if there is nothing to reap. */
  private void follow(FillSignal signal, BooleanSupplier isOver, long nanos) {
    // This is counted before anybody looks whether a thread reaps: either that is seen, or the
    // thread that has reaped sees this and wakes somebody.
    followers.incrementAndGet();
    try {
      boolean ignored = signal.await(() -> isOver.getAsBoolean() || isToBeReaped(), nanos);
    } finally {
      followers.decrementAndGet();
    }
  }

  private boolean isToBeReaped() {
    // What waits is left to a thread that submits, which wakes somebody afterwards.
    return !reads.isReaped()
        && (reads.underWay() > 0 || (reads.waiting() > 0 && !reads.isSubmitting()));
  }

  /** Wakes a thread that waits, if nobody reaps for it, or nothing is left to be reaped. */
  private void passOn() {
    if (followers.get() > 0 && (isToBeReaped() || !isBusy())) {
      int start = (int) Thread.currentThread().threadId();
      for (int i = 0; i < signals.length; i++) {
        if (signals[(start + i) & (signals.length - 1)].wakeOne()) {
          return;
        }
      }
    }
  }

  /** Accepts no more reads, and waits until all have ended. */
  @Override
  public void close() {
    reads.close();
  }
}
