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
 * between calls and hold no lock during a call; the channel backend does when it writes, and when
 * it reads what an interrupt has closed. A method may block as long as the disk takes; none may
 * stop the garbage collector from running meanwhile.
 *
 * <p><b>Units.</b> Positions, offsets and lengths are bytes.
 */
public interface SystemCalls {

  /**
   * Returns the backend's name as {@code -Ddev.pread.backend} takes it, for example {@code "ffm"}.
   */
  String name();

  /**
   * Returns and forgets what the last failing call of this thread ended with, if the backend knows
   * more about it than the errno it returned. It is for the message and the cause of the exception
   * that the errno becomes, and for nothing else.
   *
   * @return the failure, or null if the errno is all there is to know, as with every backend that
   *     makes system calls
   */
  default IOException takeFailure() {
    return null;
  }

  /**
   * Allocates memory that the calls of this backend can read into and write from. It is released
   * when it is no longer reachable.
   *
   * @param size bytes
   * @param alignment the alignment of the first byte's address, a power of two
   */
  NativeBuffer allocate(int size, int alignment);

  /**
   * Allocates zeroed memory for large and long-lived things by <a
   * href="https://man7.org/linux/man-pages/man2/mmap.2.html">mmap(2)</a>, private and anonymous.
   * Where the backend can do so, the range is backed by real memory only as it is touched, in huge
   * pages if the system has any of 2 MiB; it then starts on a boundary of 2 MiB, and on one of 4096
   * bytes in any case.
   *
   * <p>It is given back to the system when neither the buffer nor any slice, duplicate or view of
   * it is reachable. A {@code MemorySegment} of it keeps nothing reachable.
   *
   * @param size bytes, at least 1
   * @return a direct buffer in little-endian order; note that slices and duplicates of a buffer are
   *     big-endian until told otherwise
   * @throws NoNativeMemoryError if no such range is available; the message says what to do
   */
  ByteBuffer map(int size);

  /**
   * Returns a buffer over memory from {@link #map}, for the calls of this backend.
   *
   * @param mapped what {@link #map} returned, or a slice of it: from its first byte to its last
   *     whatever its position and limit. It stays reachable as long as the buffer does
   */
  NativeBuffer wrap(ByteBuffer mapped);

  /** Returns whether memory from {@link #map} takes real memory only where it is written to. */
  boolean mapIsLazy();

  /**
   * Gives the memory behind a buffer back to the system at once, by <a
   * href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2)</a> with {@code
   * MADV_DONTNEED}. The buffer remains usable; its contents are undefined from then on.
   *
   * @param mapped what {@link #map} returned, or a slice of it that begins and ends with a page,
   *     from its first byte to its last whatever its position and limit
   * @return 0, or a negative errno; {@code -}{@link Errno#ENOSYS} if the backend can't do it
   */
  default int discard(ByteBuffer mapped) {
    return -Errno.ENOSYS;
  }

