/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.pread.benchmarks.machine.Libc;
import dev.pread.benchmarks.result.Contender;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The system calls through FFM and nothing else: no errno, no protection of the descriptor. The
 * limit for any backend that uses FFM, and the only way here to {@code stat} a path.
 */
final class BareWay implements NativeWay {
  /** More than any {@code struct stat}. */
  private static final long STAT_BYTES = 256;

  private static final int PAGE = 4096;

  /** Loaded when first needed: older C libraries have no such functions. */
  private static final class Stat {
    static final MethodHandle STAT =
        handle("stat", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    static final MethodHandle FSTAT =
        handle("fstat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

    private Stat() {}

    @SuppressWarnings("restricted")
    private static MethodHandle handle(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type);
    }
  }

  /**
   * @throws IllegalStateException if the calls cannot be had
   */
  BareWay() {
    try {
      MethodHandle loaded = Stat.STAT;
      if (loaded == null) {
        throw new IllegalStateException("stat(2) is not there");
      }
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new IllegalStateException(
          "stat(2) cannot be called: run on 64-bit Linux with glibc 2.33 or later, with"
              + " --enable-native-access=ALL-UNNAMED",
          e);
    }
  }

  @Override
  public Contender contender() {
    return Contender.ceiling(BARE);
  }

  @Override
  public Optional<NativeCall> prepare(CallKind kind, Path file) throws IOException {
    return Optional.of(
        switch (kind) {
          case STAT -> new StatCall(Arena.ofShared(), file);
          case OPEN_FSTAT_CLOSE -> new OpenFstatClose(file);
          case FSTAT -> new FstatCall(Libc.open(file, Libc.O_RDONLY_CLOEXEC));
          case PREAD_8, PREAD_8192 ->
              new Pread(Libc.open(file, Libc.O_RDONLY_CLOEXEC), kind.bytes());
        });
  }

  @Override
  public Optional<Reader> open(Path file, int bytes) throws IOException {
    return Optional.of(new PreadAndCopy(new Pread(Libc.open(file, Libc.O_RDONLY_CLOEXEC), bytes)));
  }

  private static long fstat(int fd, MemorySegment stat) throws IOException {
    int result;
    try {
      result = (int) Stat.FSTAT.invokeExact(fd, stat);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    return inode(result, stat);
  }

  private static long inode(int result, MemorySegment stat) throws IOException {
    if (result != 0) {
      throw new IOException("stat returned " + result);
    }
    // st_ino is the second field on x86-64 and aarch64.
    return stat.get(ValueLayout.JAVA_LONG, Long.BYTES);
  }

  private static final class StatCall implements NativeCall {
    private final Arena arena;
    private final MemorySegment path;
    private final MemorySegment stat;

    StatCall(Arena arena, Path file) {
      this.arena = arena;
      this.path = arena.allocateFrom(file.toString());
      this.stat = arena.allocate(STAT_BYTES, Long.BYTES);
    }

    @Override
    public long call() throws IOException {
      int result;
      try {
        result = (int) Stat.STAT.invokeExact(path, stat);
      } catch (Throwable t) {
        throw new AssertionError(t);
      }
      return inode(result, stat);
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private record OpenFstatClose(Path file, Arena arena, MemorySegment stat) implements NativeCall {
    OpenFstatClose(Path file) {
      this(file, Arena.ofShared());
    }

    private OpenFstatClose(Path file, Arena arena) {
      this(file, arena, arena.allocate(STAT_BYTES, Long.BYTES));
    }

    @Override
    public long call() throws IOException {
      int fd = Libc.open(file, Libc.O_RDONLY_CLOEXEC);
      long inode = fstat(fd, stat);
      Libc.close(fd);
      return inode;
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private static final class FstatCall implements NativeCall {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment stat = arena.allocate(STAT_BYTES, Long.BYTES);
    private final int fd;

    FstatCall(int fd) {
      this.fd = fd;
    }

    @Override
    public long call() throws IOException {
      return fstat(fd, stat);
    }

    @Override
    public void close() throws IOException {
      arena.close();
      Libc.close(fd);
    }
  }

  private static final class Pread implements NativeCall {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer;
    private final int fd;

    Pread(int fd, int bytes) {
      this.fd = fd;
      this.buffer = arena.allocate(bytes, PAGE);
    }

    @Override
    public long call() throws IOException {
      Libc.pread(fd, buffer.address(), buffer.byteSize(), 0);
      return buffer.get(ValueLayout.JAVA_LONG, 0);
    }

    @Override
    public void close() throws IOException {
      arena.close();
      Libc.close(fd);
    }
  }

  private record PreadAndCopy(Pread pread) implements Reader {
    @Override
    public void read(byte[] array, long offset) throws IOException {
      Libc.pread(pread.fd, pread.buffer.address(), array.length, offset);
      MemorySegment.copy(pread.buffer, ValueLayout.JAVA_BYTE, 0, array, 0, array.length);
    }

    @Override
    public void close() throws IOException {
      pread.close();
    }
  }
}
