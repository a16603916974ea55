/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.EOFException;
import java.io.IOException;

/**
 * A file as those see it who only read it. {@link PosixFile} is the one there is; tests make up
 * others.
 *
 * <p>It is thread-safe. A read may take as long as the disk does.
 */
public interface ReadableFile {

  /** Returns whether it has not been closed. */
  default boolean isOpen() {
    return true;
  }

  /**
   * Returns whether a read at {@code position} may have to wait for the disk: false if it is known
   * that it need not. It may take a call to find out.
   */
  default boolean mayWait(long position) {
    return true;
  }

  /** Returns the vectors that reads into several pieces of memory borrow. */
  VectorPool vectors();

  /**
   * Reads at least {@code atLeast} bytes at {@code position} into {@code target}, and as many more
   * as there is room for and the file has, however many calls that takes. With direct I/O, {@code
   * room} and the memory have to be aligned; they may reach past the end of the file.
   *
   * @param target is filled from its first byte on. A vector is consumed: what has been filled is
   *     skipped, so that its length is then what the file did not have
   * @param room how much of the target may be filled, in bytes; all of it if it is a vector
   * @return the number of bytes read, from {@code atLeast} to {@code room}
   * @throws EOFException if the file ends before {@code atLeast} bytes; the message names the file
   *     and how many bytes were missing
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; the contents of the target are then undefined
   */
  int readFully(long position, ReadTarget target, int atLeast, int room) throws IOException;

  /**
   * Returns the power of two that the position, length and memory address of each transfer have to
   * be multiples of.
   */
  default int alignment() {
    return 1;
  }

  /**
   * Has a queue read from {@code position} on, as many bytes as {@code read} has memory for. The
   * position, the memory and its length have to be aligned as direct I/O wants it; the memory may
   * reach past the end of the file. The read begins with {@link ReadQueue#submit}.
   *
   * @return whether the queue has accepted the read. It does not if it is full or closed, nor if
   *     the file is closed, or not one for this queue: such files are open for direct I/O by the
   *     backend whose calls the queue makes
   */
  default boolean offer(ReadQueue queue, QueuedRead read, long position) {
    return false;
  }

  /**
   * Opens a queue that accepts reads of this file and of others like it. The caller closes it.
   *
   * @return null if there is none for such files, or none to be had in this process
   */
  default ReadQueue openQueue(int depth) {
    return null;
  }
}
