/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import java.util.Locale;

/**
 * The numbers of Linux's C headers that the calls need, for one processor architecture. Flags of
 * {@code open} and the layout of {@code struct stat} differ between architectures; a test compiles
 * them against the headers of each.
 *
 * @param openCreate {@code O_CREAT}
 * @param openExclusive {@code O_EXCL}
 * @param openCloseOnExec {@code O_CLOEXEC}
 * @param openDirect {@code O_DIRECT}
 * @param statSize {@code sizeof(struct stat)} in bytes
 * @param statMode offset of {@code st_mode}, an unsigned 32-bit number
 * @param statVersion first argument of {@code __fxstat}, which glibc before 2.33 has for {@code
 *     fstat}
 * @param asynchronous the numbers of the calls that libc has no functions for
 */
record LinuxAbi(
    int openCreate,
    int openExclusive,
    int openCloseOnExec,
    int openDirect,
    int statSize,
    int statMode,
    int statVersion,
    Asynchronous asynchronous) {

  /**
   * The numbers of {@code io_setup}, {@code io_destroy}, {@code io_getevents}, {@code io_submit}.
   */
  record Asynchronous(long setup, long destroy, long getEvents, long submit) {}

  static final LinuxAbi X86_64 =
      new LinuxAbi(0100, 0200, 02000000, 040000, 144, 24, 1, new Asynchronous(206, 207, 208, 209));
  static final LinuxAbi AARCH64 =
      new LinuxAbi(0100, 0200, 02000000, 0200000, 128, 16, 0, new Asynchronous(0, 1, 4, 2));

  // These are the same on both architectures.
  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int RWF_NOWAIT = 8;
  static final int S_IFMT = 0170000;
  static final int S_IFDIR = 0040000;
  static final int S_IFREG = 0100000;
  static final int STAT_DEVICE = 0;
  static final int STAT_INODE = 8;
  static final int STAT_FILE_SIZE = 48;
  static final int STAT_MODIFIED = 88;
  static final int STAT_CHANGED = 104;
  static final int TIMESPEC_NANOS = 8;
  static final int IOVEC_SIZE = 16;
  static final int IOVEC_LENGTH = 8;
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int MAP_PRIVATE = 0x2;
  static final int MAP_ANONYMOUS = 0x20;
  static final int MAP_NORESERVE = 0x4000;
  static final long MAP_FAILED = -1;
  static final int AT_EMPTY_PATH = 0x1000;
  static final int STATX_DIOALIGN = 0x2000;
  static final int STATX_SIZE = 256;
  static final int STATX_MASK = 0;
  static final int STATX_DIRECT_MEMORY = 152;
  static final int STATX_DIRECT_OFFSET = 156;

  /** Permissions of a created file before the umask, as {@code java.nio.file} asks for. */
  static final int CREATE_MODE = 0666;

  /** Returns the numbers for this process, or null if there are none. */
  static LinuxAbi current() {
    return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  static LinuxAbi of(String os, String architecture) {
    if (!os.toLowerCase(Locale.ROOT).equals("linux")) {
      return null;
    }
    return switch (architecture) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64" -> AARCH64;
      default -> null;
    };
  }
}
