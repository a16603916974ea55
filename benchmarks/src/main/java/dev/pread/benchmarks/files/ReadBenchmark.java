/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOUtils;
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
 * Reads of one file in one way: an operation is sixteen reads of whole blocks into an array. The
 * {@code grid} and other commands arrange the file and the memory limit; run by JMH alone it reads
 * a file of its own.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 2)
@Fork(
    value = 3,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"})
public class ReadBenchmark {
  /** Another file, beside the one that is measured. */
  static final String CODE_FILE = "code";

  /** The length of the other file. */
  static final long CODE_FILE_BYTES = 32L << 20;

  /** How often the other file is cold before the one that is measured. */
  private static final int COLD_STARTS = 20;

  private static final int LARGE = 1 << 20;

  /** How to read. */
  @Param("mmap")
  public String way;

  /** The length of a block; of direct reads a multiple of 4096. */
  @Param("16384")
  public int bytes;

  /** Where the blocks of an operation are: {@code random}, {@code sequential} or {@code file}. */
  @Param("random")
  public String order;

  /** How the file compares with the memory: {@code fits}, {@code limit}, {@code exceeds, cold}. */
  @Param("fits")
  public String regime;

  /** What to read; empty for a file of its own. */
  @Param("")
  public String file;

  /** The length of its own file. */
  @Param("64")
  public int fileMebibytes;

  /** Draws other positions. */
  @Param("42")
  public long seed;

  /** How long every byte is checked, and the code compiled, before anything is measured. */
  @Param("1")
  public double checkSeconds;

  private Way reads;
  private Regime memory;
  private Path path;
  private Path ownFolder;
  private SplittableRandom seeds;
  private Source source;

  /** Made by JMH. */
  public ReadBenchmark() {}

  /** Opens the file, warms it, compiles the code, and checks every byte of a while of reading. */
  @Setup(Level.Trial)
  public void open() throws IOException, UserError, UnavailableException {
    reads = Way.named(way);
    memory = Regime.valueOf(regime.toUpperCase(Locale.ROOT));
    seeds = new SplittableRandom(seed);
    path = Path.of(file);
    if (file.isEmpty()) {
      ownFolder = Files.createTempDirectory("lucene-pread-jmh-");
      path = ownFolder.resolve("data");
      DataPattern.write(path, (long) fileMebibytes << 20);
    }
    if (memory == Regime.COLD) {
      compile(path.resolveSibling(CODE_FILE));
      PageCache.drop(path);
      source = open(path);
    } else {
      source = open(path);
      warm(memory.warmBytes(Files.size(path)));
      check(source, path, checkSeconds);
    }
  }

  private Source open(Path what) throws IOException {
    return reads.open(what, bytes, IOContext.DEFAULT);
  }

  /**
   * Checks another file that is cold again and again: misses are compiled then, too, and not for
   * the first time while they are measured.
   */
  private void compile(Path other) throws IOException, UnavailableException {
    DataPattern.write(other, CODE_FILE_BYTES);
    long end = System.nanoTime() + (long) (checkSeconds * 1e9);
    do {
      PageCache.drop(other);
      try (Source code = open(other)) {
        check(code, other, checkSeconds / COLD_STARTS);
      }
    } while (System.nanoTime() - end < 0);
  }

  /**
   * Brings the beginning of the file into this process's memory: the page cache in large reads,
   * since some ways are very slow at it, a block cache by the way itself.
   */
  private void warm(long length) throws IOException {
    switch (reads.keeps()) {
      case PAGES -> {
        try (Source fast = Way.CHANNEL_DIRECT.open(path, LARGE, IOContext.DEFAULT)) {
          Source.BlockReader reader = fast.reader();
          byte[] block = new byte[LARGE];
          for (long position = 0; position + LARGE <= length; position += LARGE) {
            reader.read(position, block);
          }
        }
      }
      case BLOCKS -> kernel(source, path).readAll(length);
      default -> {
        // Nothing to be warmed.
      }
    }
  }

  /**
   * What is measured later, with every byte checked, in turns with what is measured exactly: so
   * that it is compiled before many threads compete with the compiler.
   */
  private void check(Source checked, Path its, double seconds) throws IOException {
    Kernel kernel = kernel(checked, its);
    long end = System.nanoTime() + (long) (seconds * 1e9);
    do {
      kernel.run(true);
      kernel.run(false);
    } while (System.nanoTime() - end < 0);
  }

  private synchronized Kernel kernel(Source of, Path its) throws IOException {
    Order where = Order.valueOf(order.toUpperCase(Locale.ROOT));
    return new Kernel(of.reader(), where, Files.size(its), bytes, seeds.split());
  }

  /** Closes everything; what was read cold is checked now, not to warm it before. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    try {
      if (memory == Regime.COLD) {
        check(source, path, checkSeconds);
      }
    } finally {
      IOUtils.close(source);
      if (ownFolder != null) {
        IOUtils.rm(ownFolder);
      }
    }
  }

  /** What a thread has of its own. */
  @State(Scope.Thread)
  public static class Worker {
    private Kernel kernel;

    /** Made by JMH. */
    public Worker() {}

    /** Makes a reader. */
    @Setup(Level.Trial)
    public void begin(ReadBenchmark benchmark) throws IOException {
      kernel = benchmark.kernel(benchmark.source, benchmark.path);
    }
  }

  /** Sixteen reads. */
  @Benchmark
  public byte[] read(Worker worker) throws IOException {
    return worker.kernel.run(false);
  }
}
