/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

/**
 * Remembers whether one kind of {@code preadNoWait} has been refused for good, so that later reads
 * need not pay for a call that fails.
 *
 * <p>{@code ENOSYS} (an old kernel) and {@code EPERM} (a sandbox's filter of system calls) are
 * properties of the process and hold for all files of a backend; {@code EOPNOTSUPP} is a property
 * of a file system and holds for the file. Should {@code EPERM} ever concern one file only, for
 * example because a virus scanner denies the call, the other files are read a little more slowly
 * but just as correctly.
 *
 * <p>This class is thread-safe: the fields are plain, and a thread that sees them late asks once
 * more.
 */
final class NoWaitCalls {

  private boolean refused;

  NoWaitCalls() {}

  /** Holds what is remembered about one file. */
  final class OfFile {

    private boolean unsupported;

    /** Returns whether there is no point in another call. */
    boolean areRefused() {
      return unsupported || refused;
    }

    /** Records what a call returned. */
    void note(long result) {
      if (result == -Errno.ENOSYS || result == -Errno.EPERM) {
        refused = true;
      } else if (result == -Errno.EOPNOTSUPP) {
        unsupported = true;
      }
    }
  }
}
