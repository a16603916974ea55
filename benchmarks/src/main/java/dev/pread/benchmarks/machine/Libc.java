/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * The few calls that benchmarks make by themselves, on 64-bit Linux: plain functions whose every
 * return code is checked. No protection against use after close: not code for anything else.
 * Thread-safe.
 */
public final class Libc {
  /** {@code open}: read, and close on exec. */
  public static final int O_RDONLY_CLOEXEC = 02000000;

  /** {@code madvise}, and the same number for {@code posix_fadvise}. */
  public static final int NORMAL = 0;

  /** {@code madvise}, and the same number for {@code posix_fadvise}. */
  public static final int RANDOM = 1;

  /** {@code madvise}, and the same number for {@code posix_fadvise}. */
  public static final int WILLNEED = 3;

  /** {@code posix_fadvise} alone: forget the pages. */
  public static final int FADV_DONTNEED = 4;

  /** {@code madvise} alone: huge pages, where the kernel has them. */
  public static final int MADV_HUGEPAGE = 14;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      errno("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), 2);
  private static final MethodHandle CLOSE =
      errno("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), -1);
  private static final MethodHandle MADVISE =
      errno("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), -1);
  private static final MethodHandle FADVISE =
      plain(
          "posix_fadvise",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  /** Without errno, which would cost a few nanoseconds more than some things measured with it. */
  private static final MethodHandle PREAD =
      plain("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private Libc() {}

  @SuppressWarnings("restricted")
  private static MethodHandle errno(String name, FunctionDescriptor type, int firstVariadic) {
    Linker.Option capture = Linker.Option.captureCallState("errno");
    MemorySegment function = LINKER.defaultLookup().find(name).orElseThrow();
    return firstVariadic < 0
        ? LINKER.downcallHandle(function, type, capture)
        : LINKER.downcallHandle(
            function, type, capture, Linker.Option.firstVariadicArg(firstVariadic));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle plain(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type);
  }

  /**
   * {@code O_DIRECT | O_RDONLY | O_CLOEXEC}: the first is another bit on ARM.
   *
   * @throws UnavailableException on processors whose bit is not known here
   */
  public static int directReadFlags() throws UnavailableException {
    String processor = System.getProperty("os.arch");
    return switch (processor) {
      case "amd64", "x86_64" -> O_RDONLY_CLOEXEC | 040000;
      case "aarch64" -> O_RDONLY_CLOEXEC | 0200000;
      default -> throw new UnavailableException("O_DIRECT is not known for " + processor);
    };
  }

  /** {@code open(2)}, without creating anything. */
  public static int open(Path path, int flags) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int fd = (int) OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags, 0);
      if (fd < 0) {
        throw failed("open of " + path, state);
      }
      return fd;
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** {@code close(2)}. */
  public static void close(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      if ((int) CLOSE.invokeExact(state, fd) != 0) {
        throw failed("close", state);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /**
   * {@code pread(2)} of exactly that many bytes.
   *
   * @param address of native memory that the caller keeps alive
   * @throws IOException if it returns anything else, errors too
   */
  public static void pread(int fd, long address, long length, long offset) throws IOException {
    long n;
    try {
      n = (long) PREAD.invokeExact(fd, address, length, offset);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (n != length) {
      throw new IOException("pread of " + length + " bytes at " + offset + " returned " + n);
    }
  }

  /** {@code madvise(2)} for a whole segment, whose address is at the beginning of a page. */
  public static void madvise(MemorySegment segment, int advice) throws IOException {
    madvise(segment.address(), segment.byteSize(), advice);
  }

  /** {@code madvise(2)} of memory that the caller keeps alive, from the beginning of a page. */
  public static void madvise(long address, long length, int advice) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      if ((int) MADVISE.invokeExact(state, address, length, advice) != 0) {
        throw failed("madvise(" + advice + ")", state);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** {@code posix_fadvise(2)}; a length of 0 is all from the offset on. */
  public static void fadvise(int fd, long offset, long length, int advice) throws IOException {
    int error;
    try {
      error = (int) FADVISE.invokeExact(fd, offset, length, advice);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (error != 0) {
      throw new IOException("posix_fadvise(" + advice + ") failed with errno " + error);
    }
  }

  private static IOException failed(String call, MemorySegment state) {
    return new IOException(call + " failed with errno " + (int) ERRNO.get(state, 0L));
  }
}
