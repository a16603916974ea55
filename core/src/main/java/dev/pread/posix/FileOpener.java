/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Turns a path into a {@link PosixFile}, all or nothing: any failure after the descriptor has been
 * opened closes it, and deletes a file that was created for it. If it can't be deleted, the
 * exception that says so is suppressed in the one of the failure.
 */
final class FileOpener {

  /**
   * The alignment that is assumed where the kernel does not report one. No device in use requires
   * more, and a multiple of what is required is always right. A file system may: btrfs, whose
   * blocks have the size of a page, goes through the page cache with what is less aligned than
   * these.
   */
  private static final int USUAL_ALIGNMENT = 4096;

  private FileOpener() {}

  /** Implements {@link Backend#open}. */
  static PosixFile open(Backend backend, Path path, OpenMode mode) throws IOException {
    return open(backend, path, path, mode);
  }

  /**
   * Does the same under another name.
   *
   * @param path what the file is called in messages
   * @param name what it is opened by
   */
  static PosixFile open(Backend backend, Path path, Path name, OpenMode mode) throws IOException {
    SystemCalls calls = backend.calls();
    FileStat stat = new FileStat();
    int fd = openDescriptor(backend, path, name, mode);
    try {
      int result = calls.fstat(fd, stat);
      if (result < 0) {
        throw PosixExceptions.of(calls, result, "fstat", path);
      }
      if (stat.kind() == FileStat.Kind.DIRECTORY) {
        // open(2) lets a folder be read, which is of no use to anybody who opens a file.
        throw PosixExceptions.of(-Errno.EISDIR, "open(" + mode + ")", path);
      }
      if (stat.kind() != FileStat.Kind.REGULAR) {
        throw new FileSystemException(
            path.toString(),
            null,
            "open(" + mode + "): not a regular file but " + stat + "; check the name");
      }
      int alignment = mode.isDirect() ? directAlignment(calls, fd, path) : 0;
      PosixFile file = new PosixFile(backend, path, fd, stat, alignment);
      backend.opened();
      return file;
    } catch (Throwable t) {
      closeAfter(t, calls, fd);
      if (mode.creates()) {
        deleteAfter(t, path);
      }
      throw t;
    }
  }

  private static void closeAfter(Throwable failure, SystemCalls calls, int fd) {
    try {
      int ignored = calls.close(fd);
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Deletes what this process has just created, so that a failed create leaves nothing behind. A
   * server's policy may refuse that by an exception of its own, which must not hide the failure.
   */
  static void deleteAfter(Throwable failure, Path created) {
    try {
      Files.deleteIfExists(created);
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Opens a descriptor. What is opened by another name than its own has been open before, and is no
   * folder: to find out asks a server for leave, which it gives for paths below its own folders
   * alone.
   */
  private static int openDescriptor(Backend backend, Path path, Path name, OpenMode mode)
      throws IOException {
    SystemCalls calls = backend.calls();
    int fd;
    do {
      fd = calls.open(name, mode);
    } while (fd == -Errno.EINTR);
    if (fd == -Errno.EINVAL && mode.isDirect()) {
      if (name.equals(path) && mode == OpenMode.READ_DIRECT && Files.isDirectory(path)) {
        // The kernel gives the same answer for a folder, which says nothing about the files in it.
        throw PosixExceptions.of(-Errno.EISDIR, "open(" + mode + ")", path);
      }
      DirectIoUnsupportedException e = directRefused(path, "open", calls);
      if (mode.creates()) {
        deleteRefused(e, path);
      }
      throw e;
    }
    if (fd == -Errno.EMFILE || fd == -Errno.ENFILE) {
      backend.ranOutOfDescriptors();
    }
    if (fd < 0) {
      String call = "open(" + mode + (name.equals(path) ? ")" : ") of " + name);
      throw PosixExceptions.of(calls, fd, call, path);
    }
    return fd;
  }

  /**
   * Returns the exception for a call that the file system or the backend answers with {@code
   * EINVAL}.
   */
  static DirectIoUnsupportedException directRefused(Path path, String call, SystemCalls calls) {
    IOException more = calls.takeFailure();
    String reason =
        more == null
            ? call + " with O_DIRECT failed with " + Errno.describe(Errno.EINVAL)
            : more.getMessage();
    return new DirectIoUnsupportedException(path, reason + " (backend " + calls.name() + ")", true);
  }

  /**
   * Deletes the file that the kernel leaves behind, because it checks {@code O_DIRECT} only after
   * it has created the file. The file is ours, since an existing one would have caused {@code
   * EEXIST}; it is checked to be empty all the same, so that no mistake can cost data.
   */
  private static void deleteRefused(IOException failure, Path path) {
    try {
      if (Files.isRegularFile(path) && Files.size(path) == 0) {
        Files.delete(path);
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private static int directAlignment(SystemCalls calls, int fd, Path path) throws IOException {
    long result;
    do {
      result = calls.directAlignment(fd);
    } while (result == -Errno.EINTR);
    if (result >= 0) {
      int memory = (int) (result >>> Integer.SIZE);
      int offset = (int) result;
      int larger = Math.max(memory, offset);
      if (memory <= 0 || offset <= 0 || Integer.bitCount(larger) != 1) {
        throw new DirectIoUnsupportedException(
            path,
            "statx answered an alignment of " + memory + ", and of " + offset + " in the file",
            false);
      }
      return larger;
    }
    return switch ((int) -result) {
      // EPERM is the answer of sandboxes that do not know the call.
      case Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EPERM -> USUAL_ALIGNMENT;
      default -> throw PosixExceptions.of(result, "statx", path);
    };
  }

  /** Implements {@link Backend#syncFolder}. */
  static void syncFolder(Backend backend, Path folder) throws IOException {
    SystemCalls calls = backend.calls();
    int fd = openDescriptor(backend, folder, folder, OpenMode.READ);
    try {
      int result;
      do {
        result = calls.fsync(fd);
      } while (result == -Errno.EINTR);
      // EINVAL comes from a file system that does not sync folders, where there is nothing to do.
      if (result < 0 && result != -Errno.EINVAL) {
        throw PosixExceptions.of(calls, result, "fsync", folder);
      }
    } finally {
      calls.close(fd);
    }
  }
}
