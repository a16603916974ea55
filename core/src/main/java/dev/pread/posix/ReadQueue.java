/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
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
 *
 * <p><b>Locks.</b> There are three, since three things go on at the same time. Who reaps waits for
 * the device, and meanwhile others have to begin the reads that it is to do next. Who submits is in
 * a call that may take a while, too, and meanwhile others have to offer; so no call is made under
 * the lock for offering. The lock for submitting may be held when one of the other two is taken,
 * and no other two are held together. All three are in this class, because each read goes through
 * all of them, and {@link #close} through all at once.
 */
public final class ReadQueue implements Closeable {

  /** The depth if nobody has said how deep: more than any device is faster with. */
  public static final int DEFAULT_DEPTH = 128;

  /** The largest depth there may be. */
  public static final int MAX_DEPTH = 1024;

  /** Returned by {@link #reap} if another thread is reaping. */
  static final int BUSY = -1;

  private final int depth;
  private final AioContext context;
  private final Cleaner.Cleanable cleanable;

  /** The reads that have not ended, by the number that their events have. */
  private final AtomicReferenceArray<QueuedRead> reads;

  /** How many reads the kernel has that have not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  /** How many reads have been offered that the kernel does not have yet. */
  private final AtomicInteger waiting = new AtomicInteger();

  // ---- guarded by the lock for offering, under which no call is made ----

  private final BriefLock offerLock = new BriefLock();

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

  /** Whether the context is gone. It is set under both locks, and read under either. */
  private boolean destroyed;

  private ReadQueue(SystemCalls calls, int depth, AioContext context) {
    this.depth = depth;
    this.context = context;
    reads = new AtomicReferenceArray<>(depth);
    offered = new RequestBatch(calls, depth);
    submitted = new RequestBatch(calls, depth);
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
    AioContext context = AioContext.open(calls, depth);
    boolean isOwned = false;
    try {
      ReadQueue queue = new ReadQueue(calls, depth, context);
      isOwned = true;
      return queue;
    } finally {
      if (!isOwned) {
        context.run();
      }
    }
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
  boolean isOf(SystemCalls backend) {
    return context.isOf(backend);
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
      // This comes first: should there be an error, a read that waits has been counted.
      waiting.incrementAndGet();
      try {
        context.keep(number, read.memory());
        reads.set(number, read);
        offered.add(read, number, fd, position);
      } finally {
        if (!read.isAccepted()) {
          // Its memory is the caller's, and it must not end when the queue is closed.
          reads.set(number, null);
        }
      }
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
      result = context.submit(batch);
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
        end(number, result);
      }
    }
  }

  private boolean takeOffered() {
    offerLock.lock();
    try {
      RequestBatch empty = submitted;
      submitted = offered;
      offered = empty;
      // Nobody else counts while both locks are held. If an error came between a read and its
      // count, whoever submits would never stop.
      waiting.set(submitted.notBegun());
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
      context.awaitEvents(nanos);
      ended = endEvents();
    }
    return ended;
  }

  private int endEvents() {
    int ended = 0;
    while (context.takeEvent()) {
      underWay.decrementAndGet();
      ended++;
      end(context.endedRead(), context.result());
    }
    return ended;
  }

  private void end(int number, long result) {
    QueuedRead read = reads.get(number);
    context.release(number);
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
        if (reads.get(number) != null && !context.keeps(number)) {
          end(number, -Errno.EIO);
        }
      }
    } finally {
      if (number < depth) {
        endAll(number + 1);
      }
    }
  }

  @Override
  public String toString() {
    return "ReadQueue(depth=" + depth + ", underWay=" + underWay() + ")";
  }
}
