/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.FileStat;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Something to be called over and over by one thread, and what it needs.
 *
 * @param body the call
 * @param resource that it needs
 */
record NativeCall(Body body, Closeable resource) implements Closeable {
  /** The system calls through FFM and nothing else. */
  static final String BARE = "bare-ffm";

  /** {@code Files} and {@code FileChannel} with a direct buffer. */
  static final String JDK = "jdk";

  private static final int ALIGNMENT = 4096;

  /** One call. */
  interface Body {
    /**
     * Calls.
     *
     * @return something of the result, so that no compiler leaves the call out
     * @throws IOException if the result is not what it has to be
     */
    long call() throws IOException;
  }

  /** What is called. */
  enum Kind {
    STAT("stat"),
    OPEN_FSTAT_CLOSE("open+fstat+close"),
    FSTAT("fstat"),
    PREAD_8("pread 8 B"),
    PREAD_8192("pread 8 KiB");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** As reports name it. */
    String text() {
      return text;
    }

    /** Bytes of a read. */
    private int bytes() {
      return this == PREAD_8 ? 8 : 8192;
    }

    /**
     * Makes the call ready.
     *
     * @param caller a backend of this project, {@link #BARE} or {@link #JDK}
     * @param file of the data pattern, at least 8 KiB long
     * @throws IllegalStateException if it cannot be had here; the message says why
     */
    NativeCall prepare(String caller, Path file) throws IOException {
      return switch (caller) {
        case BARE -> bare(this, file);
        case JDK -> jdk(this, file);
        default -> backend(this, BackendRegistry.get(caller).calls(), file);
      };
    }
  }

  long call() throws IOException {
    return body.call();
  }

  @Override
  public void close() throws IOException {
    resource.close();
  }

  private static NativeCall bare(Kind kind, Path file) throws IOException {
    MemorySegment stat = FfmCalls.newStat();
    if (kind == Kind.STAT) {
      MemorySegment name = FfmCalls.name(file);
      return new NativeCall(() -> FfmCalls.stat(name, stat), () -> {});
    }
    if (kind == Kind.OPEN_FSTAT_CLOSE) {
      return new NativeCall(
          () -> {
            int fd = FfmCalls.open(file, OpenMode.READ);
            long inode = FfmCalls.fstat(fd, stat);
            FfmCalls.close(fd);
            return inode;
          },
          () -> {});
    }
    int fd = FfmCalls.open(file, OpenMode.READ);
    MemorySegment buffer = Arena.ofAuto().allocate(kind.bytes(), ALIGNMENT);
    Body body =
        kind == Kind.FSTAT
            ? () -> FfmCalls.fstat(fd, stat)
            : () -> {
              FfmCalls.pread(fd, buffer, buffer.byteSize(), 0);
              return buffer.get(ValueLayout.JAVA_LONG, 0);
            };
    return new NativeCall(body, () -> FfmCalls.close(fd));
  }

  private static NativeCall jdk(Kind kind, Path file) throws IOException {
    if (kind == Kind.STAT) {
      return new NativeCall(
          () -> Files.readAttributes(file, BasicFileAttributes.class).size(), () -> {});
    }
    if (kind == Kind.OPEN_FSTAT_CLOSE) {
      return new NativeCall(
          () -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
              return channel.size();
            }
          },
          () -> {});
    }
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    ByteBuffer buffer = ByteBuffer.allocateDirect(kind.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    Body body =
        kind == Kind.FSTAT
            ? channel::size
            : () -> {
              FfmCalls.checkCount(channel.read(buffer.clear(), 0), buffer.capacity(), 0);
              return buffer.getLong(0);
            };
    return new NativeCall(body, channel);
  }

  private static NativeCall backend(Kind kind, SystemCalls calls, Path file) throws IOException {
    long size = Files.size(file);
    FileStat stat = new FileStat();
    if (kind == Kind.STAT) {
      throw new IllegalStateException("this project asks descriptors, never paths: see fstat");
    }
    if (kind == Kind.OPEN_FSTAT_CLOSE) {
      return new NativeCall(
          () -> {
            FileStat fresh = new FileStat();
            int fd = check(calls.open(file, OpenMode.READ), "open");
            check(calls.fstat(fd, fresh), "fstat");
            check(calls.close(fd), "close");
            return inode(fresh, size);
          },
          () -> {});
    }
    int fd = check(calls.open(file, OpenMode.READ), "open");
    NativeBuffer buffer = calls.allocate(kind.bytes(), ALIGNMENT);
    Body body =
        kind == Kind.FSTAT
            ? () -> {
              check(calls.fstat(fd, stat), "fstat");
              return inode(stat, size);
            }
            : () -> {
              FfmCalls.checkCount(calls.pread(fd, buffer, 0, buffer.size(), 0), buffer.size(), 0);
              return buffer.bytes().getLong(0);
            };
    return new NativeCall(body, () -> check(calls.close(fd), "close"));
  }

  private static int check(int result, String call) throws IOException {
    if (result < 0) {
      throw new IOException(call + " failed with errno " + -result);
    }
    return result;
  }

  private static long inode(FileStat stat, long size) throws IOException {
    if (stat.size() != size) {
      throw new IOException("fstat says " + stat + ", not " + size);
    }
    return stat.inode();
  }
}
