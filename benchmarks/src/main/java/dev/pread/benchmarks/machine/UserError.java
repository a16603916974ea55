/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

/**
 * Tells of something the user can put right: a missing file, too small a disk, an unknown name. Its
 * message says what is wrong and what to do about it, on one line; the command line prints that
 * line alone and ends with {@link ExitCode#USAGE}.
 */
public class UserError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UserError(String message) {
    this(message, null);
  }

  public UserError(String message, Throwable cause) {
    super(oneLine(message), cause);
  }

  /** Folds a message of several lines, as some libraries write them, into one. */
  public static String oneLine(String message) {
    return message == null ? "no further details" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
