/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What the kernel has of a {@link ReadQueue}: a context of Linux AIO, whose calls this makes, and
 * the memory that a device may write into because of it.
 *
 * <p>It is what the {@link java.lang.ref.Cleaner} runs for a queue that was never closed. So it has
 * no reference to the queue nor to anything that has one, as every {@link QueuedRead} may: the
 * collector would never find out that the queue can't be reached any more.
 *
 * <p><b>Thread-safety.</b> One thread may submit while another one waits for events and takes them,
 * but no two may do the same, and none may after {@link #run}. Memory may be kept and released by
 * any number of threads.
 */
final class AioContext implements Runnable {

  /** Memory into which a device may still write, since the kernel has refused to wait for it. */
  private static final ConcurrentLinkedQueue<AtomicReferenceArray<IoVector>> LOST =
      new ConcurrentLinkedQueue<>();

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final SystemCalls calls;
  private final int depth;

  /** What reads are made into, by the number that their events have. */
  private final AtomicReferenceArray<IoVector> memory;

  /** The events that the kernel has told, and behind them how long to wait for them. */
  private final NativeBuffer events;

  /** The first event that has not been taken. */
  private int nextEvent;

  private int eventEnd;

  /** What the kernel calls it. */
  private final long number;

  private AioContext(SystemCalls calls, int depth) throws IOException {
    this.calls = calls;
    this.depth = depth;
    memory = new AtomicReferenceArray<>(depth);
    events = calls.allocate(timeout() + AioLayout.TIMESPEC_SIZE, Long.BYTES);
    // This comes last: if there is no memory for the rest, there is nothing to destroy.
    number = calls.ioSetup(depth);
    if (number < 0) {
      throw unavailable("io_setup(depth=" + depth + ")", (int) number);
    }
  }

  /**
   * Makes a context, which the caller ends by {@link #run}. That it works is tried, by each of its
   * calls but {@code io_destroy}.
   *
   * @param depth how many reads may be under way in it
   * @throws IOException if there can be none in this process; the message says why, and what to do
   */
  static AioContext open(SystemCalls calls, int depth) throws IOException {
    AioContext context = new AioContext(calls, depth);
    boolean works = false;
    try {
      context.probe();
      works = true;
      return context;
    } finally {
      if (!works) {
        context.run();
      }
    }
  }

  /** Makes the other calls, which a sandbox may forbid. */
  private void probe() throws IOException {
    // There is nothing to submit, so that any memory will do.
    int result = calls.ioSubmit(number, events, 0, 0);
    if (result < 0) {
      throw unavailable("io_submit", result);
    }
    result = calls.ioGetEvents(number, 0, depth, events, timeout());
    if (result < 0) {
      throw unavailable("io_getevents", result);
    }
  }

  private static IOException unavailable(String call, int result) {
    int errno = -result;
    String remedy =
        switch (errno) {
          case Errno.EAGAIN -> "; all of fs.aio-max-nr is in use: raise it";
          case Errno.EPERM, Errno.ENOSYS ->
              "; a sandbox forbids it, or this system has no asynchronous reads: allow io_setup,"
                  + " io_submit, io_getevents and io_destroy";
          default -> "";
        };
    return new IOException(call + " failed with " + Errno.describe(errno) + remedy);
  }

  /** Returns whether its calls are that backend's. */
  @SuppressWarnings("ReferenceEquality") // It is the one that has opened the file, or it is not.
  boolean isOf(SystemCalls backend) {
    return calls == backend;
  }

  // ---- memory ----

  /** Keeps the memory of a read, until it is released or the kernel has waited for the device. */
  void keep(int read, IoVector vector) {
    memory.set(read, vector);
  }

  /** Records that the device has done with the memory of a read, or never gets it. */
  void release(int read) {
    memory.set(read, null);
  }

  /** Returns whether the memory of that read may be the device's. */
  boolean keeps(int read) {
    return memory.get(read) != null;
  }

  // ---- reads ----

  /**
   * Begins reads of a batch, from the first that has not begun on. The batch is not told.
   *
   * @return how many have begun, at least 1; or a negative errno, with which the first of them
   *     failed
   */
  int submit(RequestBatch batch) {
    int begun = calls.ioSubmit(number, batch.requests(), batch.addresses(), batch.notBegun());
    return begun == 0 ? -Errno.EAGAIN : begun;
  }

  /**
   * Gets the events there are, or waits for the first. All earlier ones must have been taken. If
   * the call fails, there are none.
   *
   * @param nanos how long to wait at most; 0 means not to wait
   */
  void awaitEvents(long nanos) {
    ByteBuffer bytes = events.bytes();
    bytes.putLong(timeout(), nanos / NANOS_PER_SECOND);
    bytes.putLong(timeout() + Long.BYTES, nanos % NANOS_PER_SECOND);
    int least = nanos > 0 ? 1 : 0;
    int count = calls.ioGetEvents(number, least, depth, events, timeout());
    nextEvent = 0;
    eventEnd = Math.max(0, count);
  }

  /**
   * Takes the next event, which {@link #endedRead} and {@link #result} are about from then on.
   *
   * @return false if there is none
   */
  boolean takeEvent() {
    if (nextEvent == eventEnd) {
      return false;
    }
    nextEvent++;
    return true;
  }

  /** Returns the number of the read that has ended. */
  int endedRead() {
    return (int) events.bytes().getLong(takenEvent() + AioLayout.EVENT_DATA);
  }

  /** Returns how many bytes that read has read, or a negative errno. */
  long result() {
    return events.bytes().getLong(takenEvent() + AioLayout.EVENT_RESULT);
  }

  /** Returns where in {@link #events} the last event is that was taken. */
  private int takenEvent() {
    return (nextEvent - 1) * AioLayout.EVENT_SIZE;
  }

  /** Returns where in {@link #events} the {@code timespec} is. */
  private int timeout() {
    return depth * AioLayout.EVENT_SIZE;
  }

  /**
   * Destroys it, which waits for the reads under way and keeps their memory until then. Should the
   * call fail, nobody knows when they have ended, and their memory stays theirs.
   */
  @Override
  public void run() {
    boolean isGone = false;
    try {
      isGone = calls.ioDestroy(number) >= 0;
    } finally {
      // Whatever the call has thrown: it may not have been made.
      if (!isGone) {
        LOST.add(memory);
      }
    }
    if (isGone) {
      for (int i = 0; i < depth; i++) {
        release(i);
      }
    }
  }
}
