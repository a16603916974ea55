/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** How {@link Posix#open} opens a file; a backend maps each to its flags. */
public enum OpenMode {
  /** {@code O_RDONLY}. */
  READ,
  /** {@code O_WRONLY | O_CREAT | O_EXCL}, mode 0666 less the umask: fails where the file exists. */
  CREATE,
  /** {@code O_WRONLY} on a file that must exist, to sync it. */
  WRITE,
  /** {@code O_RDONLY | O_DIRECT}: between the device and the caller's memory, no page cache. */
  READ_DIRECT,
  /** {@code O_WRONLY | O_CREAT | O_EXCL | O_DIRECT}, otherwise as {@link #CREATE}. */
  CREATE_DIRECT;

  /** Whether transfers go past the page cache and have to be aligned. */
  public boolean isDirect() {
    return this == READ_DIRECT || this == CREATE_DIRECT;
  }

  /** Whether opening makes a file that was not there before. */
  boolean creates() {
    return this == CREATE || this == CREATE_DIRECT;
  }
}