  /**
   * Has the system put real memory behind a buffer at once, and not only where it is touched, by <a
   * href="https://man7.org/linux/man-pages/man2/madvise.2.html">madvise(2)</a> with {@code
   * MADV_POPULATE_WRITE}. The contents stay.
   *
   * @param mapped as in {@link #discard}
   * @return 0, or a negative errno; {@code -}{@link Errno#EINVAL} before Linux 5.14; {@code
   *     -}{@link Errno#ENOSYS} if the backend can't do it
   */
  default int populate(ByteBuffer mapped) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man3/malloc_trim.3.html">malloc_trim(3)</a>,
   * which gives back to the system what has been freed of the C library's heap. It goes through the
   * parts of that heap one after the other, which takes milliseconds, or longer if it is large.
   * Whoever wants memory of a part waits meanwhile.
   *
   * @return 1 if memory has been given back, or 0; {@code -}{@link Errno#ENOSYS} if the C library
   *     has no such function, as musl has none, or if the backend can't call it
   */
  default int mallocTrim() {
    return -Errno.ENOSYS;
  }

  /**
   * Creates an empty vector for the calls of this backend. Its own memory is released when it is no
   * longer reachable.
   *
   * @param capacity the number of pieces it has room for, from 1 to 1024
   */
  IoVector newVector(int capacity);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2)</a>, always with
   * {@code O_CLOEXEC}.
   *
   * @param path a path of the default file system
   * @return the descriptor, at least 0, or a negative errno; {@code -}{@link Errno#EINVAL} for a
   *     direct mode if the file system has no {@code O_DIRECT}; in that case {@link
   *     OpenMode#CREATE_DIRECT} has created the file all the same, as the kernel does
   */
  int open(Path path, OpenMode mode);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/close.2.html">close(2)</a>. The descriptor
   * is gone whatever the result, as on Linux: this must never be called again for the same
   * descriptor.
   */
  int close(int fd);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/pread.2.html">pread(2)</a> to read into
   * {@code dst[offset, offset + length)}.
   *
   * @return bytes read, 0 at the end of the file, or a negative errno
   */
  long pread(int fd, NativeBuffer dst, int offset, int length, long position);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/preadv.2.html">preadv(2)</a> to read into
   * the pieces of {@code vector}, one after the other. The vector is left as it is: see {@link
   * IoVector#skip}.
   *
   * @param vector from {@link #newVector} of this backend
   * @return bytes read, 0 at the end of the file, or a negative errno
   */
  long preadv(int fd, IoVector vector, long position);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/preadv2.2.html">preadv2(2)</a> for one
   * buffer with {@code RWF_NOWAIT}, which reads what is in the page cache and does not wait for the
   * disk. Newer kernels begin to read ahead what is not in there.
   *
   * @return bytes read, which may be fewer than asked for; {@code -}{@link Errno#EAGAIN} if the
   *     first byte is not resident; {@code -}{@link Errno#ENOSYS} or {@code -}{@link
   *     Errno#EOPNOTSUPP} if the system, the file system or this backend has no such call, {@code
   *     -}{@link Errno#EPERM} if a sandbox forbids it. 0 does not mean the end of the file: Linux
   *     5.9 and 5.10 may return it anywhere
   */
  default long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position) {
    return -Errno.ENOSYS;
  }

  /**
   * Does what {@link #preadNoWait(int, NativeBuffer, int, int, long)} does, but reads straight into
   * an array on the heap, without a scratch buffer to copy from. The garbage collector may have to
   * wait for this call, or to leave the array where it is. So only a read that does not wait for
   * the disk may be made this way, and lengths should be such that the kernel's copy takes
   * microseconds. A read-ahead that it begins may take longer while the device's queue is full.
   *
   * @return the same as there; also {@code -}{@link Errno#ENOSYS} if the backend has no way to do
   *     it
   */
  default long preadNoWait(int fd, byte[] dst, int offset, int length, long position) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/pwrite.2.html">pwrite(2)</a> to write from
   * {@code src[offset, offset + length)}.
   *
   * @return bytes written or a negative errno
   */
  long pwrite(int fd, NativeBuffer src, int offset, int length, long position);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/write.2.html">write(2)</a> to write from
   * {@code src[offset, offset + length)} where the descriptor stands. It is for files that have no
   * positions to write at, as some of the kernel's.
   *
   * @return bytes written or a negative errno; {@code -}{@link Errno#ENOSYS} if this backend has no
   *     such call
   */
  default long write(int fd, NativeBuffer src, int offset, int length) {
    return -Errno.ENOSYS;
  }

  /** Calls <a href="https://man7.org/linux/man-pages/man2/ftruncate.2.html">ftruncate(2)</a>. */
  int ftruncate(int fd, long length);

  /** Calls <a href="https://man7.org/linux/man-pages/man2/fsync.2.html">fsync(2)</a>. */
  int fsync(int fd);

  /** Calls <a href="https://man7.org/linux/man-pages/man2/fdatasync.2.html">fdatasync(2)</a>. */
  int fdatasync(int fd);

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/fstat.2.html">fstat(2)</a>.
   *
   * @param stat filled in if the result is 0, else untouched
   */
  int fstat(int fd, FileStat stat);

  /**
   * Finds out what direct I/O on this file has to be aligned to, by <a
   * href="https://man7.org/linux/man-pages/man2/statx.2.html">statx(2)</a> with {@code
   * STATX_DIOALIGN}.
   *
   * @return two alignments in bytes: in the upper 32 bits that of the caller's memory, in the lower
   *     32 that of file positions and lengths. Both are 0 if the kernel says that this file can't
   *     be read and written directly. Or a negative errno: {@code -}{@link Errno#EOPNOTSUPP} if the
   *     kernel or the file system does not tell, {@code -}{@link Errno#ENOSYS} if the system or
   *     this backend has no such call
   */
  default long directAlignment(int fd) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a
   * href="https://man7.org/linux/man-pages/man2/posix_fadvise.2.html">posix_fadvise(2)</a>.
   *
   * @param length 0 means to the end of the file
   * @return 0, or a negative errno; {@code -}{@link Errno#ENOSYS} if the backend can't advise
   */
  default int fadvise(int fd, long position, long length, Advice advice) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/io_setup.2.html">io_setup(2)</a>, which
   * makes a context for asynchronous reads.
   *
   * @param depth how many reads may be under way in it
   * @return the context, which is positive, or a negative errno; {@code -}{@link Errno#EAGAIN} if
   *     the system has no more room ({@code fs.aio-max-nr}), {@code -}{@link Errno#ENOSYS} if the
   *     system or this backend has no such call, {@code -}{@link Errno#EPERM} if a sandbox forbids
   *     it
   */
  default long ioSetup(int depth) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/io_submit.2.html">io_submit(2)</a>, which
   * begins reads. The kernel has copied the requests and their {@code iovec}s when this returns,
   * but the memory that is read into has to stay until the read has ended.
   *
   * @param requests from {@code offset} on it has {@code count} addresses of requests, which {@code
   *     AioLayout} describes
   * @return how many of them have begun, from the first on; or a negative errno, with which the
   *     first of them failed
   */
  default int ioSubmit(long context, NativeBuffer requests, int offset, int count) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/io_getevents.2.html">io_getevents(2)</a>,
   * which tells what reads have ended and how.
   *
   * @param least for how many to wait, from 0 to {@code most}
   * @param events receives from offset 0 on what {@code AioLayout} describes
   * @param timeout where in {@code events} it says how long to wait, as a {@code timespec}
   * @return how many reads have ended, or a negative errno
   */
  default int ioGetEvents(long context, int least, int most, NativeBuffer events, int timeout) {
    return -Errno.ENOSYS;
  }

  /**
   * Calls <a href="https://man7.org/linux/man-pages/man2/io_destroy.2.html">io_destroy(2)</a>,
   * which waits for the reads that are under way. The context must never be used again.
   *
   * @return 0, or a negative number that need not be an errno, which takes memory to tell
   */
  default int ioDestroy(long context) {
    return -Errno.ENOSYS;
  }
}
