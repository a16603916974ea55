/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.jni;

import dev.pread.posix.Advice;
import dev.pread.posix.Errno;
import dev.pread.posix.FileStat;
import dev.pread.posix.IoVector;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PathBytes;
import dev.pread.posix.SystemCalls;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Implements {@link SystemCalls} by native methods.
 *
 * <p>The calls with a buffer, a vector or an array allocate nothing. A thread in any of them but
 * one does not keep the garbage collector from running, however long the disk takes. The exception
 * is the read into an array, which does not wait for the disk: resident data goes straight to where
 * it is wanted.
 */
final class JniSystemCalls implements SystemCalls {

  static final String NAME = "jni";

  /**
   * Whether the collectors of this JVM cope with reads straight into arrays. Before 25 some made
   * threads that wait for memory give up where such reads go on all the time, and threw an
   * OutOfMemoryError, however much of the heap was free (JDK-8192647).
   */
  private static final boolean COLLECTS_BESIDE_ARRAYS = Runtime.version().feature() >= 25;

  private final JniMemory memory = new JniMemory();

  /** Creates the backend. The library must have been loaded: see {@link NativeLibrary}. */
  JniSystemCalls() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public NativeBuffer allocate(int size, int alignment) {
    return JniBuffer.allocate(size, alignment);
  }

  @Override
  public ByteBuffer map(int size) {
    return memory.map(size);
  }

  @Override
  public NativeBuffer wrap(ByteBuffer mapped) {
    return JniBuffer.over(mapped);
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
    return LinuxCalls.mallocTrim();
  }

  @Override
  public IoVector newVector(int capacity) {
    return new IoVector(capacity, LinuxCalls::address, null);
  }

  @Override
  public int open(Path path, OpenMode mode) {
    int how =
        switch (mode) {
          case READ -> 0;
          case CREATE -> LinuxCalls.OPEN_WRITE | LinuxCalls.OPEN_CREATE;
          case WRITE -> LinuxCalls.OPEN_WRITE;
          case READ_DIRECT -> LinuxCalls.OPEN_DIRECT;
          case CREATE_DIRECT ->
              LinuxCalls.OPEN_WRITE | LinuxCalls.OPEN_CREATE | LinuxCalls.OPEN_DIRECT;
        };
    return LinuxCalls.open(PathBytes.of(path), how);
  }

  @Override
  public int close(int fd) {
    return LinuxCalls.close(fd);
  }

  @Override
  public long pread(int fd, NativeBuffer dst, int offset, int length, long position) {
    JniBuffer buffer = (JniBuffer) dst;
    try {
      return LinuxCalls.pread(fd, buffer.address(offset), length, position);
    } finally {
      // Only its address went into the call: without this the collector might free it meanwhile.
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long preadv(int fd, IoVector vector, long position) {
    try {
      return LinuxCalls.preadv(fd, vector.iovecs(), vector.size(), position);
    } finally {
      // The vector keeps the memory of its pieces reachable.
      Reference.reachabilityFence(vector);
    }
  }

  @Override
  public long preadNoWait(int fd, NativeBuffer dst, int offset, int length, long position) {
    JniBuffer buffer = (JniBuffer) dst;
    try {
      return LinuxCalls.preadNoWait(fd, buffer.address(offset), length, position);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long preadNoWait(int fd, byte[] dst, int offset, int length, long position) {
    Objects.checkFromIndexSize(offset, length, dst.length);
    if (!COLLECTS_BESIDE_ARRAYS) {
      return -Errno.ENOSYS;
    }
    return LinuxCalls.preadArrayNoWait(fd, dst, offset, length, position);
  }

  @Override
  public long pwrite(int fd, NativeBuffer src, int offset, int length, long position) {
    JniBuffer buffer = (JniBuffer) src;
    try {
      return LinuxCalls.pwrite(fd, buffer.address(offset), length, position);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public long write(int fd, NativeBuffer src, int offset, int length) {
    JniBuffer buffer = (JniBuffer) src;
    try {
      return LinuxCalls.write(fd, buffer.address(offset), length);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  @Override
  public int ftruncate(int fd, long length) {
    return LinuxCalls.ftruncate(fd, length);
  }

  @Override
  public int fsync(int fd) {
    return LinuxCalls.fsync(fd);
  }

  @Override
  public int fdatasync(int fd) {
    return LinuxCalls.fdatasync(fd);
  }

  @Override
  public int fstat(int fd, FileStat stat) {
    long[] out = new long[6];
    int result = LinuxCalls.fstat(fd, out);
    if (result == 0) {
      FileStat.Kind kind =
          switch ((int) out[0]) {
            case LinuxCalls.KIND_REGULAR -> FileStat.Kind.REGULAR;
            case LinuxCalls.KIND_DIRECTORY -> FileStat.Kind.DIRECTORY;
            default -> FileStat.Kind.OTHER;
          };
      stat.set(kind, out[1], out[2], out[3], out[4], out[5]);
    }
    return result;
  }

  @Override
  public long directAlignment(int fd) {
    return LinuxCalls.directAlignment(fd);
  }

  @Override
  public int fadvise(int fd, long position, long length, Advice advice) {
    return LinuxCalls.fadvise(fd, position, length, advice.number());
  }

  @Override
  public long ioSetup(int depth) {
    return LinuxCalls.ioSetup(depth);
  }

  @Override
  public int ioSubmit(long context, NativeBuffer requests, int offset, int count) {
    try {
      return LinuxCalls.ioSubmit(context, count, requests.address(offset));
    } finally {
      Reference.reachabilityFence(requests);
    }
  }

  @Override
  public int ioGetEvents(long context, int least, int most, NativeBuffer events, int timeout) {
    try {
      return LinuxCalls.ioGetEvents(
          context, least, most, events.address(0), events.address(timeout));
    } finally {
      Reference.reachabilityFence(events);
    }
  }

  @Override
  public int ioDestroy(long context) {
    return LinuxCalls.ioDestroy(context);
  }
}
