/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Direct reads that the device carries out while the threads that asked for them go on: up to
 * {@link #depth} of them at the same time, begun many with one call and ended many with one call.
 * This is Linux AIO, which sandboxes allow where they forbid io_uring.
 *
 * <p><b>Contract.</b> A read is {@linkplain ReadableFile#offer offered}, and begins with the next
 * {@link #submit}. It ends when some thread calls {@link #reap}: there is no thread of the queue's
 * own, so whoever wants what is being read has to reap until it is there. Every read that was
 * accepted ends, and each with its own result: one that fails does not affect the others.
 *
 * <p><b>Memory.</b> A device that writes into memory can't be stopped. Whatever happens to the
 * files, to this queue or to threads, the memory of a read stays reachable and nobody else's until
 * the read has ended; {@link #close} waits for that, and so does the collector with a queue that
 * was never closed.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any number of threads at once. Interrupts
 * are neither noticed nor cleared. Neither to offer nor to submit waits for a call that another
 * thread makes: who submits does so for all, and goes on until nothing waits.
 */
public final class ReadQueue implements Closeable {

  /** The depth if nobody has said how deep: more than any device is faster with. */
  public static final int DEFAULT_DEPTH = 128;

  /** The largest depth there may be. */
  public static final int MAX_DEPTH = 1024;

  /** Returned by {@link #reap} if another thread is reaping. */
  static final int BUSY = -1;

  /** Memory into which a device may still write, since the kernel has refused to wait for it. */
  private static final ConcurrentLinkedQueue<AtomicReferenceArray<IoVector>> LOST =
      new ConcurrentLinkedQueue<>();

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final SystemCalls calls;
  private final int depth;
  private final Context context;
  private final Cleaner.Cleanable cleanable;

  /** The reads that have not ended, by the number that their events have. */
  private final AtomicReferenceArray<QueuedRead> reads;

  /** How many reads the kernel has that have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  /** How many reads have been offered that the kernel does not have yet. */
  private final AtomicInteger waiting = new AtomicInteger();

  // ---- guarded by the lock for offering, under which no call is made ----

  private final ReentrantLock offerLock = new ReentrantLock();

  /** What has been offered since the last batch was taken to be submitted. */
  private RequestBatch offered;

  private int lastNumber;
  private boolean closed;

  // ---- guarded by the lock for submitting ----

  private final ReentrantLock submitLock = new ReentrantLock();

  /** What is being submitted. It takes turns with the other batch. */
  private RequestBatch submitted;

  // ---- guarded by the lock for reaping ----

  private final ReentrantLock reapLock = new ReentrantLock();

  /** The events that the kernel has told, and behind them how long to wait for them. */
  private final NativeBuffer events;

  private int nextEvent;
  private int eventEnd;

  /** Whether the context is gone. It is set under both locks, and read under either. */
  private boolean destroyed;

  /**
   * What the kernel has of a queue. It has no reference to the queue nor to anything that has one,
   * so that the collector finds out when the queue can't be reached any more.
   */
  private record Context(
      SystemCalls calls,
      long number,
      AtomicReferenceArray<IoVector> memory,
      AtomicBoolean isDestroyed)
      implements Runnable {

    /**
     * Waits for the reads under way, which keeps their memory until then. Should the call fail,
     * nobody knows when they have ended, and their memory stays theirs.
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
      if (!isGone) {
        return;
      }
      isDestroyed.set(true);
      for (int i = 0; i < memory.length(); i++) {
        memory.set(i, null);
      }
    }
  }

  private ReadQueue(SystemCalls calls, int depth, long number) {
    this.calls = calls;
    this.depth = depth;
    context = new Context(calls, number, new AtomicReferenceArray<>(depth), new AtomicBoolean());
    reads = new AtomicReferenceArray<>(depth);
    offered = new RequestBatch(calls, depth);
    submitted = new RequestBatch(calls, depth);
    events = calls.allocate(timeout() + AioLayout.TIMESPEC_SIZE, Long.BYTES);
    // This comes last: until here, the caller destroys the context if there is no memory.
    cleanable = MappedMemory.CLEANER.register(this, context);
  }

  /**
   * Opens a queue, which the caller closes. That it works is tried, by each of its calls but {@code
   * io_destroy}.
   *
   * @param depth how many reads may be offered or under way at the same time, from 1 to {@link
   *     #MAX_DEPTH}
   * @throws IOException if there can be none in this process; the message says why, and what to do
   */
  static ReadQueue open(SystemCalls calls, int depth) throws IOException {
    if (depth < 1 || depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "the depth of a queue is from 1 to " + MAX_DEPTH + ", got " + depth);
    }
    long number = calls.ioSetup(depth);
    if (number < 0) {
      throw unavailable("io_setup(depth=" + depth + ")", (int) number);
    }
    ReadQueue queue = null;
    boolean works = false;
    try {
      queue = new ReadQueue(calls, depth, number);
      queue.probe();
      works = true;
      return queue;
    } finally {
      if (!works && queue != null) {
        queue.cleanable.clean();
      } else if (!works) {
        int ignored = calls.ioDestroy(number);
      }
    }
  }

  /** Makes the other calls, which a sandbox may forbid. */
  private void probe() throws IOException {
    int result = calls.ioSubmit(context.number(), offered.requests(), offered.addresses(), 0);
    if (result < 0) {
      throw unavailable("io_submit", result);
    }
    result = calls.ioGetEvents(context.number(), 0, depth, events, timeout());
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

  /** Returns how many reads may be offered or under way at the same time. */
  public int depth() {
    return depth;
  }

  /** Returns how many reads the device has been given that have not ended. */
  public int underWay() {
    return Math.max(0, underWay.get());
  }

  /** Returns how many reads have been offered and wait for {@link #submit}. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns whether a thread is reaping just now. */
  public boolean isReaped() {
    return reapLock.isLocked();
  }

  /** Returns whether a thread is submitting just now. */
  public boolean isSubmitting() {
    return submitLock.isLocked();
  }

  /** Returns whether it makes the calls of that backend. */
  @SuppressWarnings("ReferenceEquality") // It is the one that has opened the file, or it is not.
  boolean isOf(SystemCalls backend) {
    return calls == backend;
  }

  // ---- submitting ----

  /**
   * Accepts a read, unless the queue is full or closed.
   *
   * @param fd must not be closed before {@link QueuedRead#sent} is called
   * @return whether the read has been accepted; if not, nothing has happened
   */
  boolean offer(QueuedRead read, int fd, long position) {
    offerLock.lock();
    try {
      int number = closed ? -1 : freeNumber();
      if (number < 0) {
        return false;
      }
      context.memory().set(number, read.memory());
      reads.set(number, read);
      offered.add(read, number, fd, position);
      waiting.incrementAndGet();
      return true;
    } finally {
      offerLock.unlock();
    }
  }

  /** Returns a number that no read has, or -1 if all are in use. */
  private int freeNumber() {
    for (int i = 1; i <= depth; i++) {
      int number = (lastNumber + i) % depth;
      if (reads.get(number) == null) {
        lastNumber = number;
        return number;
      }
    }
    return -1;
  }

  /**
   * Begins all reads that have been offered, or leaves that to a thread that is doing so. A read
   * that the kernel refuses ends at once, with that error.
   */
  public void submit() {
    // Who has offered a read sees here that it waits, or that it has begun. If the lock is taken,
    // its owner has not looked for the last time: that is after it has given up the lock.
    while (waiting.get() > 0 && submitLock.tryLock()) {
      try {
        submitOffered();
      } finally {
        submitLock.unlock();
        Reference.reachabilityFence(this);
      }
    }
  }

  private void submitOffered() {
    // If an error has kept a thread from submitting all of a batch, the rest comes first.
    while (!submitted.isEmpty() || takeOffered()) {
      RequestBatch batch = submitted;
      if (destroyed) {
        batch.markBegun(batch.notBegun());
      }
      while (batch.hasBegun()) {
        sent(batch.take());
      }
      if (!batch.isEmpty()) {
        begin(batch);
      }
    }
  }

  /** Submits what has not begun. All that has begun has been taken. */
  private void begin(RequestBatch batch) {
    int count = batch.notBegun();
    int result = 0;
    // Should the call throw, nobody knows which of them the kernel has. So all of them count as
    // under way until the queue is closed.
    int taken = count;
    try {
      result = calls.ioSubmit(context.number(), batch.requests(), batch.addresses(), count);
      taken = Math.max(0, result);
    } finally {
      batch.markBegun(taken);
      // An event may have been reaped before this: the sum is below 0 for a moment then.
      underWay.addAndGet(taken);
    }
    if (taken == 0) {
      int number = batch.nextNumber();
      batch.markBegun(1);
      try {
        sent(batch.take());
      } finally {
        end(number, result < 0 ? result : -Errno.EAGAIN);
      }
    }
  }

  private boolean takeOffered() {
    offerLock.lock();
    try {
      RequestBatch empty = submitted;
      submitted = offered;
      offered = empty;
      return !submitted.isEmpty();
    } finally {
      offerLock.unlock();
    }
  }

  private void sent(QueuedRead read) {
    waiting.decrementAndGet();
    read.sent();
  }

  // ---- reaping ----

  /**
   * Ends the reads that the device has done, which their {@link QueuedRead#ended} learn of in this
   * thread. If there are none yet but some are under way, it waits for the first one.
   *
   * @param nanos how long to wait at most; 0 means not to wait
   * @return how many have ended, or {@link #BUSY} if another thread is reaping
   */
  public int reap(long nanos) {
    if (!reapLock.tryLock()) {
      return BUSY;
    }
    try {
      return reapAlone(nanos);
    } finally {
      reapLock.unlock();
      // If it could not be reached any more, the cleaner would destroy the context under this call.
      Reference.reachabilityFence(this);
    }
  }

  private int reapAlone(long nanos) {
    if (destroyed) {
      return 0;
    }
    // If an error has kept a thread from ending what it had reaped, it is done now.
    int ended = endEvents();
    if (ended == 0 && underWay.get() > 0) {
      int ignored = awaitEvents(nanos);
      ended = endEvents();
    }
    return ended;
  }

  /**
   * Gets the events there are, or waits for the first. All earlier ones have been dealt with.
   *
   * @return how many there are, 0 if it has taken too long, or a negative errno
   */
  private int awaitEvents(long nanos) {
    ByteBuffer bytes = events.bytes();
    bytes.putLong(timeout(), nanos / NANOS_PER_SECOND);
    bytes.putLong(timeout() + Long.BYTES, nanos % NANOS_PER_SECOND);
    int least = nanos > 0 ? 1 : 0;
    int count = calls.ioGetEvents(context.number(), least, depth, events, timeout());
    nextEvent = 0;
    eventEnd = Math.max(0, count);
    return count == -Errno.EINTR ? 0 : count;
  }

  private int endEvents() {
    int ended = 0;
    while (nextEvent < eventEnd) {
      int at = nextEvent * AioLayout.EVENT_SIZE;
      nextEvent++;
      underWay.decrementAndGet();
      ended++;
      end(
          (int) events.bytes().getLong(at + AioLayout.EVENT_DATA),
          events.bytes().getLong(at + AioLayout.EVENT_RESULT));
    }
    return ended;
  }

  private void end(int number, long result) {
    QueuedRead read = reads.get(number);
    context.memory().set(number, null);
    // From here on the number may be another read's.
    reads.set(number, null);
    read.ended(result);
  }

  /**
   * Accepts no more reads, begins those that have been offered, and waits until the device has done
   * with all of them. Those that it had not done by the time this was called end with {@code EIO}:
   * who closes a queue wants their memory and not what is in it. Calling it again has no effect.
   */
  @Override
  public void close() {
    offerLock.lock();
    try {
      closed = true;
    } finally {
      offerLock.unlock();
    }
    submitLock.lock();
    try {
      submitOffered();
    } finally {
      try {
        destroy();
      } finally {
        try {
          releaseUnsubmitted();
        } finally {
          submitLock.unlock();
        }
      }
    }
  }

  /**
   * Releases the files of all reads that an error has kept from being submitted, even if one
   * throws. These reads never are submitted.
   */
  private void releaseUnsubmitted() {
    boolean isDone = false;
    try {
      submitOffered();
      isDone = true;
    } finally {
      if (!isDone && !(submitted.isEmpty() && offered.isEmpty())) {
        releaseUnsubmitted();
      }
    }
  }

  private void destroy() {
    reapLock.lock();
    try {
      try {
        int ignored = reapAlone(0);
      } finally {
        destroyed = true;
        // Linux waits here until the device has ended every read, whether its event could be got or
        // not. (It did not from 3.11 to 3.15.) Only then is the memory somebody else's.
        try {
          cleanable.clean();
        } finally {
          nextEvent = 0;
          eventEnd = 0;
          underWay.set(0);
        }
      }
    } finally {
      try {
        endAll(0);
      } finally {
        reapLock.unlock();
      }
    }
  }

  /** Ends all reads from that number on whose memory is not the device's, even if one throws. */
  private void endAll(int first) {
    int number = first;
    try {
      for (; number < depth; number++) {
        if (reads.get(number) != null && context.isDestroyed().get()) {
          end(number, -Errno.EIO);
        }
      }
    } finally {
      if (number < depth) {
        endAll(number + 1);
      }
    }
  }

  /** Returns where in {@link #events} the {@code timespec} is. */
  private int timeout() {
    return depth * AioLayout.EVENT_SIZE;
  }

  @Override
  public String toString() {
    return "ReadQueue(depth=" + depth + ", underWay=" + underWay() + ")";
  }
}
