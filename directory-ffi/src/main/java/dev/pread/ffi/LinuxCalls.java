/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;

/**
 * The method handles of libc's functions, linked when this class is initialized.
 *
 * <p>None is linked {@code critical}: all of them may wait for the disk, and a thread in a critical
 * call holds up the garbage collector. Pointers into buffers are passed as {@code long}, which is
 * the same to the calling convention and creates no object per call. Every call captures errno but
 * {@code posix_fadvise}, which returns its error, {@code malloc_trim}, which has none, {@code
 * munmap}, and those that are UNEXPLAINED. The latter take no memory: they free what nobody else
 * would free where there is none for an errno.
 *
 * <p>The handles are static and final, since only constant handles are compiled into direct calls.
 */
@SuppressWarnings("restricted") // Linking is what this class is for; see FfmSystemCallsProvider.
final class LinuxCalls {

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBC = LINKER.defaultLookup();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

  /** {@code int open(const char *path, int flags, ...)}: variadic, and called as such. */
  static final MethodHandle OPEN =
      link(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          ERRNO,
          Linker.Option.firstVariadicArg(2));

  /** {@code int close(int fd)}. */
  static final MethodHandle CLOSE = link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);

  /** The same without errno. */
  static final MethodHandle CLOSE_UNEXPLAINED =
      link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  /** {@code ssize_t pread(int fd, void *buf, size_t count, off_t offset)}. */
  static final MethodHandle PREAD =
      link(
          "pread",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          ERRNO);

  /** {@code ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)}. */
  static final MethodHandle PREADV =
      link(
          "preadv",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG),
          ERRNO);

  /** {@code ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)}. */
  static final MethodHandle PWRITE =
      link(
          "pwrite",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          ERRNO);

  /** {@code ssize_t write(int fd, const void *buf, size_t count)}. */
  static final MethodHandle WRITE =
      link("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG), ERRNO);

  /**
   * {@code ssize_t preadv2(int fd, const struct iovec *iov, int count, off_t offset, int flags)},
   * or null if libc has none (glibc before 2.26, musl before 1.2.5).
   */
  static final MethodHandle PREADV2 =
      linkIfPresent(
          "preadv2",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
          ERRNO);

  /** {@code int ftruncate(int fd, off_t length)}. */
  static final MethodHandle FTRUNCATE =
      link("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), ERRNO);

  /** {@code int fsync(int fd)}. */
  static final MethodHandle FSYNC = link("fsync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);

  /** {@code int fdatasync(int fd)}. */
  static final MethodHandle FDATASYNC =
      link("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);

  /** {@code int posix_fadvise(int fd, off_t offset, off_t length, int advice)}. */
  static final MethodHandle POSIX_FADVISE =
      link(
          "posix_fadvise",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  /** {@code int fstat(int fd, struct stat *stat)}. */
  static final MethodHandle FSTAT = linkFstat();

  /**
   * {@code int statx(int fd, const char *path, int flags, unsigned mask, struct statx *out)}, or
   * null if libc has none (glibc before 2.28, musl before 1.2.0).
   */
  static final MethodHandle STATX =
      linkIfPresent(
          "statx",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS),
          ERRNO);

  /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)}. */
  static final MethodHandle MMAP =
      link(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
          ERRNO);

  /** {@code int munmap(void *addr, size_t length)}, without errno, which would take memory. */
  static final MethodHandle MUNMAP =
      link("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  /** {@code int madvise(void *addr, size_t length, int advice)}. */
  static final MethodHandle MADVISE =
      link("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), ERRNO);

  /** {@code int malloc_trim(size_t pad)}, or null if libc has none, as with musl. */
  static final MethodHandle MALLOC_TRIM =
      linkIfPresent("malloc_trim", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

  /**
   * {@code long syscall(long number, ...)}, with five arguments: the kernel looks at as many as the
   * call has. libc has no functions for the calls that are made by it.
   */
  static final MethodHandle SYSCALL = linkSyscall(ERRNO);

  /** The same without errno. */
  static final MethodHandle SYSCALL_UNEXPLAINED = linkSyscall();

  private LinuxCalls() {}

  private static MethodHandle linkSyscall(Linker.Option... options) {
    Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
    all[options.length] = Linker.Option.firstVariadicArg(1);
    return link(
        "syscall",
        FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        all);
  }

  private static MethodHandle linkFstat() {
    MethodHandle fstat =
        linkIfPresent("fstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS), ERRNO);
    if (fstat != null) {
      return fstat;
    }
    // glibc before 2.33 inlines fstat as __fxstat(version, fd, stat).
    MethodHandle fxstat =
        link("__fxstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), ERRNO);
    return MethodHandles.insertArguments(fxstat, 1, LinuxAbi.current().statVersion());
  }

  private static MethodHandle link(
      String name, FunctionDescriptor function, Linker.Option... options) {
    MethodHandle handle = linkIfPresent(name, function, options);
    if (handle == null) {
      throw new UnsatisfiedLinkError("libc has no function " + name);
    }
    return handle;
  }

  private static MethodHandle linkIfPresent(
      String name, FunctionDescriptor function, Linker.Option... options) {
    return LIBC.find(name).map(symbol -> link(symbol, function, options)).orElse(null);
  }

  private static MethodHandle link(
      MemorySegment symbol, FunctionDescriptor function, Linker.Option... options) {
    return LINKER.downcallHandle(symbol, function, options);
  }
}
