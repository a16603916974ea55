/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The one place where a negative result of {@link SystemCalls} becomes an {@link IOException}. It
 * has the type that {@code java.nio.file} would throw (Lucene tells cases apart by it) and a
 * message with the path, the call, the errno and, where there is one, the remedy.
 */
final class PosixExceptions {

  private PosixExceptions() {}

  /**
   * Loads the classes that are needed to report an error. A process that has no descriptors left
   * can't load them from a folder any more, and would report a missing class instead.
   */
  static void prepare() {
    IOException example = of(-Errno.EMFILE, "open", Path.of(""));
    assert example.getMessage() != null;
  }

  /**
   * Returns the exception for a call that has failed.
   *
   * @param result a negative errno, as {@link SystemCalls} returns it
   * @param call for example {@code "pread(position=4096, length=1024)"}
   */
  static IOException of(long result, String call, Path path) {
    return of(result, null, call, path);
  }

  /**
   * Returns the exception for the call of {@code posix} that this thread has just made, with what
   * the backend knows about it besides the errno.
   */
  static IOException of(SystemCalls calls, long result, String call, Path path) {
    return of(result, calls.takeFailure(), call, path);
  }

  private static IOException of(long result, IOException failure, String call, Path path) {
    if (result >= 0) {
      throw new IllegalArgumentException(call + " did not fail: " + result);
    }
    int errno = (int) -result;
    String what =
        failure == null || saysNoMore(failure, errno)
            ? Errno.describe(errno) + remedy(errno)
            : failure.toString();
    String reason = call + " failed with " + what;
    String file = path.toString();
    FileSystemException e =
        switch (errno) {
          case Errno.ENOENT -> new NoSuchFileException(file, null, reason);
          case Errno.EEXIST -> new FileAlreadyExistsException(file, null, reason);
          case Errno.EACCES, Errno.EPERM -> new AccessDeniedException(file, null, reason);
          default -> new FileSystemException(file, null, reason);
        };
    if (failure != null) {
      e.initCause(failure);
    }
    return e;
  }

  /**
   * Returns whether {@code failure} is what the JDK makes of {@code errno} and adds nothing to it.
   */
  private static boolean saysNoMore(IOException failure, int errno) {
    String text = failure instanceof FileSystemException e ? e.getReason() : failure.getMessage();
    // EIO also stands for everything that has no errno.
    return text == null ? errno != Errno.EIO : Errno.fromMessage(text) == errno;
  }

  private static String remedy(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM ->
          "; check the owner and the permissions of the file and its folders";
      case Errno.EISDIR -> "; check the name";
      case Errno.EMFILE ->
          "; this process has too many open files: raise its limit (ulimit -n, LimitNOFILE)";
      case Errno.ENFILE -> "; the system has too many open files: raise fs.file-max";
      case Errno.ENOSPC -> "; free space on the file system, then retry the operation";
      case Errno.EDQUOT -> "; raise the quota or free space, then retry the operation";
      // Of buffered reads the kernel says EIO, and of direct ones what the device has said.
      case Errno.EIO,
          Errno.ENODEV,
          Errno.EBADE,
          Errno.ENODATA,
          Errno.ENOLINK,
          Errno.EILSEQ,
          Errno.ETIMEDOUT,
          Errno.EREMOTEIO ->
          "; the device could not carry it out: see the kernel log, check the disk, run CheckIndex";
      case Errno.EUCLEAN, Errno.EBADMSG ->
          "; the file system is damaged: see the kernel log, check it, run CheckIndex";
      case Errno.EFBIG ->
          "; this process may not write files of that length (ulimit -f), or the file system has"
              + " none";
      case Errno.EROFS -> "; the file system is mounted read-only";
      case Errno.ESTALE -> "; the file is gone from its network file system: reopen the index";
      default -> "";
    };
  }
}
