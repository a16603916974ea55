/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import dev.pread.benchmarks.load.DataPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

/**
 * A whole file in the page cache, read in a row into one array, whose ends are checked after each
 * read; {@code native} runs it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class HeapReadBenchmark {

  /** Of {@link DataPattern}, a multiple of the reads. */
  @Param("")
  public String file;

  /** Who reads. */
  @Param("ffm")
  public String way;

  /** Length of a read. */
  @Param({"8192", "131072", "1048576"})
  public int bytes;

  private NativeWay.Reader reader;
  private byte[] array;
  private long length;

  /** Made by JMH. */
  public HeapReadBenchmark() {}

  /** Opens the file. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    array = new byte[bytes];
    length = Files.size(Path.of(file));
    reader = NativeWay.named(way).open(Path.of(file), bytes).orElseThrow();
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    reader.close();
  }

  /** The file, once. */
  @Benchmark
  public byte[] readFile() throws IOException {
    for (long offset = 0; offset < length; offset += bytes) {
      reader.read(array, offset);
      DataPattern.check(array, offset, bytes);
    }
    return array;
  }
}
