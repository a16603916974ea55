/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Empties the page cache of single files, which needs no root: {@code fsync}, since dirty pages
 * stay, and then {@code posix_fadvise(POSIX_FADV_DONTNEED)}. Pages that a process has mapped stay
 * too. Thread-safe.
 */
public final class PageCache {
  private static final int O_RDONLY_CLOEXEC = 02000000;
  private static final int POSIX_FADV_DONTNEED = 4;
  private static final int PAGE = 4096;
  private static final long CHUNK = 1L << 30;

  private PageCache() {}

  /** Drops a file's pages. */
  public static void drop(Path file) throws IOException, UnavailableException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    try (Arena arena = Arena.ofConfined()) {
      int fd = (int) Calls.OPEN.invokeExact(arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC);
      if (fd < 0) {
        throw new IOException("open failed: " + file);
      }
      int error = (int) Calls.FADVISE.invokeExact(fd, 0L, 0L, POSIX_FADV_DONTNEED);
      int closed = (int) Calls.CLOSE.invokeExact(fd);
      if (error != 0 || closed != 0) {
        throw new IOException("posix_fadvise(DONTNEED) failed with errno " + error + ": " + file);
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new UnavailableException(
          "the page cache cannot be emptied: run on 64-bit Linux, with"
              + " --enable-native-access=ALL-UNNAMED",
          e);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** How many bytes of a file are in the page cache, in whole pages. */
  public static long residentBytes(Path file) throws IOException {
    long resident = 0;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      long size = channel.size();
      for (long start = 0; start < size; start += CHUNK) {
        long length = Math.min(CHUNK, size - start);
        MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, start, length, arena);
        for (long page = 0; page < length; page += PAGE) {
          long bytes = Math.min(PAGE, length - page);
          resident += mapped.asSlice(page, bytes).isLoaded() ? bytes : 0;
        }
      }
    }
    return resident;
  }

  /** Loaded when first needed, and not where they are missing. */
  private static final class Calls {
    static final MethodHandle OPEN =
        handle(
            "open",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    static final MethodHandle FADVISE =
        handle(
            "posix_fadvise",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private Calls() {}

    @SuppressWarnings("restricted")
    private static MethodHandle handle(
        String name, FunctionDescriptor type, Linker.Option... options) {
      return Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), type, options);
    }
  }
}
