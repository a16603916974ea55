/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file can't be opened for direct I/O, and could be opened without: the file system, the backend
 * or the kind of file does not support {@code O_DIRECT}. Nothing stays open, and a file that was to
 * be created is not there.
 */
public final class DirectIoUnsupportedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String reason;
  private final boolean refusedByFileSystem;

  /**
   * @param reason without the path, so that it is the same for all files that are refused for it
   * @param refusedByFileSystem whether all files there are refused, and not this one alone
   */
  DirectIoUnsupportedException(Path path, String reason, boolean refusedByFileSystem) {
    super(
        "direct I/O (O_DIRECT) is not possible here: "
            + reason
            + "; open it through the page cache (as the fallback of a direct directory does, or"
            + " PreadDirectory), or move the index to a file system with O_DIRECT, such as ext4 or"
            + " XFS: "
            + path);
    this.reason = reason;
    this.refusedByFileSystem = refusedByFileSystem;
  }

  /** Why, the same words for all files that are refused for it. */
  public String reason() {
    return reason;
  }

  /**
   * Whether the file system, or the backend, refuses it for all files; else the kernel says it of
   * this file, and the next may be another matter.
   */
  public boolean isRefusedByFileSystem() {
    return refusedByFileSystem;
  }
}
