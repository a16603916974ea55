/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.jmh;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * {@code pread(2)} and a copy into the heap, and nothing else: the least a read into a {@code
 * byte[]} can cost through FFM, against which {@code PreadDirectory} is measured. No loop for short
 * reads, no protection against reuse of the descriptor, no errno; not code to use for anything
 * else.
 *
 * <p>One thread.
 */
final class BareFfmPread implements AutoCloseable {

  private static final int O_CLOEXEC = 02000000;

  @SuppressWarnings("restricted")
  private static final MethodHandle OPEN =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("open").orElseThrow(),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
              Linker.Option.firstVariadicArg(2));

  @SuppressWarnings("restricted")
  private static final MethodHandle CLOSE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("close").orElseThrow(),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  @SuppressWarnings("restricted")
  private static final MethodHandle PREAD =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("pread").orElseThrow(),
              FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private final int fd;
  private final Arena arena = Arena.ofShared();
  private final long address;
  private final ByteBuffer bytes;

  /**
   * @param fd of {@link #open}; all threads share one, as the clones of an input do
   */
  BareFfmPread(int fd, int maxLength) {
    MemorySegment buffer = arena.allocate(maxLength, 4096);
    this.fd = fd;
    this.address = buffer.address();
    this.bytes = buffer.asByteBuffer();
  }

  static int open(Path path) throws IOException {
    try (Arena name = Arena.ofConfined()) {
      int fd = (int) OPEN.invokeExact(name.allocateFrom(path.toString()), O_CLOEXEC);
      if (fd < 0) {
        throw new IOException("open failed: " + path);
      }
      return fd;
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  static void close(int fd) throws IOException {
    int result;
    try {
      result = (int) CLOSE.invokeExact(fd);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (result != 0) {
      throw new IOException("close failed: " + fd);
    }
  }

  void read(long position, byte[] dst, int length) throws IOException {
    long n;
    try {
      n = (long) PREAD.invokeExact(fd, address, (long) length, position);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (n != length) {
      throw new IOException("pread returned " + n + " for " + length);
    }
    bytes.get(0, dst, 0, length);
  }

  @Override
  public void close() {
    arena.close();
  }
}
