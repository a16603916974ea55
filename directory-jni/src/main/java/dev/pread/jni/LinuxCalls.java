/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import java.nio.ByteBuffer;

/**
 * The functions of {@code linux_calls.c}, in the shape of their man pages. Each makes one call and
 * returns its result or the negated errno of that very call.
 *
 * <p>Lengths and ranges are not checked there: callers have checked them. Whoever passes an address
 * keeps what it belongs to reachable until the call returns.
 */
final class LinuxCalls {

  /** What {@link #version} returns in the library that belongs to this class. */
  static final int VERSION = 8;

  /** Has {@link #open} use {@code O_WRONLY} instead of {@code O_RDONLY}. */
  static final int OPEN_WRITE = 1;

  /** Has {@link #open} use {@code O_CREAT | O_EXCL}. */
  static final int OPEN_CREATE = 2;

  /** Has {@link #open} use {@code O_DIRECT}. */
  static final int OPEN_DIRECT = 4;

  static final int KIND_REGULAR = 0;
  static final int KIND_DIRECTORY = 1;
  static final int KIND_OTHER = 2;

  private LinuxCalls() {}

  static native int version();

  /**
   * @param name the bytes of the path, without a NUL
   */
  static native int open(byte[] name, int how);

  static native int close(int fd);

  static native long pread(int fd, long address, long length, long position);

  static native long preadv(int fd, long iovecs, int count, long position);

  static native long preadNoWait(int fd, long address, int length, long position);

  static native long preadArrayNoWait(int fd, byte[] dst, int offset, int length, long position);

  static native long pwrite(int fd, long address, long length, long position);

  static native long write(int fd, long address, long length);

  static native int ftruncate(int fd, long length);

  static native int fsync(int fd);

  static native int fdatasync(int fd);

  /**
   * @param out receives one of {@code KIND_*}, the device, the inode, the size, and when it was
   *     last modified and changed, in nanoseconds
   */
  static native int fstat(int fd, long[] out);

  /** Returns the alignment of memory in the upper half, and that of offsets in the lower one. */
  static native long directAlignment(int fd);

  /**
   * @param advice its number for Linux
   */
  static native int fadvise(int fd, long position, long length, int advice);

  /** Returns the context, or a negative errno. */
  static native long ioSetup(int depth);

  /**
   * @param requests the address of the first of {@code count} addresses of a {@code struct iocb}
   */
  static native int ioSubmit(long context, int count, long requests);

  /**
   * @param events the address of the first of {@code most} {@code struct io_event}s
   * @param timeout the address of a {@code struct timespec}
   */
  static native int ioGetEvents(long context, int least, int most, long events, long timeout);

  static native int ioDestroy(long context);

  static native long mmap(long length);

  static native void munmap(long address, long length);

  /**
   * @param advice its number for Linux
   */
  static native int madvise(long address, long length, int advice);

  static native int mallocTrim();

  /** Returns a direct buffer over memory that somebody else keeps. */
  static native ByteBuffer buffer(long address, int size);

  /** Returns the address of a direct buffer's first byte, whatever its position. */
  static native long address(ByteBuffer buffer);
}
