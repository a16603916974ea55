/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.posix.Backends;
import dev.pread.posix.FileStat;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.Posix;
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
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One system call after the other, on a file in the page cache; {@code native} runs it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class NativeCallBenchmark {
  /** The calls through FFM and nothing else. */
  static final String BARE = "bare-ffm";

  /** {@code Files} and {@code FileChannel} with a direct buffer. */
  static final String JDK = "jdk";

  /** Of the data pattern, at least 8 KiB long. */
  @Param("")
  public String file;

  /** Who calls: a backend, {@code bare-ffm} or {@code jdk}. */
  @Param("ffm")
  public String caller;

  /** What is called. */
  @Param({"OPEN_FSTAT_CLOSE", "FSTAT", "PREAD_8", "PREAD_8192"})
  public Kind kind;

  private Caller prepared;
  private Call call;

  /** What is called. */
  public enum Kind {
    /** By its path. */
    STAT("stat"),
    /** Three calls. */
    OPEN_FSTAT_CLOSE("open+fstat+close"),
    /** By its descriptor. */
    FSTAT("fstat"),
    /** Of 8 bytes. */
    PREAD_8("pread 8 B"),
    /** Of a page or two. */
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
   * Makes a call that is not measured.
   *
   * @throws IllegalStateException if it cannot be had here; the message says why
   */
  static long tryOnce(Path file, String caller, Kind kind) throws IOException {
    NativeCallBenchmark benchmark = new NativeCallBenchmark();
    benchmark.file = file.toString();
    benchmark.caller = caller;
    benchmark.kind = kind;
    benchmark.prepare();
    try {
      return benchmark.call();
    } finally {
      benchmark.close();
    }
  }

  private interface Call {
    long make() throws IOException;
  }

  /**
   * Makes calls on one file. All return something of the result, so that no compiler leaves them
   * out, and throw if it is not what it has to be; {@code pread} returns the first word.
   */
  interface Caller extends Closeable {
    long stat() throws IOException;

    long openFstatClose() throws IOException;

    long fstat() throws IOException;

    long pread() throws IOException;
  }

  /** Made by JMH. */
  public NativeCallBenchmark() {}

  /** Opens what is needed. */
  @Setup(Level.Trial)
  public void prepare() throws IOException {
    Path path = Path.of(file);
    int bytes = kind == Kind.PREAD_8 ? 8 : 8192;
    prepared =
        switch (caller) {
          case BARE -> new FfmCalls.Caller(path, bytes);
          case JDK -> new JdkCaller(path, bytes);
          default -> new BackendCaller(Backends.get(caller).posix(), path, bytes);
        };
    call =
        switch (kind) {
          case STAT -> prepared::stat;
          case OPEN_FSTAT_CLOSE -> prepared::openFstatClose;
          case FSTAT -> prepared::fstat;
          case PREAD_8, PREAD_8192 -> prepared::pread;
        };
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    prepared.close();
  }

  /** The call. */
  @Benchmark
  public long call() throws IOException {
    return call.make();
  }

  private static final class JdkCaller implements Caller {
    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer buffer;

    JdkCaller(Path file, int bytes) throws IOException {
      this.file = file;
      channel = FileChannel.open(file, StandardOpenOption.READ);
      buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public long stat() throws IOException {
      return Files.readAttributes(file, BasicFileAttributes.class).size();
    }

    @Override
    public long openFstatClose() throws IOException {
      try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ)) {
        return opened.size();
      }
    }

    @Override
    public long fstat() throws IOException {
      return channel.size();
    }

    @Override
    public long pread() throws IOException {
      Sources.checkCount(channel.read(buffer.clear(), 0), buffer.capacity(), 0);
      return buffer.getLong(0);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private static final class BackendCaller implements Caller {
    private final FileStat stat = new FileStat();
    private final Posix posix;
    private final Path file;
    private final int fd;
    private final NativeBuffer buffer;

    BackendCaller(Posix posix, Path file, int bytes) throws IOException {
      this.posix = posix;
      this.file = file;
      fd = check(posix.open(file, OpenMode.READ), "open");
      buffer = posix.allocate(bytes, 4096);
    }

    @Override
    public long stat() {
      throw new IllegalStateException("this project asks descriptors, never paths: see fstat");
    }

    @Override
    public long openFstatClose() throws IOException {
      FileStat fresh = new FileStat();
      int opened = check(posix.open(file, OpenMode.READ), "open");
      check(posix.fstat(opened, fresh), "fstat");
      check(posix.close(opened), "close");
      return fresh.size();
    }

    @Override
    public long fstat() throws IOException {
      check(posix.fstat(fd, stat), "fstat");
      return stat.size();
    }

    @Override
    public long pread() throws IOException {
      Sources.checkCount(posix.pread(fd, buffer, 0, buffer.size(), 0), buffer.size(), 0);
      return buffer.bytes().getLong(0);
    }

    @Override
    public void close() throws IOException {
      check(posix.close(fd), "close");
    }

    private static int check(int result, String call) throws IOException {
      if (result < 0) {
        throw new IOException(call + " failed with errno " + -result);
      }
      return result;
    }
  }
}
