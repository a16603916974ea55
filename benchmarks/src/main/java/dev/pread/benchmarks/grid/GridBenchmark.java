/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.UserError;
import dev.pread.benchmarks.load.ColdCurve;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.machine.PageCache;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * One cell of the grid: an operation is sixteen reads of whole blocks into an array. The {@code
 * grid} command arranges the file, the memory limit and what else the cell is about; run by JMH
 * alone it reads a small file of its own.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 2)
@Fork(
    value = 3,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"})
public class GridBenchmark {
  private static final long OWN_FILE = 64L << 20;

  /** How often another file is cold before the one that is measured. */
  private static final int COLD_STARTS = 20;

  /** How to read. */
  @Param("mmap")
  public String strategy;

  /** The length of a block, a multiple of 4096. */
  @Param("16384")
  public int bytes;

  /** Where the blocks of an operation are: {@code random} or {@code sequential}. */
  @Param("random")
  public String order;

  /** What to read; empty for a file of its own. */
  @Param("")
  public String file;

  /** Further settings, from the command; empty for none. */
  @Param("")
  public String settings;

  private ForkSettings fork;
  private Strategy way;
  private Path path;
  private Path ownFolder;
  private SplittableRandom seeds;
  private IterationLog log;
  private Source source;

  /** Made by JMH. */
  public GridBenchmark() {}

  /** Opens the file, warms it, compiles the code, and checks every byte of a while of reading. */
  @Setup(Level.Trial)
  public void open() throws IOException, UserError, UnavailableException {
    way = Strategy.named(strategy);
    if (settings.isEmpty()) {
      makeFile();
    } else {
      fork = ForkSettings.parse(settings);
      path = Path.of(file);
    }
    if (fork.child()) {
      Thread watch = new Thread(GridBenchmark::dieWithParent, "parent-watch");
      watch.setDaemon(true);
      watch.start();
    }
    seeds = new SplittableRandom(fork.seed());
    log = new IterationLog(Path.of(fork.log()));
    if (isCold()) {
      compile(Path.of(fork.codeFile()));
    } else {
      source = way.open(path, bytes);
      warm(fork.regime().warmBytes(Files.size(path)));
      check(source, path, fork.checkSeconds());
    }
  }

  /**
   * Checks another file that is cold again and again: misses are compiled then, too, and not for
   * the first time while they are measured.
   */
  private void compile(Path other) throws IOException, UnavailableException {
    long end = System.nanoTime() + (long) (fork.checkSeconds() * 1e9);
    do {
      PageCache.drop(other);
      try (Source code = way.open(other, bytes)) {
        check(code, other, fork.checkSeconds() / COLD_STARTS);
      }
    } while (System.nanoTime() - end < 0);
  }

  private boolean isCold() {
    return fork.regime() == Regime.COLD;
  }

  private void makeFile() throws IOException {
    ownFolder = Files.createTempDirectory("lucene-pread-grid-");
    path = ownFolder.resolve("data");
    Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
    try (StopSignal stop = StopSignal.ofShutdown()) {
      DataPattern.write(path, OWN_FILE, nowhere, stop);
    }
    String log = ownFolder.resolve("log").toString();
    fork = new ForkSettings(Regime.FITS, path.toString(), 42, 1, log, false);
  }

  /** A parent that was killed closes our input: nobody wants the result then. */
  private static void dieWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent.
      }
    } catch (IOException gone) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(ExitCode.STOPPED);
  }

  /**
   * Brings the beginning of the file into this process's memory: the page cache in large reads,
   * since some ways are very slow at it, a block cache by the way itself.
   */
  private void warm(long length) throws IOException, UnavailableException {
    switch (way.keeps()) {
      case PAGES -> {
        int large = 1 << 20;
        try (Source fast = Strategy.CHANNEL_DIRECT.open(path, large)) {
          new Kernel(fast.reader(), Order.SEQUENTIAL, Files.size(path), large, seeds.split())
              .readAll(length);
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

  private Kernel kernel(Source of, Path its) throws IOException {
    SplittableRandom random;
    synchronized (this) {
      random = seeds.split();
    }
    return new Kernel(of.reader(), Order.labelled(order), Files.size(its), bytes, random);
  }

  /** Begins to count; where it is to be cold, empties the page cache and opens the file anew. */
  @Setup(Level.Iteration)
  public void begin(IterationParams params) throws IOException, UnavailableException {
    int intervals = 0;
    if (isCold()) {
      PageCache.drop(path);
      source = way.open(path, bytes);
      long nanos = params.getTime().convertTo(TimeUnit.NANOSECONDS);
      intervals = (int) Math.max(1, nanos / ColdCurve.INTERVAL_NANOS);
    }
    log.begin(intervals);
  }

  /** Ends counting. */
  @TearDown(Level.Iteration)
  public void end(IterationParams params) throws IOException {
    log.end(params.getType() == IterationType.MEASUREMENT);
    if (isCold()) {
      source.close();
      source = null;
    }
  }

  /** Closes everything; what was read cold is checked now, not to warm it before. */
  @TearDown(Level.Trial)
  public void close() throws IOException, UnavailableException {
    try {
      if (isCold()) {
        source = way.open(path, bytes);
        check(source, path, fork.checkSeconds());
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
    private IterationLog.Counter counter;

    /** Made by JMH. */
    public Worker() {}

    /** A reader of the source that is open now. */
    @Setup(Level.Iteration)
    public void begin(GridBenchmark grid) throws IOException {
      if (kernel == null || grid.isCold()) {
        kernel = grid.kernel(grid.source, grid.path);
      }
      counter = grid.log.counter();
    }
  }

  /** Sixteen reads. */
  @Benchmark
  public byte[] read(Worker worker) throws IOException {
    byte[] block = worker.kernel.run(false);
    worker.counter.count();
    return block;
  }
}
