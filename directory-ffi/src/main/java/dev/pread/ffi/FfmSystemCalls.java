/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pread.posix.Advice;
import dev.pread.posix.Errno;
import dev.pread.posix.FileStat;
import dev.pread.posix.IoVector;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PathBytes;
import dev.pread.posix.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Implements {@link SystemCalls} by downcalls into libc.
 *
 * <p>The calls with a buffer or a vector ({@code pread}, {@code preadv}, {@code pwrite}, {@code
 * preadv2}) allocate nothing: the errno and the {@code iovec} lie in it. The others, which are
 * rare, use a small arena for the time of the call.
 */
final class FfmSystemCalls implements SystemCalls {

  static final String NAME = "ffm";

  private final LinuxAbi abi;
  private final FfmMemory memory = new FfmMemory();

  FfmSystemCalls(LinuxAbi abi) {
    this.abi = abi;
    // The first of such calls takes memory, which there may be none of when it is needed.
    int ignored = close(-1) + closeUnexplained(-1);
    memory.munmap(0, 0);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public NativeBuffer allocate(int size, int alignment) {
    return FfmBuffer.allocate(size, alignment);
  }

  @Override
  public ByteBuffer map(int size) {
    return memory.map(size);
  }

  @Override
  public NativeBuffer wrap(ByteBuffer mapped) {
    return FfmBuffer.over(mapped);
  }

  @Override
  public boolean mapIsLazy() {
    return true;
  }

  @Override
  public int discard(ByteBuffer mapped) {
    return memory.discard(mapped);
  }

  @Override
  public int populate(ByteBuffer mapped) {
    return memory.populate(mapped);
  }

  @Override
  public int mallocTrim() {
    if (LinuxCalls.MALLOC_TRIM == null) {
      return -Errno.ENOSYS;
    }
    try {
      return (int) LinuxCalls.MALLOC_TRIM.invokeExact(0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public IoVector newVector(int capacity) {
    MemorySegment callState = Arena.ofAuto().allocate(Errnos.LAYOUT);
    return new IoVector(capacity, memory::address, callState);
  }

  @Override
  public int open(Path path, OpenMode mode) {
    int flags =
        abi.openCloseOnExec()
            | switch (mode) {
              case READ -> LinuxAbi.O_RDONLY;
              case CREATE -> LinuxAbi.O_WRONLY | abi.openCreate() | abi.openExclusive();
              case WRITE -> LinuxAbi.O_WRONLY;
              case READ_DIRECT -> LinuxAbi.O_RDONLY | abi.openDirect();
              case CREATE_DIRECT ->
                  LinuxAbi.O_WRONLY | abi.openCreate() | abi.openExclusive() | abi.openDirect();
            };
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      byte[] bytes = PathBytes.of(path);
      // There is one more byte, which is 0 and ends the name.
      MemorySegment name = arena.allocate(bytes.length + 1L);
      MemorySegment.copy(bytes, 0, name, JAVA_BYTE, 0, bytes.length);
      int fd = (int) LinuxCalls.OPEN.invokeExact(state, name, flags, LinuxAbi.CREATE_MODE);
      return fd >= 0 ? fd : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int close(int fd) {
    boolean isCalled = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      // A descriptor that is lost now, for want of a few bytes, does less harm than one that is
      // closed twice, which may be another file's by then.
      isCalled = true;
      int result = (int) LinuxCalls.CLOSE.invokeExact(state, fd);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      if (isCalled) {
        throw unexpected(t);
      }
      // There is no memory for an errno. Nobody else would close the descriptor.
      return closeUnexplained(fd);
    }
  }

  private static int closeUnexplained(int fd) {
    try {
      int result = (int) LinuxCalls.CLOSE_UNEXPLAINED.invokeExact(fd);
      return result >= 0 ? 0 : -Errno.EIO;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public long pread(int fd, NativeBuffer dst, int offset, int length, long position) {
    FfmBuffer buffer = (FfmBuffer) dst;
    try {
      long n =
          (long)
              LinuxCalls.PREAD.invokeExact(
                  buffer.callState(), fd, buffer.address(offset), (long) length, position);
      return n >= 0 ? n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      // Only its address went into the call: without this the collector might free it meanwhile.
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long preadv(int fd, IoVector vector, long position) {
    MemorySegment state = (MemorySegment) vector.callState();
    try {
      long n =
          (long) LinuxCalls.PREADV.invokeExact(state, fd, vector.iovecs(), vector.size(), position);
      return n >= 0 ? n : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      // The vector keeps the memory of its pieces reachable.
      Reference.reachabilityFence(vector);
    }
  }

  @Override
  public long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position) {
    if (LinuxCalls.PREADV2 == null) {
      return -Errno.ENOSYS;
    }
    FfmBuffer buffer = (FfmBuffer) dst;
    try {
      long n =
          (long)
              LinuxCalls.PREADV2.invokeExact(
                  buffer.callState(),
                  fd,
                  buffer.iovec(offset, length),
                  1,
                  position,
                  LinuxAbi.RWF_NOWAIT);
      return n >= 0 ? n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long pwrite(int fd, NativeBuffer src, int offset, int length, long position) {
    FfmBuffer buffer = (FfmBuffer) src;
    try {
      long n =
          (long)
              LinuxCalls.PWRITE.invokeExact(
                  buffer.callState(), fd, buffer.address(offset), (long) length, position);
      return n >= 0 ? n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long write(int fd, NativeBuffer src, int offset, int length) {
    FfmBuffer buffer = (FfmBuffer) src;
    try {
      long n =
          (long)
              LinuxCalls.WRITE.invokeExact(
                  buffer.callState(), fd, buffer.address(offset), (long) length);
      return n >= 0 ? n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public int ftruncate(int fd, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      int result = (int) LinuxCalls.FTRUNCATE.invokeExact(state, fd, length);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int fsync(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      int result = (int) LinuxCalls.FSYNC.invokeExact(state, fd);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int fdatasync(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      int result = (int) LinuxCalls.FDATASYNC.invokeExact(state, fd);
      return result >= 0 ? 0 : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int fstat(int fd, FileStat stat) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      MemorySegment struct = arena.allocate(abi.statSize(), Long.BYTES);
      int result = (int) LinuxCalls.FSTAT.invokeExact(state, fd, struct);
      if (result < 0) {
        return Errnos.negated(state);
      }
      FileStat.Kind kind =
          switch (struct.get(JAVA_INT, abi.statMode()) & LinuxAbi.S_IFMT) {
            case LinuxAbi.S_IFREG -> FileStat.Kind.REGULAR;
            case LinuxAbi.S_IFDIR -> FileStat.Kind.DIRECTORY;
            default -> FileStat.Kind.OTHER;
          };
      stat.set(
          kind,
          struct.get(JAVA_LONG, LinuxAbi.STAT_DEVICE),
          struct.get(JAVA_LONG, LinuxAbi.STAT_INODE),
          struct.get(JAVA_LONG, LinuxAbi.STAT_FILE_SIZE),
          nanos(struct, LinuxAbi.STAT_MODIFIED),
          nanos(struct, LinuxAbi.STAT_CHANGED));
      return 0;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Returns the nanoseconds of the {@code timespec} at {@code offset}. */
  private static long nanos(MemorySegment struct, int offset) {
    return struct.get(JAVA_LONG, offset) * 1_000_000_000L
        + struct.get(JAVA_LONG, offset + LinuxAbi.TIMESPEC_NANOS);
  }

  @Override
  public long directAlignment(int fd) {
    if (LinuxCalls.STATX == null) {
      return -Errno.ENOSYS;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      MemorySegment struct = arena.allocate(LinuxAbi.STATX_SIZE, Long.BYTES);
      int result =
          (int)
              LinuxCalls.STATX.invokeExact(
                  state,
                  fd,
                  arena.allocateFrom(""),
                  LinuxAbi.AT_EMPTY_PATH,
                  LinuxAbi.STATX_DIOALIGN,
                  struct);
      if (result < 0) {
        return Errnos.negated(state);
      }
      if ((struct.get(JAVA_INT, LinuxAbi.STATX_MASK) & LinuxAbi.STATX_DIOALIGN) == 0) {
        return -Errno.EOPNOTSUPP;
      }
      return (long) struct.get(JAVA_INT, LinuxAbi.STATX_DIRECT_MEMORY) << Integer.SIZE
          | struct.get(JAVA_INT, LinuxAbi.STATX_DIRECT_OFFSET);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int fadvise(int fd, long position, long length, Advice advice) {
    int number = advice.number();
    try {
      // This call returns the error number itself.
      return -(int) LinuxCalls.POSIX_FADVISE.invokeExact(fd, position, length, number);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public long ioSetup(int depth) {
    // The first of these takes memory, too, as that of close does. There is no such context.
    int ignored = ioDestroy(0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Errnos.LAYOUT);
      // It has to be 0 before the call.
      MemorySegment context = arena.allocate(JAVA_LONG);
      long result =
          (long)
              LinuxCalls.SYSCALL.invokeExact(
                  state, abi.asynchronous().setup(), (long) depth, context.address(), 0L, 0L, 0L);
      return result >= 0 ? context.get(JAVA_LONG, 0) : Errnos.negated(state);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  @Override
  public int ioSubmit(long context, NativeBuffer requests, int offset, int count) {
    FfmBuffer buffer = (FfmBuffer) requests;
    try {
      long n =
          (long)
              LinuxCalls.SYSCALL.invokeExact(
                  buffer.callState(),
                  abi.asynchronous().submit(),
                  context,
                  (long) count,
                  buffer.address(offset),
                  0L,
                  0L);
      return n >= 0 ? (int) n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public int ioGetEvents(long context, int least, int most, NativeBuffer events, int timeout) {
    FfmBuffer buffer = (FfmBuffer) events;
    try {
      long n =
          (long)
              LinuxCalls.SYSCALL.invokeExact(
                  buffer.callState(),
                  abi.asynchronous().getEvents(),
                  context,
                  (long) least,
                  (long) most,
                  buffer.address(0),
                  buffer.address(timeout));
      return n >= 0 ? (int) n : buffer.negatedErrno();
    } catch (Throwable t) {
      throw unexpected(t);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public int ioDestroy(long context) {
    try {
      // An errno would take memory, which there may be none of, and nobody else would destroy it.
      long result =
          (long)
              LinuxCalls.SYSCALL_UNEXPLAINED.invokeExact(
                  abi.asynchronous().destroy(), context, 0L, 0L, 0L, 0L);
      return result >= 0 ? 0 : -Errno.EIO;
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /**
   * Rethrows what came out of a downcall. A downcall throws nothing, so this is an error of the JVM
   * or a bug of ours.
   */
  static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error e) {
      throw e;
    }
    if (t instanceof RuntimeException e) {
      throw e;
    }
    throw new AssertionError("a downcall threw a checked exception", t);
  }
}
