/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
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
   * What the last failing call of this thread ended with, where the backend knows more about it
   * than the errno it returned. Asking forgets it. For the message and the cause of the exception
   * that the errno becomes, and for nothing else.
   *
   * @return null where the errno is all there is to know, as with every backend that makes system
   *     calls
   */
  default IOException takeFailure() {
    return null;
  }

  /**
   * Allocates memory that the calls of this backend can read into and write from. It is released
   * when it is no longer reachable.
   *
   * @param size bytes
   * @param alignment of the first byte's address; a power of two
   */
  NativeBuffer allocate(int size, int alignment);

  /**
   * Zeroed memory for large and long-lived things: <a
   * href="https://man7.org/linux/man-pages/man2/mmap.2.html">mmap(2)</a>, private and anonymous.
   * Where the backend can, it is backed by real memory only as it is touched, in huge pages if the
   * system has any; it starts on a boundary of 2 MiB then, and of 4096 bytes in any case.
   *
   * <p>It is given back to the system when neither the buffer nor any slice, duplicate or view of
   * it is reachable. A {@code MemorySegment} of it keeps nothing reachable.
   *
   * @param size bytes, at least 1
   * @return a direct buffer in little-endian order; note that slices and duplicates of a buffer are
   *     big-endian until told otherwise
   * @throws OutOfMemoryError if there is no such range to be had; the message says what to do
   */
  ByteBuffer map(int size);

  /** Whether memory from {@link #map} takes real memory only where it is written to. */
  boolean mapIsLazy();

  /**
   * Gives the memory behind a buffer back to the system at once: <a
   * href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2)</a> with {@code
   * MADV_DONTNEED}. The buffer stays usable; its contents are undefined from then on.
   *
   * @param mapped what {@link #map} returned, from its first byte to its last whatever its position
   *     and limit
   * @return 0, or a negative errno; {@code -}{@link Errno#ENOSYS} where the backend can't
   */
  int discard(ByteBuffer mapped);

  /**
   * Makes an empty vector for the calls of this backend. Its own memory is released when it is no
   * longer reachable.
   *
   * @param capacity pieces, from 1 to 1024
   */
  IoVector newVector(int capacity);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2)</a>, always with {@code
   * O_CLOEXEC}.
   *
   * @param path on the default file system
   * @return the descriptor, at least 0, or a negative errno; {@code -}{@link Errno#EINVAL} for a
   *     direct mode where the file system has no {@code O_DIRECT}, and then {@link
   *     OpenMode#CREATE_DIRECT} has created the file all the same, as the kernel does
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
   * <a href="https://man7.org/linux/man-pages/man2/preadv.2.html">preadv(2)</a> into the pieces of
   * {@code vector}, one after the other. The vector is left as it is: see {@link IoVector#skip}.
   *
   * @param vector from {@link #newVector} of this backend
   * @return bytes read, 0 at the end of the file, or a negative errno
   */
  long preadv(int fd, IoVector vector, long position);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/preadv2.2.html">preadv2(2)</a> of one buffer
   * with {@code RWF_NOWAIT}: reads what is in the page cache and does not wait for the disk.
   *
   * @return bytes read, which may be fewer than asked for; {@code -}{@link Errno#EAGAIN} where the
   *     first byte is not resident; {@code -}{@link Errno#ENOSYS} or {@code -}{@link
   *     Errno#EOPNOTSUPP} where the system, the file system or this backend has no such call,
   *     {@code -}{@link Errno#EPERM} where a sandbox forbids it. 0 does not tell the end of the
   *     file: Linux 5.9 and 5.10 may answer it anywhere
   */
  long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position);

  /**
   * As {@link #preadNoWait(int, NativeBuffer, int, int, long)}, straight into an array of the heap,
   * which takes no copy. The collector may have to wait for this call, or to leave the array where
   * it is: a read that can't wait for the disk is the only one that may be made so, and lengths
   * should be such that the copy takes microseconds.
   *
   * @return as there; {@code -}{@link Errno#ENOSYS} also where the backend has no way to do it
   */
  default long preadNoWait(int fd, byte[] dst, int offset, int length, long position) {
    return -Errno.ENOSYS;
  }

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
   * What direct I/O on this file has to be aligned to: <a
   * href="https://man7.org/linux/man-pages/man2/statx.2.html">statx(2)</a> with {@code
   * STATX_DIOALIGN}.
   *
   * @param out filled in where the result is 0, else untouched; both values are 0 where the kernel
   *     says that this file can't be read and written directly
   * @return 0, or a negative errno; {@code -}{@link Errno#EOPNOTSUPP} where the kernel or the file
   *     system does not tell, {@code -}{@link Errno#ENOSYS} where the system or this backend has no
   *     such call
   */
  int directAlignment(int fd, DirectAlignment out);

  /**
   * <a href="https://man7.org/linux/man-pages/man2/posix_fadvise.2.html">posix_fadvise(2)</a>.
   *
   * @param length 0 means to the end of the file
   * @return 0, or a negative errno; {@code -}{@link Errno#ENOSYS} where the backend can't advise
   */
  int fadvise(int fd, long position, long length, Advice advice);
}
