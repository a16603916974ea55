/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * A read that a {@link ReadQueue} carries out. It is used once.
 *
 * <p>From the moment that {@link ReadableFile#offer} has accepted it until {@link #ended} is
 * called, the device may write into the memory at any time, and the queue keeps the memory
 * reachable. Nobody else may use the memory, whatever becomes of the file, of the queue, or of the
 * thread that asked for the read.
 */
public abstract class QueuedRead {

  private final IoVector memory;

  /** What is told when the kernel has taken the read, and needs the descriptor no more. */
  private PosixFile file;

  private int stripe;
  private boolean accepted;

  /**
   * Creates a read into {@code memory}, which must not change before the read has ended.
   *
   * @param memory has at least one piece
   */
  protected QueuedRead(IoVector memory) {
    this.memory = memory;
  }

  /** Returns the memory that is read into. */
  public final IoVector memory() {
    return memory;
  }

  /**
   * Is called once when the device has done with the memory, or never gets it since the kernel has
   * refused the read or the queue was closed, by whatever thread {@linkplain ReadQueue#submit
   * submits} or {@linkplain ReadQueue#reap reaps}. It must not use the queue.
   *
   * @param result the number of bytes that have been read, which is less than there is room for at
   *     the end of the file, or else if something is wrong; or a negative errno
   */
  protected abstract void ended(long result);

  /**
   * Returns whether a queue has accepted it, for the thread that has offered it. Should that thread
   * meet an error before it gets the answer, this still tells whose the memory is.
   */
  public final boolean isAccepted() {
    return accepted;
  }

  /** Records that from now on the memory is the device's. */
  final void accept() {
    accepted = true;
  }

  /** Records who is using the descriptor. */
  final void sendBy(PosixFile file, int stripe) {
    this.file = file;
    this.stripe = stripe;
  }

  /** Records that the kernel has taken the read, or never will. */
  final void sent() {
    if (file != null) {
      file.leave(stripe);
    }
  }
}
