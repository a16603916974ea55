/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An open file: a descriptor that can't be used after it is closed, and the only loops of this
 * library around short reads and writes.
 *
 * <p><b>Why it counts its users.</b> A descriptor is a small number that the kernel hands out again
 * at once. Were {@code close(2)} called while another thread is about to call {@code pread(2)},
 * that thread could read some other file that got the same number, and nobody would notice. So each
 * operation registers first, {@link #close} only forbids new ones, and the last to leave makes the
 * call. See {@link UseCount}.
 *
 * <p><b>Thread-safety.</b> All methods may be called by any number of threads at once; no monitor
 * is taken anywhere. Interrupts are neither noticed nor cleared.
 *
 * <p><b>Ownership.</b> Whoever opened it closes it. Buffers stay the caller's.
 */
public final class PosixFile implements Closeable {

  private final Backend backend;
  private final Posix posix;
  private final Path path;
  private final int fd;
  private final long length;
  private final UseCount users = new UseCount();

  private PosixFile(Backend backend, Path path, int fd, long length) {
    this.backend = backend;
    this.posix = backend.posix();
    this.path = path;
    this.fd = fd;
    this.length = length;
  }

  /**
   * Opens a regular file.
   *
   * @throws java.nio.file.NoSuchFileException if {@code mode} wants an existing one and there is
   *     none
   * @throws java.nio.file.FileAlreadyExistsException for {@link OpenMode#CREATE} of an existing
   *     file
   * @throws java.nio.file.AccessDeniedException if permissions forbid it
   * @throws FileSystemException if it is not a regular file, or on any other error of the call
   */
  static PosixFile open(Backend backend, Path path, OpenMode mode) throws IOException {
    Posix posix = backend.posix();
    int fd = openDescriptor(posix, path, mode);
    FileStat stat = new FileStat();
    try {
      int result = posix.fstat(fd, stat);
      if (result < 0) {
        throw PosixExceptions.of(result, "fstat", path);
      }
      if (stat.kind() != FileStat.Kind.REGULAR) {
        throw new FileSystemException(
            path.toString(),
            null,
            "open(" + mode + "): not a regular file but " + stat + "; check the name");
      }
    } catch (Throwable t) {
      posix.close(fd);
      if (mode == OpenMode.CREATE) {
        deleteAfter(t, path);
      }
      throw t;
    }
    backend.opened();
    return new PosixFile(backend, path, fd, stat.size());
  }

  /** Takes back what this process has just created, so that a failed create leaves nothing. */
  private static void deleteAfter(Throwable failure, Path created) {
    try {
      Files.deleteIfExists(created);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private static int openDescriptor(Posix posix, Path path, OpenMode mode) throws IOException {
    int fd;
    do {
      fd = posix.open(path, mode);
    } while (fd == -Errno.EINTR);
    if (fd < 0) {
      throw PosixExceptions.of(fd, "open(" + mode + ")", path);
    }
    return fd;
  }

  /** See {@link Backend#syncFolder}. */
  static void syncFolder(Posix posix, Path folder) throws IOException {
    int fd = openDescriptor(posix, folder, OpenMode.READ);
    int result;
    try {
      do {
        result = posix.fsync(fd);
      } while (result == -Errno.EINTR);
    } finally {
      posix.close(fd);
    }
    // EINVAL: a file system that does not sync folders, where there is nothing to do.
    if (result < 0 && result != -Errno.EINVAL) {
      throw PosixExceptions.of(result, "fsync", folder);
    }
  }

  /** The path it was opened by. */
  public Path path() {
    return path;
  }

  /** The length in bytes when it was opened. */
  public long length() {
    return length;
  }

  /** Whether {@link #close} has not been called yet. */
  public boolean isOpen() {
    return users.isOpen();
  }

  /**
   * Reads exactly {@code length} bytes at {@code position} into {@code dst[offset, offset +
   * length)}, however many calls that takes. The one {@code readFully} of this library.
   *
   * @throws EOFException if the file ends before; it names the file and what was missing
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; the contents of the range are then undefined
   */
  public void readFully(long position, NativeBuffer dst, int offset, int length)
      throws IOException {
    int stripe = enter();
    try {
      int done = 0;
      while (done < length) {
        long n = posix.pread(fd, dst, offset + done, length - done, position + done);
        if (n > 0) {
          done += (int) n;
        } else if (n == 0) {
          throw truncated(position + done, length - done);
        } else if (n != -Errno.EINTR) {
          throw PosixExceptions.of(n, call("pread", position + done, length - done), path);
        }
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Whether the byte at {@code position} can be read without waiting for the disk.
   *
   * @param probe any buffer of this backend; its first byte is overwritten
   * @return {@link Residency#UNKNOWN} where the system can't tell, also after an error, since this
   *     is only ever asked to save work
   */
  public Residency residency(long position, NativeBuffer probe) throws IOException {
    int stripe = enter();
    try {
      long n = posix.preadNoWait(fd, probe, 0, 1, position);
      if (n > 0) {
        return Residency.RESIDENT;
      }
      return n == -Errno.EAGAIN ? Residency.ABSENT : Residency.UNKNOWN;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Writes exactly {@code length} bytes of {@code src} from {@code offset} at {@code position},
   * however many calls that takes. The one {@code writeFully} of this library.
   *
   * @throws FileClosedException if the file is closed
   * @throws IOException if a call fails; how much has been written is then undefined
   */
  public void writeFully(long position, NativeBuffer src, int offset, int length)
      throws IOException {
    int stripe = enter();
    try {
      int done = 0;
      while (done < length) {
        long n = posix.pwrite(fd, src, offset + done, length - done, position + done);
        if (n > 0) {
          done += (int) n;
        } else if (n == 0) {
          throw new FileSystemException(
              path.toString(),
              null,
              call("pwrite", position + done, length - done) + " wrote nothing");
        } else if (n != -Errno.EINTR) {
          throw PosixExceptions.of(n, call("pwrite", position + done, length - done), path);
        }
      }
    } finally {
      leave(stripe);
    }
  }

  /** Cuts or extends the file to {@code length} bytes. */
  public void truncate(long length) throws IOException {
    int stripe = enter();
    try {
      int result;
      do {
        result = posix.ftruncate(fd, length);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(result, "ftruncate(length=" + length + ")", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Returns when the file's bytes, and what is needed to find them again (its length and place),
   * are on the device: {@code fdatasync(2)}. Never retried after an error, since the kernel may
   * have dropped the pages it could not write and would then report success.
   */
  public void syncData() throws IOException {
    int stripe = enter();
    try {
      int result;
      do {
        result = posix.fdatasync(fd);
      } while (result == -Errno.EINTR);
      if (result < 0) {
        throw PosixExceptions.of(result, "fdatasync", path);
      }
    } finally {
      leave(stripe);
    }
  }

  /**
   * Passes advice on to the kernel. Advice is never needed for correctness, so a kernel that
   * refuses it is not an error.
   *
   * @param length 0 means to the end of the file
   * @return whether the kernel took it
   * @throws FileClosedException if the file is closed
   */
  public boolean advise(long position, long length, Advice advice) throws FileClosedException {
    int stripe = enter();
    try {
      return posix.fadvise(fd, position, length, advice) == 0;
    } finally {
      leave(stripe);
    }
  }

  /**
   * Forbids further use and closes the descriptor when the last operation under way has ended, at
   * once where there is none. Harmless when called again.
   *
   * @throws IOException if this call closed the descriptor and the kernel reported a write that had
   *     failed before
   */
  @Override
  public void close() throws IOException {
    if (users.close()) {
      int result = closeDescriptor();
      // After EINTR the descriptor is closed on Linux; a second call could hit another file's.
      if (result < 0 && result != -Errno.EINTR) {
        throw PosixExceptions.of(result, "close", path);
      }
    }
  }

  @Override
  public String toString() {
    return "PosixFile(path=\"" + path + "\", backend=" + posix.name() + ")";
  }

  private int enter() throws FileClosedException {
    int stripe = users.enter();
    if (stripe >= 0) {
      return stripe;
    }
    if (stripe == UseCount.CLOSED_AND_LAST) {
      closeDescriptor();
    }
    throw new FileClosedException(path);
  }

  private void leave(int stripe) {
    if (users.leave(stripe)) {
      // Closed under us, and we are the last: there is nobody left to tell of an error.
      closeDescriptor();
    }
  }

  private int closeDescriptor() {
    backend.closed();
    return posix.close(fd);
  }

  private EOFException truncated(long position, long missing) {
    return new EOFException(
        "read past EOF: "
            + missing
            + " bytes missing at position "
            + position
            + ": the file has been truncated since it was opened with "
            + length
            + " bytes (pread returned 0): "
            + path);
  }

  private static String call(String name, long position, long length) {
    return name + "(position=" + position + ", length=" + length + ")";
  }
}
