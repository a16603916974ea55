/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.Regime;
import dev.pread.benchmarks.report.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.Directory;
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
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Reads one file in one way: an operation is sixteen reads of whole blocks into an array. The
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
  /** The times of all threads' reads in the last fifth of the iterations, if they were timed. */
  static final Histogram LATENCIES = new Histogram(3);

  /** What {@link SafepointsCommand.Disturbances} took in the last iteration. */
  static final Figures DISTURBED = new Figures(Map.of(), new ArrayList<>());

  /** The length of another file, beside the one that is measured. */
  static final long CODE_FILE_BYTES = 32L << 20;

  /** How often the other file is cold before the one that is measured. */
  private static final int COLD_STARTS = 20;

  private static final double TAIL_SHARE = 0.2;
  private static final int WARMING_BYTES = 1 << 20;

  /**
   * Says what is watched: where it is anything, each read is timed, and the ends of it are checked.
   */
  public enum Watch {
    NOTHING,
    /** The reads of a file of which nothing is in memory at the beginning. */
    COLD,
    /** The same by a cache that had the file before, and reads it again as after a restart. */
    RESTARTED,
    /**
     * The reads beside {@link SafepointsCommand.Disturbances}, of which {@code safepoints} has the
     * JVM write a log.
     */
    DISTURBED
  }

  /** How to read; a directory may also be named by its class. */
  @Param("mmap")
  public String way;

  /** The length of a block; of direct reads a multiple of 4096. */
  @Param("16384")
  public int bytes;

  /** Where the blocks of an operation are, as in {@link Order}. */
  @Param("random")
  public String order;

  /** The exponent of the frequencies of random blocks, like 0.99; 0 for all alike. */
  @Param("0")
  public double zipf;

  /** How many blocks are announced together, a multiple of an operation's reads. */
  @Param("16")
  public int announced;

  /** How the file compares with the memory, as in {@link Regime}. */
  @Param("fits")
  public String regime;

  /** What to read; empty for a file of its own. */
  @Param("")
  public String file;

  @Param("64")
  public int fileMebibytes;

  /** Draws other positions. */
  @Param("42")
  public long seed;

  /** How long every byte is checked, and the code compiled, before anything is measured. */
  @Param("1")
  public double checkSeconds;

  @Param("NOTHING")
  public Watch watch;

  private Path path;
  private Path ownFolder;
  private SplittableRandom seeds;
  private Source source;
  private SafepointsCommand.Disturbances disturbances;

  /** Opens the file, warms it, compiles the code, and checks every byte of a while of reading. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    Regime memory = Regime.valueOf(regime.toUpperCase(Locale.ROOT));
    seeds = new SplittableRandom(seed);
    path = Path.of(file);
    if (file.isEmpty()) {
      ownFolder = Files.createTempDirectory("lucene-pread-jmh-");
      path = ownFolder.resolve("data");
      DataPattern.write(path, (long) fileMebibytes << 20);
    }
    if (isCold()) {
      compile(path.resolveSibling("code"));
      if (watch == Watch.RESTARTED) {
        try (Source before = open(path)) {
          kernel(before, path).readAll(Files.size(path));
        }
      }
      PageCache.drop(path);
      source = open(path);
    } else {
      source = open(path);
      warm(memory.warmBytes(Files.size(path)));
      check(source, path, checkSeconds);
    }
  }

  private boolean isCold() {
    return watch == Watch.COLD || watch == Watch.RESTARTED;
  }

  private Source open(Path what) throws IOException {
    if (watch == Watch.RESTARTED) {
      return Source.withHotList(DirectoryKind.named(way), what);
    }
    Way known = Way.named(way);
    if (known != null) {
      return known.open(what, bytes, IOContext.DEFAULT);
    }
    Directory directory = DirectoryKind.named(way).openForReading(what.getParent());
    return Source.lucene(directory, what, IOContext.DEFAULT, false);
  }

  /**
   * Checks another file that is cold again and again: misses are compiled then, too, and not for
   * the first time while they are measured. At the end all of it is read, so that as much of a
   * cache's memory has been used before.
   */
  private void compile(Path other) throws IOException {
    DataPattern.write(other, CODE_FILE_BYTES);
    long end = System.nanoTime() + (long) (checkSeconds * 1e9);
    do {
      PageCache.drop(other);
      try (Source code = open(other)) {
        check(code, other, checkSeconds / COLD_STARTS);
      }
    } while (System.nanoTime() - end < 0);
    try (Source code = open(other)) {
      kernel(code, other).readAll(CODE_FILE_BYTES);
    }
  }

  /**
   * Brings the beginning of the file into this process's memory: the page cache in large reads,
   * since some ways are very slow at it, a block cache by the way itself.
   */
  private void warm(long length) throws IOException {
    Way known = Way.named(way);
    if (known == null || known.keeps() == Way.Keeps.BLOCKS) {
      kernel(source, path).readAll(length);
    } else if (known.keeps() == Way.Keeps.PAGES) {
      byte[] block = new byte[WARMING_BYTES];
      try (InputStream in = Files.newInputStream(path)) {
        for (long read = 0; read < length; read += block.length) {
          in.readNBytes(block, 0, block.length);
        }
      }
    }
  }

  /**
   * Runs what is measured later with every byte checked, in turns with exactly what is measured, so
   * that it is compiled before many threads compete with the compiler.
   */
  private void check(Source checked, Path its, double seconds) throws IOException {
    Kernel kernel = kernel(checked, its);
    Histogram ignored = new Histogram(3);
    long end = System.nanoTime() + (long) (seconds * 1e9);
    do {
      kernel.run(true);
      run(kernel, ignored);
    } while (System.nanoTime() - end < 0);
  }

  private synchronized Kernel kernel(Source of, Path its) throws IOException {
    Order where = Order.valueOf(order.toUpperCase(Locale.ROOT));
    Kernel.Shape shape = new Kernel.Shape(where, bytes, zipf, announced);
    return new Kernel(of.reader(), shape, Files.size(its), seeds.split());
  }

  /** Begins to disturb, if that is asked for. */
  @Setup(Level.Iteration)
  public void begin() {
    disturbances = watch == Watch.DISTURBED ? new SafepointsCommand.Disturbances(path) : null;
  }

  @TearDown(Level.Iteration)
  public void end() throws IOException, InterruptedException {
    if (disturbances != null) {
      DISTURBED.samples().clear();
      disturbances.end(DISTURBED);
    }
  }

  /** Closes everything; what was read cold is checked now, not to warm it before. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    try {
      if (isCold()) {
        check(source, path, checkSeconds);
      }
    } finally {
      IOUtils.close(source);
      if (ownFolder != null) {
        IOUtils.rm(ownFolder);
      }
    }
  }

  @State(Scope.Thread)
  public static class Worker {
    private final Histogram latencies = new Histogram(3);
    private Kernel kernel;
    private int iteration;

    @Setup(Level.Trial)
    public void begin(ReadBenchmark benchmark) throws IOException {
      kernel = benchmark.kernel(benchmark.source, benchmark.path);
    }

    /** Forgets the times of before the last fifth. */
    @Setup(Level.Iteration)
    public void next(BenchmarkParams params) {
      int iterations = params.getWarmup().getCount() + params.getMeasurement().getCount();
      if (iteration++ == (int) (iterations * (1 - TAIL_SHARE))) {
        latencies.reset();
      }
    }

    /** Leaves the times of its reads. */
    @TearDown(Level.Trial)
    public void end() {
      synchronized (LATENCIES) {
        LATENCIES.add(latencies);
      }
    }
  }

  @Benchmark
  public byte[] read(Worker worker) throws IOException {
    return run(worker.kernel, worker.latencies);
  }

  private byte[] run(Kernel kernel, Histogram latencies) throws IOException {
    return watch == Watch.NOTHING ? kernel.run(false) : kernel.run(latencies);
  }
}
