/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/** How {@link Posix#open} opens a file; a backend maps each to its flags. */
public enum OpenMode {
  /** {@code O_RDONLY}. */
  READ,
  /** {@code O_WRONLY | O_CREAT | O_EXCL}, mode 0666 less the umask: fails where the file exists. */
  CREATE,
  /** {@code O_WRONLY} on a file that must exist, to sync it. */
  WRITE
}
