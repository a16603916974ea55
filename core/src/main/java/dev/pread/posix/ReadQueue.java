/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
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
 * are neither noticed nor cleared. To offer never waits; to submit waits for a thread that does the
 * same.
 */
public final class ReadQueue implements Closeable {

  /** The largest depth there may be. */
  public static final int MAX_DEPTH = 1024;

  /** Returned by {@link #reap} if another thread is reaping. */
  public static final int BUSY = -1;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final SystemCalls calls;
  private final int depth;
  private final Context context;
  private final Cleaner.Cleanable cleanable;

  /** The reads that have not ended, by the number that their events have. */
  private final AtomicReferenceArray<QueuedRead> reads;

  /** How many reads the kernel has that have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  // ---- guarded by the lock for submitting ----

  private final ReentrantLock submitLock = new ReentrantLock();

  /** The requests, and behind them their addresses. */
  private final NativeBuffer requests;

  /** The reads whose requests have been written, in the order of the requests. */
  private final QueuedRead[] offered;

  private int nextToSubmit;

  /** The end of what has been offered. It is also read without the lock, by who has offered. */
  private volatile int offeredEnd;

  private int lastNumber;
  private boolean closed;

  // ---- guarded by the lock for reaping ----

  private final ReentrantLock reapLock = new ReentrantLock();

  /** The events that the kernel has told, and behind them how long to wait for them. */
  private final NativeBuffer events;

  private int nextEvent;
  private int eventEnd;

  /**
   * What the kernel has of a queue. It has no reference to the queue nor to anything that has one,
   * so that the collector finds out when the queue can't be reached any more.
   */
  private record Context(SystemCalls calls, long number, AtomicReferenceArray<IoVector> memory)
      implements Runnable {

    /** Waits for the reads under way, which keeps their memory until then. */
    @Override
    public void run() {
      int ignored = calls.ioDestroy(number);
      for (int i = 0; i < memory.length(); i++) {
        memory.set(i, null);
      }
    }
  }

  private ReadQueue(SystemCalls calls, int depth, long number) {
    this.calls = calls;
    this.depth = depth;
    context = new Context(calls, number, new AtomicReferenceArray<>(depth));
    cleanable = MappedMemory.Unmapper.CLEANER.register(this, context);
    reads = new AtomicReferenceArray<>(depth);
    offered = new QueuedRead[depth];
    requests = calls.allocate(depth * (AioLayout.IOCB_SIZE + Long.BYTES), Long.BYTES);
    for (int i = 0; i < depth; i++) {
      requests.bytes().putLong(address(i), requests.address(i * AioLayout.IOCB_SIZE));
    }
    events = calls.allocate(timeout() + AioLayout.TIMESPEC_SIZE, Long.BYTES);
  }

  /**
   * Opens a queue, which the caller closes. That it works is tried, by each of its calls.
   *
   * @param depth how many reads may be offered or under way at the same time, from 1 to {@link
   *     #MAX_DEPTH}
   * @throws IOException if there can be none in this process; the message says why, and what to do
   */
  public static ReadQueue open(SystemCalls calls, int depth) throws IOException {
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
    int result = calls.ioSubmit(context.number(), requests, address(0), 0);
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
    return offeredEnd;
  }

  /** Returns whether a thread is reaping just now. */
  public boolean isReaped() {
    return reapLock.isLocked();
  }

  /** Returns whether it makes the calls of that backend. */
  @SuppressWarnings("ReferenceEquality") // It is the one that has opened the file, or it is not.
  boolean isOf(SystemCalls backend) {
    return calls == backend;
  }

  // ---- submitting ----

  /**
   * Accepts a read, unless the queue is full or closed, or another thread is submitting just now.
   *
   * @param fd must not be closed before {@link QueuedRead#sent} is called
   * @return whether the read has been accepted; if not, nothing has happened
   */
  boolean offer(QueuedRead read, int fd, long position) {
    if (!submitLock.tryLock()) {
      return false;
    }
    try {
      int request = offeredEnd;
      int number = closed || request == depth ? -1 : freeNumber();
      if (number < 0) {
        return false;
      }
      int at = request * AioLayout.IOCB_SIZE;
      IoVector memory = read.memory();
      // What is not written here stays 0, but for a key of the kernel's, which is 0 as well.
      ByteBuffer bytes = requests.bytes();
      bytes.putLong(at + AioLayout.IOCB_DATA, number);
      bytes.putShort(at + AioLayout.IOCB_OPCODE, AioLayout.READ_VECTOR);
      bytes.putInt(at + AioLayout.IOCB_FD, fd);
      bytes.putLong(at + AioLayout.IOCB_VECTOR, memory.iovecs());
      bytes.putLong(at + AioLayout.IOCB_COUNT, memory.size());
      bytes.putLong(at + AioLayout.IOCB_POSITION, position);
      context.memory().set(number, memory);
      reads.set(number, read);
      offered[request] = read;
      read.accept();
      offeredEnd = request + 1;
      return true;
    } finally {
      submitLock.unlock();
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
   * Begins all reads that have been offered. A read that the kernel refuses ends at once, with that
   * error.
   */
  public void submit() {
    // Whoever has offered a read sees that it waits, or that another thread has taken it on.
    if (offeredEnd == 0) {
      return;
    }
    submitLock.lock();
    try {
      submitOffered();
    } finally {
      submitLock.unlock();
      Reference.reachabilityFence(this);
    }
  }

  private void submitOffered() {
    while (nextToSubmit < offeredEnd) {
      int count = offeredEnd - nextToSubmit;
      int result = calls.ioSubmit(context.number(), requests, address(nextToSubmit), count);
      if (result > 0) {
        // An event may have been reaped before this: the sum is below 0 for a moment then.
        underWay.addAndGet(result);
      }
      for (int i = 0; i < result; i++) {
        takeOffered().sent();
      }
      if (result <= 0) {
        int number = (int) requests.bytes().getLong(nextToSubmit * AioLayout.IOCB_SIZE);
        takeOffered().sent();
        end(number, result < 0 ? result : -Errno.EAGAIN);
      }
    }
    nextToSubmit = 0;
    offeredEnd = 0;
  }

  private QueuedRead takeOffered() {
    QueuedRead read = offered[nextToSubmit];
    offered[nextToSubmit] = null;
    nextToSubmit++;
    return read;
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
   * Accepts no more reads, begins those that have been offered, and waits until all have ended.
   * Calling it again has no effect.
   */
  @Override
  public void close() {
    submitLock.lock();
    try {
      closed = true;
      submitOffered();
    } finally {
      submitLock.unlock();
    }
    reapLock.lock();
    try {
      int ignored = endEvents();
      int count = 0;
      while (underWay.get() > 0 && count >= 0) {
        count = awaitEvents(Long.MAX_VALUE);
        ignored = endEvents();
      }
      // This waits for what could not be waited for above.
      cleanable.clean();
      for (int number = 0; number < depth; number++) {
        if (reads.get(number) != null) {
          end(number, -Errno.EIO);
        }
      }
    } finally {
      reapLock.unlock();
    }
  }

  /** Returns where in {@link #requests} the address of the request with that number is. */
  private int address(int request) {
    return depth * AioLayout.IOCB_SIZE + request * Long.BYTES;
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
