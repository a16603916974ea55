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

  DirectIoUnsupportedException(Path path, String reason) {
    super(
        "direct I/O (O_DIRECT) is not possible here: "
            + reason
            + "; open it through the page cache (as the fallback of a direct directory does, or"
            + " PreadDirectory), or move the index to a file system with O_DIRECT, such as ext4 or"
            + " XFS: "
            + path);
  }
}
