/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** Says how {@link SystemCalls#open} opens a file; a backend maps each to its flags. */
public enum OpenMode {
  /** {@code O_RDONLY}. */
  READ,
  /** {@code O_WRONLY | O_CREAT | O_EXCL}, mode 0666 minus the umask: fails if the file exists. */
  CREATE,
  /** {@code O_WRONLY} on a file that must exist, to sync it or to name a thread. */
  WRITE,
  /**
   * {@code O_RDONLY | O_DIRECT}: transfers between the device and the caller's memory, without the
   * page cache.
   */
  READ_DIRECT,
  /** {@code O_WRONLY | O_CREAT | O_EXCL | O_DIRECT}, otherwise like {@link #CREATE}. */
  CREATE_DIRECT;

  /** Returns whether transfers bypass the page cache and have to be aligned. */
  public boolean isDirect() {
    return this == READ_DIRECT || this == CREATE_DIRECT;
  }

  /** Returns whether opening creates a file that did not exist before. */
  public boolean creates() {
    return this == CREATE || this == CREATE_DIRECT;
  }
}
