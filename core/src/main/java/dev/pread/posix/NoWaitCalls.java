/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Remembers for one kind of {@code preadNoWait} that it has been refused for good, so that not each
 * read pays for a call that fails.
 *
 * <p>{@code ENOSYS} (an old kernel) and {@code EPERM} (a sandbox's filter of system calls) are
 * properties of the process and hold for all files of a backend; {@code EOPNOTSUPP} is one of a
 * file system and holds for the file. Should {@code EPERM} ever be about one file alone, as where a
 * virus scanner denies it, then the others are read a little slower, and as right as ever.
 *
 * <p>Thread-safe: the fields are plain, and a thread that sees them late asks once more.
 */
final class NoWaitCalls {

  private boolean refused;

  NoWaitCalls() {}

  /** What one file has to remember. */
  final class OfFile {

    private boolean unsupported;

    /** Whether there is no point in another call. */
    boolean areRefused() {
      return unsupported || refused;
    }

    /** Takes note of what a call returned. */
    void note(long result) {
      if (result == -Errno.ENOSYS || result == -Errno.EPERM) {
        refused = true;
      } else if (result == -Errno.EOPNOTSUPP) {
        unsupported = true;
      }
    }
  }
}
