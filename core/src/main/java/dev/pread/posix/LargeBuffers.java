/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A pool of large native buffers for direct I/O, which has no read-ahead and no write-behind except
 * what a caller does for itself. There are few of them, since they may be kept for as long as a
 * file is open; a caller that gets none makes do with a {@link ScratchPool} buffer. Whoever has a
 * buffer keeps the pool, too, whose memory goes back to the system when nobody does. This class is
 * thread-safe.
 *
 * <p>They lie in huge pages where there are any of 2 MiB: a transfer is split into as many pieces
 * as its memory is, and with pages of 4 KiB a whole buffer takes up to twice as long.
 */
public final class LargeBuffers {

  /** The size of each buffer in bytes; see decision 11 for what reads of other sizes give. */
  public static final int BUFFER_SIZE = 512 * 1024;

  /** The most buffers there may be: 32 MiB in all, which are whole pages. */
  private static final int MAX_BUFFERS = 64;

  /** A piece of memory that may be a huge page, from which several buffers are made. */
  private static final int PAGE_SIZE = 2 << 20;

  private static final int BUFFERS_PER_PAGE = PAGE_SIZE / BUFFER_SIZE;

  /**
   * The alignment in bytes of these buffers and of scratch buffers. Files whose {@link
   * PosixFile#alignment} is larger can't be read through either.
   */
  public static final int ALIGNMENT = 16 * 1024;

  private final SystemCalls calls;
  private final ConcurrentLinkedQueue<NativeBuffer> free = new ConcurrentLinkedQueue<>();
  private final ReentrantLock making = new ReentrantLock();

  /** How many have been made, once they are there; written under the lock. */
  private final AtomicInteger made = new AtomicInteger();

  LargeBuffers(SystemCalls calls) {
    this.calls = calls;
  }

  /**
   * Returns a buffer with undefined contents, which is the caller's until it is given back, or null
   * if all are in use, or if there is no memory for more.
   */
  public NativeBuffer take() {
    NativeBuffer buffer = free.poll();
    if (buffer != null || made.get() == MAX_BUFFERS) {
      return buffer;
    }
    making.lock();
    try {
      // Others may have made some in the meantime: no page is made for one buffer of it alone.
      buffer = free.poll();
      return buffer != null || made.get() == MAX_BUFFERS ? buffer : makePage();
    } catch (OutOfMemoryError e) {
      return null; // A smaller buffer does as well.
    } finally {
      making.unlock();
    }
  }

  private NativeBuffer makePage() {
    ByteBuffer page = calls.map(PAGE_SIZE);
    List<NativeBuffer> buffers = new ArrayList<>(BUFFERS_PER_PAGE);
    for (int i = 0; i < BUFFERS_PER_PAGE; i++) {
      buffers.add(calls.wrap(page.slice(i * BUFFER_SIZE, BUFFER_SIZE)));
    }
    NativeBuffer buffer = buffers.remove(0);
    // This keeps all of them or, if there is no memory, none; the page goes with them then.
    free.addAll(buffers);
    made.addAndGet(BUFFERS_PER_PAGE);
    return buffer;
  }

  /** Gives a buffer back; the caller must not touch it any more. */
  public void give(NativeBuffer buffer) {
    free.add(buffer);
  }
}
