/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.posix.BackendRegistry;
import dev.pread.posix.FileStat;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Makes one system call after the other, on a file in the page cache; {@code native} runs it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NativeCallBenchmark {
  static final String BARE = "bare-ffm";
  static final String JDK = "jdk";

  /** The file, which has the data pattern and 8 KiB or more. */
  @Param("")
  public String file;

  /**
   * Who calls: a backend, {@code bare-ffm} for {@link FfmCalls}, or {@code jdk} for {@link Files}
   * and {@link FileChannel} with a direct buffer.
   */
  @Param("ffm")
  public String caller;

  @Param({"OPEN_FSTAT_CLOSE", "FSTAT", "PREAD_8", "PREAD_8192"})
  public Kind kind;

  private Call call;
  private Closeable opened;

  /** The calls, by the names that reports have for them. */
  public enum Kind {
    STAT("stat"),
    OPEN_FSTAT_CLOSE("open+fstat+close"),
    FSTAT("fstat"),
    PREAD_8("pread 8 B"),
    PREAD_8192("pread 8 KiB");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * Makes a call. It returns something of the result, so that no compiler leaves it out: of reads
   * the first word, else the length or the inode. It throws if the result is not what it has to be.
   */
  interface Call {
    long make() throws Throwable;
  }

  @Setup(Level.Trial)
  public void prepare() throws IOException {
    Path path = Path.of(file);
    int bytes = kind == Kind.PREAD_8 ? 8 : 8192;
    if (caller.equals(JDK)) {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      opened = channel;
      call = jdk(path, channel, bytes);
    } else {
      boolean bare = caller.equals(BARE);
      SystemCalls calls = BackendRegistry.get(bare ? "ffm" : caller).calls();
      int fd = open(calls, path);
      opened = () -> Source.check(calls.close(fd), "close");
      call = bare ? FfmCalls.call(kind, path, fd, bytes) : backend(calls, path, fd, bytes);
    }
  }

  private Call jdk(Path path, FileChannel channel, int bytes) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return switch (kind) {
      case STAT -> () -> Files.readAttributes(path, BasicFileAttributes.class).size();
      case OPEN_FSTAT_CLOSE ->
          () -> {
            try (FileChannel fresh = FileChannel.open(path, StandardOpenOption.READ)) {
              return fresh.size();
            }
          };
      case FSTAT -> channel::size;
      case PREAD_8, PREAD_8192 ->
          () -> {
            Source.checkCount(channel.read(buffer.clear(), 0), bytes, 0);
            return buffer.getLong(0);
          };
    };
  }

  private Call backend(SystemCalls calls, Path path, int fd, int bytes) {
    FileStat stat = new FileStat();
    NativeBuffer buffer = calls.allocate(bytes, 4096);
    return switch (kind) {
      case STAT -> throw new IllegalArgumentException("backends ask descriptors, never paths");
      case OPEN_FSTAT_CLOSE ->
          () -> {
            int fresh = open(calls, path);
            Source.check(calls.fstat(fresh, stat), "fstat");
            Source.check(calls.close(fresh), "close");
            return stat.size();
          };
      case FSTAT ->
          () -> {
            Source.check(calls.fstat(fd, stat), "fstat");
            return stat.size();
          };
      case PREAD_8, PREAD_8192 ->
          () -> {
            Source.checkCount(calls.pread(fd, buffer, 0, bytes, 0), bytes, 0);
            return buffer.bytes().getLong(0);
          };
    };
  }

  private static int open(SystemCalls calls, Path path) throws IOException {
    return Source.check(calls.open(path, OpenMode.READ), "open");
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    opened.close();
  }

  @Benchmark
  public long call() throws Throwable {
    return call.make();
  }
}
