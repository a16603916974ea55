/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/**
 * Says in the log what has gone wrong without failing anybody. A log may throw what its handlers
 * do, and where there is no memory or stack left, there may be none for the line, either. This is
 * for those who have dealt with a failure, and go on.
 */
public final class QuietLog {

  private QuietLog() {}

  /**
   * Logs a line if it can. Nothing has to be made for this, so that it suits one who has just been
   * told that there is no memory.
   *
   * @param thrown is logged with its stack trace, unless it is null
   */
  public static void log(Logger logger, Level level, Throwable thrown, String line) {
    try {
      logger.log(level, line, thrown);
    } catch (RuntimeException | Error e) {
      // There is nobody to tell.
    }
  }

  /**
   * Logs a line if it can, which is made only if somebody wants it.
   *
   * @param thrown is logged with its stack trace, unless it is null
   */
  public static void log(Logger logger, Level level, Throwable thrown, Supplier<String> line) {
    try {
      logger.log(level, line, thrown);
    } catch (RuntimeException | Error e) {
      // There is nobody to tell.
    }
  }
}
