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

  private Call call;
  private Closeable opened;

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

  private interface Call {
    long make() throws IOException;
  }

  /**
   * Calls on files that are open as {@code F}. They return something of the result, so that no
   * compiler leaves them out, and throw if it is not what it has to be.
   */
  interface Calls<F> {
    F open(Path path) throws IOException;

    long stat(Path path) throws IOException;

    long fstat(F file) throws IOException;

    /** Returns the first word of the file. */
    long pread(F file) throws IOException;

    void close(F file) throws IOException;
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

  /** Opens what is needed. */
  @Setup(Level.Trial)
  public void prepare() throws IOException {
    int bytes = kind == Kind.PREAD_8 ? 8 : 8192;
    switch (caller) {
      case BARE -> prepare(new FfmCalls.Bare(bytes));
      case JDK -> prepare(new JdkCalls(bytes));
      default -> prepare(new BackendCalls(BackendRegistry.get(caller).calls(), bytes));
    }
  }

  private <F> void prepare(Calls<F> calls) throws IOException {
    Path path = Path.of(file);
    F held = calls.open(path);
    opened = () -> calls.close(held);
    call =
        switch (kind) {
          case STAT -> () -> calls.stat(path);
          case OPEN_FSTAT_CLOSE ->
              () -> {
                F fresh = calls.open(path);
                long result = calls.fstat(fresh);
                calls.close(fresh);
                return result;
              };
          case FSTAT -> () -> calls.fstat(held);
          case PREAD_8, PREAD_8192 -> () -> calls.pread(held);
        };
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    opened.close();
  }

  /** The call. */
  @Benchmark
  public long call() throws IOException {
    return call.make();
  }

  private static final class JdkCalls implements Calls<FileChannel> {
    private final ByteBuffer buffer;

    JdkCalls(int bytes) {
      buffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public FileChannel open(Path path) throws IOException {
      return FileChannel.open(path, StandardOpenOption.READ);
    }

    @Override
    public long stat(Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).size();
    }

    @Override
    public long fstat(FileChannel file) throws IOException {
      return file.size();
    }

    @Override
    public long pread(FileChannel file) throws IOException {
      Sources.checkCount(file.read(buffer.clear(), 0), buffer.capacity(), 0);
      return buffer.getLong(0);
    }

    @Override
    public void close(FileChannel file) throws IOException {
      file.close();
    }
  }

  private static final class BackendCalls implements Calls<Integer> {
    private final FileStat stat = new FileStat();
    private final SystemCalls posix;
    private final NativeBuffer buffer;

    BackendCalls(SystemCalls posix, int bytes) {
      this.posix = posix;
      buffer = posix.allocate(bytes, 4096);
    }

    @Override
    public Integer open(Path path) throws IOException {
      return Sources.check(posix.open(path, OpenMode.READ), "open");
    }

    @Override
    public long stat(Path path) {
      throw new IllegalStateException("this project asks descriptors, never paths: see fstat");
    }

    @Override
    public long fstat(Integer file) throws IOException {
      Sources.check(posix.fstat(file, stat), "fstat");
      return stat.size();
    }

    @Override
    public long pread(Integer file) throws IOException {
      Sources.checkCount(posix.pread(file, buffer, 0, buffer.size(), 0), buffer.size(), 0);
      return buffer.bytes().getLong(0);
    }

    @Override
    public void close(Integer file) throws IOException {
      Sources.check(posix.close(file), "close");
    }
  }
}
