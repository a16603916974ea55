/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown when a file can't be opened for direct I/O but could be opened without it: the file
 * system, the backend or the kind of file does not support {@code O_DIRECT}. No descriptor stays
 * open, and a file that was to be created does not exist, unless it can't be deleted; then that is
 * suppressed. It is also thrown by {@link PosixFile#tryDirectRead}, which leaves the file open.
 */
public final class DirectIoUnsupportedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String reason;
  private final boolean refusedByFileSystem;

  /**
   * @param reason the reason in words, without the path, so that it is the same for all files that
   *     are refused for it
   * @param refusedByFileSystem whether all files there are refused, not only this one
   */
  DirectIoUnsupportedException(Path path, String reason, boolean refusedByFileSystem) {
    super(
        "direct I/O (O_DIRECT) is not possible here: "
            + reason
            + "; open it through the page cache (as the fallback of a direct directory does, or"
            + " PreadDirectory), or move the index to a file system with O_DIRECT, such as ext4 or"
            + " XFS and the ffm or jni backend: "
            + path);
    this.reason = reason;
    this.refusedByFileSystem = refusedByFileSystem;
  }

  /** Returns the reason, in the same words for all files that are refused for it. */
  public String reason() {
    return reason;
  }

  /**
   * Returns whether the file system or the backend refuses direct I/O for all files. Otherwise the
   * kernel refuses it for this file, and may allow it for the next.
   */
  public boolean isRefusedByFileSystem() {
    return refusedByFileSystem;
  }
}
