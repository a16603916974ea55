/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.nio.file.Path;

/**
 * The system calls this library makes, one method per call, in the shape of their man pages.
 *
 * <p><b>Contract.</b> Every method makes one call and returns its result, or the negated {@code
 * errno} of that very call ({@code -}{@link Errno#EINTR} and so on); no method throws for a failing
 * call, retries, loops or logs. Short counts are passed on. Callers go through {@link PosixFile},
 * which owns the loops and turns errors into exceptions.
 *
 * <p><b>Thread-safety.</b> Implementations are safe for use by any number of threads, keep no errno
 * between calls and hold no lock during a call. A method may block as long as the disk takes; none
 * may stop the garbage collector from running meanwhile.
 *
 * <p><b>Units.</b> Positions, offsets and lengths are bytes.
 */
public interface Posix {

  /** The backend's name as {@code -Ddev.pread.backend} takes it, for example {@code "ffm"}. */
  String name();

  /**
   * Allocates memory that the calls of this backend can read into and write from. It is released
   * when it is no longer reachable.
   *
   * @param size bytes
   * @param alignment of the first byte's address; a power of two
   */
  NativeBuffer allocate(int size, int alignment);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2)</a>, always with {@code
   * O_CLOEXEC}.
   *
   * @param path on the default file system
   * @return the descriptor, at least 0, or a negative errno
   */
  int open(Path path, OpenMode mode);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/close.2.html">close(2)</a>. The descriptor is
   * gone whatever the result, as on Linux: never call it again for the same descriptor.
   */
  int close(int fd);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/pread.2.html">pread(2)</a> into {@code
   * dst[offset, offset + length)}.
   *
   * @return bytes read, 0 at the end of the file, or a negative errno
   */
  long pread(int fd, NativeBuffer dst, int offset, int length, long position);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/preadv2.2.html">preadv2(2)</a> of one buffer
   * with {@code RWF_NOWAIT}: reads what is in the page cache and does not wait for the disk.
   *
   * @return bytes read, which may be fewer than asked for; {@code -}{@link Errno#EAGAIN} where the
   *     first byte is not resident; {@code -}{@link Errno#ENOSYS} or {@code -}{@link
   *     Errno#EOPNOTSUPP} where the system, the file system or this backend has no such call
   */
  long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/pwrite.2.html">pwrite(2)</a> from {@code
   * src[offset, offset + length)}.
   *
   * @return bytes written or a negative errno
   */
  long pwrite(int fd, NativeBuffer src, int offset, int length, long position);

  /** <a href="https://man7.org/linux/man-pages/man2/ftruncate.2.html">ftruncate(2)</a>. */
  int ftruncate(int fd, long length);

  /** <a href="https://man7.org/linux/man-pages/man2/fsync.2.html">fsync(2)</a>. */
  int fsync(int fd);

  /** <a href="https://man7.org/linux/man-pages/man2/fdatasync.2.html">fdatasync(2)</a>. */
  int fdatasync(int fd);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/fstat.2.html">fstat(2)</a>.
   *
   * @param stat filled in where the result is 0, else untouched
   */
  int fstat(int fd, FileStat stat);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/posix_fadvise.2.html">posix_fadvise(2)</a>.
   *
   * @param length 0 means to the end of the file
   * @return 0, or a negative errno; {@code -}{@link Errno#ENOSYS} where the backend can't advise
   */
  int fadvise(int fd, long position, long length, Advice advice);
}
