/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.lucene.util.IOUtils;

/**
 * Makes system calls through FFM and does nothing else: no errno, no loop for short reads, no
 * protection of the descriptor. It is a contender, and the limit for any backend that uses FFM: so
 * it binds the calls itself, since the backend's bindings have all that this is to be without.
 * Files are opened and closed by the {@code ffm} backend. This class needs Java 22.
 */
final class FfmCalls {
  private static final int ALIGNMENT = 4096;
  private static final int MADV_RANDOM = 1;
  private static final int MADV_WILLNEED = 3;

  /** The bytes for a {@code struct stat}, more than any has. */
  private static final long STAT_BYTES = 256;

  private static final MethodHandle PREAD =
      link("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  /** Takes an array of the heap; its thread can't be brought to a safepoint meanwhile. */
  private static final MethodHandle CRITICAL_PREAD =
      link(
          "pread",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG),
          Linker.Option.critical(true));

  private static final MethodHandle MADVISE =
      link("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

  /** Null, as {@link #FSTAT} is, before version 2.33 of glibc: then they cannot be measured. */
  static final MethodHandle STAT = link("stat", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

  private static final MethodHandle FSTAT =
      link("fstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

  private FfmCalls() {}

  @SuppressWarnings("restricted")
  private static MethodHandle link(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker
        .defaultLookup()
        .find(name)
        .map(symbol -> linker.downcallHandle(symbol, type, options))
        .orElse(null);
  }

  /** Reads from one descriptor for all threads, through native memory and a copy. */
  static Source pread(Path file, OpenMode mode, int bytes) throws IOException {
    int fd = open(file, mode);
    return new Source(
        () -> {
          MemorySegment buffer = Arena.ofAuto().allocate(bytes, ALIGNMENT);
          return (position, into) -> {
            pread(fd, buffer, into.length, position);
            MemorySegment.copy(buffer, JAVA_BYTE, 0, into, 0, into.length);
          };
        },
        () -> close(fd));
  }

  private static void pread(int fd, MemorySegment memory, long length, long position)
      throws IOException {
    try {
      long n = (long) PREAD.invokeExact(fd, memory.address(), length, position);
      Source.checkCount(n, length, position);
    } catch (Throwable t) {
      throw IOUtils.rethrowAlways(t);
    }
  }

  /** Reads straight into the array: what not to do where the disk is waited for. */
  static Source criticalPread(Path file) throws IOException {
    int fd = open(file, OpenMode.READ);
    return new Source(() -> (position, into) -> readCritical(fd, into, position), () -> close(fd));
  }

  private static void readCritical(int fd, byte[] into, long position) throws IOException {
    MemorySegment array = MemorySegment.ofArray(into);
    try {
      long n = (long) CRITICAL_PREAD.invokeExact(fd, array, (long) into.length, position);
      Source.checkCount(n, into.length, position);
    } catch (Throwable t) {
      throw IOUtils.rethrowAlways(t);
    }
  }

  /** Maps the whole file as one segment, with nothing of Lucene around it. */
  static Source mapped(Path file, boolean random, boolean prefetches) throws IOException {
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment segment = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      if (random) {
        advise(segment.address(), segment.byteSize(), MADV_RANDOM);
      }
      return new Source(() -> new Mapped(segment, prefetches), arena::close);
    }
  }

  private record Mapped(MemorySegment segment, boolean prefetches) implements Source.BlockReader {
    @Override
    public void read(long position, byte[] into) {
      MemorySegment.copy(segment, JAVA_BYTE, position, into, 0, into.length);
    }

    /** Blocks begin at pages: an address that does not is refused. */
    @Override
    public void prefetch(long[] positions, int bytes) throws IOException {
      if (prefetches) {
        for (long position : positions) {
          advise(segment.address() + position, bytes, MADV_WILLNEED);
        }
      }
    }
  }

  private static void advise(long address, long bytes, int advice) throws IOException {
    try {
      Source.check((int) MADVISE.invokeExact(address, bytes, advice), "madvise");
    } catch (Throwable t) {
      throw IOUtils.rethrowAlways(t);
    }
  }

  /** Writes blocks to a mapping of the whole file; taking it down is part of that. */
  static void write(FileChannel file, long length, MarkedBlock block, int bytes)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = file.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
      for (long offset = 0; offset < length; offset += bytes) {
        MemorySegment.copy(block.at(offset), 0, segment, JAVA_BYTE, offset, bytes);
      }
    }
  }

  static int open(Path file, OpenMode mode) throws IOException {
    return Source.check(calls().open(file, mode), "open of " + file + " (" + mode + ")");
  }

  static void close(int fd) throws IOException {
    Source.check(calls().close(fd), "close");
  }

  private static SystemCalls calls() {
    return BackendRegistry.get("ffm").calls();
  }

  /** Returns a single call on an open file; those that ask for its attributes return the inode. */
  static NativeCallBenchmark.Call call(
      NativeCallBenchmark.Kind kind, Path path, int fd, int bytes) {
    MemorySegment name = Arena.ofAuto().allocateFrom(path.toString());
    MemorySegment stat = Arena.ofAuto().allocate(STAT_BYTES, Long.BYTES);
    MemorySegment buffer = Arena.ofAuto().allocate(bytes, ALIGNMENT);
    return switch (kind) {
      case STAT -> () -> inode((int) STAT.invokeExact(name, stat), stat);
      case OPEN_FSTAT_CLOSE ->
          () -> {
            int fresh = open(path, OpenMode.READ);
            long inode = inode((int) FSTAT.invokeExact(fresh, stat), stat);
            close(fresh);
            return inode;
          };
      case FSTAT -> () -> inode((int) FSTAT.invokeExact(fd, stat), stat);
      case PREAD_8, PREAD_8192 ->
          () -> {
            pread(fd, buffer, bytes, 0);
            return buffer.get(JAVA_LONG, 0);
          };
    };
  }

  private static long inode(int result, MemorySegment stat) throws IOException {
    Source.check(result, "stat");
    // st_ino is the second field on x86-64 and aarch64.
    return stat.get(JAVA_LONG, Long.BYTES);
  }
}
