/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool of large native buffers for direct I/O, which has no read-ahead and no write-behind except
 * what a caller does for itself. There are few of them, since they may be kept for as long as a
 * file is open; a caller that gets none makes do with a {@link ScratchPool} buffer. This class is
 * thread-safe.
 */
public final class LargeBuffers {

  /** The size of each buffer in bytes. */
  public static final int BUFFER_SIZE = 256 * 1024;

  /** The most buffers there may be: 16 MiB in all. */
  static final int MAX_BUFFERS = 64;

  /**
   * The alignment in bytes of these buffers and of scratch buffers. Files whose {@link
   * PosixFile#alignment} is larger can't be read through either.
   */
  public static final int ALIGNMENT = 16 * 1024;

  private final SystemCalls calls;
  private final ConcurrentLinkedQueue<NativeBuffer> free = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();

  LargeBuffers(SystemCalls calls) {
    this.calls = calls;
  }

  /**
   * Returns a buffer with undefined contents, which is the caller's until it is given back, or null
   * if all are in use.
   */
  public NativeBuffer take() {
    NativeBuffer buffer = free.poll();
    if (buffer != null) {
      return buffer;
    }
    if (made.incrementAndGet() > MAX_BUFFERS) {
      made.decrementAndGet();
      return null;
    }
    try {
      buffer = calls.allocate(BUFFER_SIZE, ALIGNMENT);
      return buffer;
    } finally {
      if (buffer == null) {
        made.decrementAndGet();
      }
    }
  }

  /** Gives a buffer back; the caller must not touch it any more. */
  public void give(NativeBuffer buffer) {
    free.add(buffer);
  }
}
