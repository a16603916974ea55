/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import java.io.IOException;
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

/** One system call after the other, on a file in the page cache; {@code native} runs it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class NativeCallBenchmark {
  /** Of at least 8 KiB. */
  @Param("")
  public String file;

  /** Who calls: a backend, {@code bare-ffm} or {@code jdk}. */
  @Param("ffm")
  public String caller;

  /** What is called. */
  @Param({"OPEN_FSTAT_CLOSE", "FSTAT", "PREAD_8", "PREAD_8192"})
  public String kind;

  private NativeCall call;

  /** Made by JMH. */
  public NativeCallBenchmark() {}

  /** Opens what is needed. */
  @Setup(Level.Trial)
  public void prepare() throws IOException {
    call = NativeCall.Kind.valueOf(kind).prepare(caller, Path.of(file));
  }

  /** Closes it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    call.close();
  }

  /** The call. */
  @Benchmark
  public long call() throws IOException {
    return call.call();
  }
}
