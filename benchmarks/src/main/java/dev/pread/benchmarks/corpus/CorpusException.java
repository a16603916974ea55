/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.IOException;

/**
 * A corpus that cannot be read, for a reason its user can do something about. A class of its own,
 * so that it is never taken for a failure to write the index.
 */
public final class CorpusException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The message names the corpus and says what to do. */
  public CorpusException(String message, Throwable cause) {
    super(message, cause);
  }
}
