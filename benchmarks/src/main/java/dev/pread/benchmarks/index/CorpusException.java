/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.index;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A corpus that cannot be read, for a reason its user can do something about. A class of its own,
 * so that it is never taken for a failure to write the index.
 */
final class CorpusException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The message names the corpus and says what to do. */
  CorpusException(String message, Throwable cause) {
    super(message, cause);
  }

  static CorpusException damaged(Path path, IOException e) {
    String reason = UserError.oneLine(e.getMessage() == null ? e.toString() : e.getMessage());
    return new CorpusException(
        "corpus " + path + " cannot be read (" + reason + "): check that the file is whole", e);
  }
}
