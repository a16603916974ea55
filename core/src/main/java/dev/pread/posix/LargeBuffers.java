/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Large native buffers for direct I/O, which has no read-ahead and no write-behind but what a
 * caller does for itself. Few, since they may be kept for as long as a file is open: who gets none
 * makes do with a {@link ScratchPool} buffer. Thread-safe.
 */
public final class LargeBuffers {

  /** Bytes of each. */
  public static final int BUFFER_SIZE = 256 * 1024;

  /** 16 MiB in all. */
  static final int MAX_BUFFERS = 64;

  /**
   * Bytes whose multiples the addresses are, of scratch buffers, too. Files whose {@link
   * PosixFile#alignment} is larger can't be read by way of either.
   */
  public static final int ALIGNMENT = 16 * 1024;

  private final Posix posix;
  private final ConcurrentLinkedQueue<NativeBuffer> free = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();

  LargeBuffers(Posix posix) {
    this.posix = posix;
  }

  /** A buffer with undefined contents, the caller's until given back; null if all are in use. */
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
      buffer = posix.allocate(BUFFER_SIZE, ALIGNMENT);
      return buffer;
    } finally {
      if (buffer == null) {
        made.decrementAndGet();
      }
    }
  }

  /** Gives a buffer back, which the caller must not touch any more. */
  public void give(NativeBuffer buffer) {
    free.add(buffer);
  }
}
