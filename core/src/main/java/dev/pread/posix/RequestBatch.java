/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.ByteBuffer;

/**
 * Reads that begin together, as requests that the kernel takes with one call. A read is added, then
 * it begins, then it is taken, each in the order of the requests. Once all have been taken, there
 * is room again.
 *
 * <p>It is not thread-safe: a lock of the {@link ReadQueue} guards it.
 */
final class RequestBatch {

  /** The requests, and behind them their addresses. */
  private final NativeBuffer requests;

  /** The reads whose requests have been written, in the order of the requests. */
  private final QueuedRead[] reads;

  /** The first read that has not been {@link #take taken}. */
  private int next;

  /**
   * The first read that has not begun. Those before it are never submitted again, whatever is
   * thrown before they are taken: a device that reads twice into the same memory may do so when it
   * is somebody else's.
   */
  private int begun;

  private int end;

  /**
   * @param depth how many reads it has room for
   */
  RequestBatch(SystemCalls calls, int depth) {
    reads = new QueuedRead[depth];
    requests = calls.allocate(depth * (AioLayout.IOCB_SIZE + Long.BYTES), Long.BYTES);
    for (int i = 0; i < depth; i++) {
      requests.bytes().putLong(address(i), requests.address(i * AioLayout.IOCB_SIZE));
    }
  }

  /** Returns where in {@link #requests} the address of the request with that number is. */
  private int address(int request) {
    return reads.length * AioLayout.IOCB_SIZE + request * Long.BYTES;
  }

  boolean isEmpty() {
    return end == 0;
  }

  /**
   * Adds a read, for which there has to be room.
   *
   * @param number what its event will have
   */
  void add(QueuedRead read, int number, int fd, long position) {
    int at = end * AioLayout.IOCB_SIZE;
    IoVector memory = read.memory();
    // What is not written here stays 0, but for a key of the kernel's, which is 0 as well.
    ByteBuffer bytes = requests.bytes();
    bytes.putLong(at + AioLayout.IOCB_DATA, number);
    bytes.putShort(at + AioLayout.IOCB_OPCODE, AioLayout.READ_VECTOR);
    bytes.putInt(at + AioLayout.IOCB_FD, fd);
    bytes.putLong(at + AioLayout.IOCB_VECTOR, memory.iovecs());
    bytes.putLong(at + AioLayout.IOCB_COUNT, memory.size());
    bytes.putLong(at + AioLayout.IOCB_POSITION, position);
    reads[end] = read;
    // This comes before anybody can submit it: from here on the memory is the device's, whatever
    // is thrown.
    read.accept();
    end++;
  }

  // ---- beginning ----

  /** Returns how many reads have not begun. */
  int notBegun() {
    return end - begun;
  }

  /** Returns the memory in which the requests and their addresses are. */
  NativeBuffer requests() {
    return requests;
  }

  /** Returns where in {@link #requests} the addresses of those that have not begun are. */
  int addresses() {
    return address(begun);
  }

  /** Records that so many more have begun, or never will. */
  void markBegun(int count) {
    begun += count;
  }

  // ---- taking ----

  /** Returns whether there is a read to {@link #take} that has begun. */
  boolean hasBegun() {
    return next < begun;
  }

  /** Returns the number of the read that is the next to be taken. */
  int nextNumber() {
    return (int) requests.bytes().getLong(next * AioLayout.IOCB_SIZE + AioLayout.IOCB_DATA);
  }

  /** Gives away the next read. Once all are gone, there is room again. */
  QueuedRead take() {
    QueuedRead read = reads[next];
    reads[next] = null;
    next++;
    if (next == end) {
      next = 0;
      begun = 0;
      end = 0;
    }
    return read;
  }
}
