/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.Path;

/** A call on a {@link PosixFile} that has been closed. */
public final class FileClosedException extends IOException {

  private static final long serialVersionUID = 1L;

  FileClosedException(Path path) {
    super("file is closed: " + path);
  }
}
