/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;

/** Thrown by a read or a write of a file that has been closed. */
public final class FileClosedException extends ClosedChannelException {

  private static final long serialVersionUID = 1L;

  private final String message;

  /** Creates the exception of the file at {@code path}. */
  public FileClosedException(Path path) {
    message = "file is closed: " + path;
  }

  @Override
  public String getMessage() {
    return message;
  }
}
