/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.nio.file.AccessDeniedException;
import java.util.regex.Pattern;

/**
 * Tells of something the user can put right: a missing file, a full disk, an unknown name. Its
 * message says what is wrong and what to do about it, on one line; the command line prints that
 * line alone and ends with {@link ExitCode#USAGE}.
 */
public class UserError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What the system says when a disk is full, whoever wraps that. */
  static final Pattern NO_ROOM = Pattern.compile("No space left on device|Disk quota exceeded");

  public UserError(String message) {
    this(message, null);
  }

  public UserError(String message, Throwable cause) {
    super(oneLine(message), cause);
  }

  /** Returns which of an exception and its causes says that room or rights are missing, or null. */
  public static Throwable refusal(Throwable e) {
    Throwable cause = e;
    while (cause != null
        && !(cause instanceof AccessDeniedException)
        && !NO_ROOM.matcher(cause.toString()).find()) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Folds a message of several lines, as some libraries write them, into one. */
  public static String oneLine(String message) {
    return message == null ? "no further details" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
