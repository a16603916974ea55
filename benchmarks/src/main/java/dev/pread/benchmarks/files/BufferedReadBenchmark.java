/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.DataPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.RandomAccessInput;
import org.apache.lucene.util.IOUtils;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads that a buffer of 1 KiB already holds: what Lucene's decoders do most of the time. Each
 * invocation goes back to the start of the buffer and reads {@value #BYTES} bytes of it; the
 * figures are per value. {@code slice} and {@code clone} are here for their allocation ({@code
 * -prof gc}).
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"})
public class BufferedReadBenchmark {
  private static final int BYTES = 960;

  /** A directory, by its name on the command line. */
  @Param({"pread", "niofs", "mmap"})
  public String source;

  private final long[] longs = new long[BYTES / Long.BYTES];
  private Path folder;
  private Directory directory;
  private IndexInput master;
  private IndexInput input;
  private RandomAccessInput absolute;

  @Setup(Level.Trial)
  public void open() throws IOException {
    folder = Files.createTempDirectory("lucene-pread-jmh-");
    DataPattern.write(folder.resolve("data"), 1 << 20);
    directory = DirectoryKind.named(source).openForReading(folder);
    // Lucene opens every index so. Where the compiler has seen a single class that reads values, it
    // checks that class in another way than in any search, and slower.
    directory.openChecksumInput("data").close();
    master = directory.openInput("data", IOContext.DEFAULT);
    input = master.clone();
    absolute = master.randomAccessSlice(0, master.length());
    // Not from the very start, where the alignment of everything is better than elsewhere.
    input.seek(1);
    input.readByte();
    absolute.readByte(1);
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    IOUtils.close(master, directory);
    IOUtils.rm(folder);
  }

  @Benchmark
  @OperationsPerInvocation(BYTES)
  public int readByte() throws IOException {
    input.seek(1);
    int sum = 0;
    for (int i = 0; i < BYTES; i++) {
      sum += input.readByte();
    }
    return sum;
  }

  /** Reads variable-length ints out of random bytes. */
  @Benchmark
  @OperationsPerInvocation(BYTES / 8)
  public int readVInt() throws IOException {
    input.seek(1);
    int sum = 0;
    for (int i = 0; i < BYTES / 8; i++) {
      sum += input.readVInt();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(BYTES / 4)
  public int readInt() throws IOException {
    input.seek(1);
    int sum = 0;
    for (int i = 0; i < BYTES / 4; i++) {
      sum += input.readInt();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(BYTES / 8)
  public long readLong() throws IOException {
    input.seek(1);
    long sum = 0;
    for (int i = 0; i < BYTES / 8; i++) {
      sum += input.readLong();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(BYTES / 8)
  public long[] readLongs() throws IOException {
    input.seek(1);
    input.readLongs(longs, 0, longs.length);
    return longs;
  }

  /** Reads longs at absolute positions, as doc values are read. */
  @Benchmark
  @OperationsPerInvocation(BYTES / 8)
  public long readLongAbsolute() throws IOException {
    long sum = 0;
    for (int i = 0; i < BYTES / 8; i++) {
      sum += absolute.readLong(1 + 8 * i);
    }
    return sum;
  }

  /** Makes a slice that nobody reads. */
  @Benchmark
  public IndexInput slice() throws IOException {
    return input.slice("slice", 17, 1000);
  }

  /** Makes a clone that nobody reads. */
  @Benchmark
  public IndexInput cloneInput() {
    return input.clone();
  }
}
