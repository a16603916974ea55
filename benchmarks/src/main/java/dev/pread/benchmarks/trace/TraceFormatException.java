/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.io.IOException;
import java.nio.file.Path;

/** A file that is no trace, or no whole one. The message names the file and the offset. */
public final class TraceFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * What is wrong where.
   *
   * @param offset in bytes, of the field that makes no sense
   */
  TraceFormatException(Path file, long offset, String problem) {
    super("trace " + file + " is damaged at byte " + offset + ": " + problem + "; record it again");
  }
}
