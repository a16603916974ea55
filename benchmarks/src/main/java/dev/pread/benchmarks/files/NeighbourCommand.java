/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.Checks;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.ChildTask;
import dev.pread.benchmarks.machine.ProcessFigures;
import dev.pread.benchmarks.machine.TestBed;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.machine.Workers;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.Session;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what readers suffer while others take memory and give it back. */
@Command(
    name = "neighbour",
    description =
        "Reads random blocks of a file within the memory limit while a neighbour takes memory below"
            + " the same limit, holds it and gives it back, again and again: throughput and"
            + " latencies before and meanwhile, and how soon a cache has its size again. Every read"
            + " is checked.")
final class NeighbourCommand extends PressureCommand.Part {
  /** Files here are memory that the kernel cannot take back, and count below the limit. */
  private static final Path MEMORY = Path.of("/dev/shm");

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "Length of the file; default: 1g, with --quick 64m")
  private Long fileSize;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      description = "Length of a read, a multiple of 512; default: 16384")
  private int bytes = 16384;

  @Option(
      names = "--zipf",
      paramLabel = "S",
      description = "Exponent of the frequencies of blocks; 0 for all alike; default: 0.99")
  private double zipf = 0.99;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that read at the same time; default: 16")
  private int threads = 16;

  @Option(
      names = "--takes",
      paramLabel = "SIZE",
      converter = ByteSize.class,
      description = "What the neighbour takes; default: 300m, with --quick 32m")
  private Long takes;

  @Option(
      names = "--times",
      paramLabel = "N",
      description = "How often it does; default: 20, with --quick 2")
  private Integer times;

  @Option(
      names = "--hold-seconds",
      paramLabel = "S",
      description =
          "How long it holds that, and how long it waits until it takes it again at the most;"
              + " default: 5, with --quick 0.3")
  private Double holdSeconds;

  @Override
  public void check(SuiteOptions options) {
    check(options, (options.quick() ? 384 : 1024) * MEBI, 64 * MEBI);
    boolean quick = options.quick();
    fileSize = Checks.fileLength("--file-size", fileSize, (quick ? 64 : 1024) * MEBI);
    takes = Checks.fileLength("--takes", takes, (quick ? 32 : 300) * MEBI);
    times = Objects.requireNonNullElse(times, quick ? 2 : 20);
    holdSeconds = Objects.requireNonNullElse(holdSeconds, quick ? 0.3 : 5.0);
    checkRead(bytes, 512);
    Checks.notNegative("--zipf", zipf);
    Checks.positive("--threads", threads);
    Checks.positive("--times", times);
    Checks.positive("--hold-seconds", holdSeconds);
  }

  @Override
  void measure(Session session, TestBed bed) throws IOException, UnavailableException {
    if (!Files.isWritable(MEMORY) || Files.getFileStore(MEMORY).getUsableSpace() < takes) {
      throw new UnavailableException(
          "the neighbour has no "
              + ByteSize.format(takes)
              + " in "
              + MEMORY
              + ": make that larger, or take less with --takes");
    }
    bed.folder().require(fileSize);
    Path file = data(session, bed, "data", fileSize);
    ChildJvm jvm = directories().jvm(bed);
    double seconds = 2 * holdSeconds * (times + 3);
    session.rounds(
        name(),
        directories().kinds(),
        (kind, round) -> {
          bed.drop(List.of(file));
          run(
              session,
              jvm,
              kind.contender(),
              new NeighbourTask(
                  kind.name(),
                  file.toString(),
                  new Reads(bytes, zipf, threads, session.options().seed() + round),
                  takes,
                  times,
                  holdSeconds),
              seconds);
        });
  }

  /** What is read, at random. */
  record Reads(int bytes, double zipf, int threads, long seed) {}

  /**
   * Reads a file, first alone until it is warm and for a while longer, and then beside a neighbour,
   * who is a thread that fills files in memory.
   *
   * @param directory by name
   * @param file of the data pattern
   * @param takes bytes that the neighbour takes
   * @param times that it does
   * @param hold seconds
   */
  record NeighbourTask(
      String directory, String file, Reads reads, long takes, int times, double hold)
      implements ChildTask<List<Figures>> {
    private static final int CHUNK = 1 << 20;
    private static final double WARMUP = 3;
    private static final long POLL_MILLIS = 10;

    /** The part of its size before at which a cache is taken to be back. */
    private static final double RETURNED_SHARE = 0.9;

    private record Conditions(String neighbour, int threads) {}

    @Override
    public List<Figures> run() throws IOException {
      Path path = Path.of(file);
      Directory opened = DirectoryKind.named(directory).openForReading(path.getParent());
      try (Source source = Sources.lucene(opened, path, IOContext.DEFAULT, false)) {
        BlockCache cache =
            opened instanceof PreadDirectory pread
                ? pread.cache()
                : opened instanceof DirectPreadDirectory direct ? direct.cache() : null;
        beside(source, figures -> pause(WARMUP * hold), "warming up");
        if (source.usesPageCache().getAsBoolean()) {
          throw new UserError(
              directory
                  + " reads through the page cache here, since direct I/O was refused: name a"
                  + " folder on another file system with --work, or leave it out");
        }
        Figures alone = beside(source, figures -> pause(2 * hold), "none");
        return List.of(
            alone, beside(source, figures -> neighbour(cache, figures), ByteSize.format(takes)));
      }
    }

    private Figures beside(Source source, IOConsumer<Figures> meanwhile, String neighbour)
        throws IOException {
      Figures figures = Figures.under(new Conditions(neighbour, reads.threads()));
      CompletableFuture<Void> end = new CompletableFuture<>();
      long faults = ProcessFigures.majorFaults();
      long start = System.nanoTime();
      CompletableFuture<Histogram> reading =
          CompletableFuture.supplyAsync(
              () -> read(source, neighbour.hashCode(), end),
              task -> Thread.ofPlatform().name("readers").daemon().start(task));
      try {
        meanwhile.accept(figures);
      } finally {
        end.complete(null);
      }
      Histogram latencies = reading.join();
      double millis = (System.nanoTime() - start) / 1e6;
      figures.add(Metric.throughput("reads/ms"), latencies.getTotalCount() / millis);
      figures.addLatencies(latencies, "us");
      figures.addKnown(
          Metric.listedCost(MajorFaults.NAME, ""), ProcessFigures.majorFaultsSince(faults));
      return figures;
    }

    /** Each phase has positions of its own, so that none reads what the one before has read. */
    private Histogram read(Source source, int phase, CompletableFuture<Void> end) {
      Histogram all = new Histogram(3);
      SplittableRandom seeds = new SplittableRandom(31 * reads.seed() + phase);
      Kernel.Shape shape = new Kernel.Shape(Order.RANDOM, reads.bytes(), reads.zipf());
      try {
        long length = Files.size(Path.of(file));
        List<Histogram> own =
            Workers.run(
                reads.threads(),
                () -> {
                  SplittableRandom random;
                  synchronized (seeds) {
                    random = seeds.split();
                  }
                  Kernel kernel = new Kernel(source.reader(), shape, length, random);
                  Histogram latencies = new Histogram(3);
                  while (!end.isDone() && !Thread.currentThread().isInterrupted()) {
                    kernel.run(latencies);
                  }
                  return latencies;
                });
        own.forEach(all::add);
        return all;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * Takes and gives back; waits until the cache is back, or for as long as the memory was held.
     */
    private void neighbour(BlockCache cache, Figures figures) throws IOException {
      double longestTake = 0;
      double longestReturn = 0;
      long before = held(cache);
      long least = before;
      int lost = 0;
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
      for (int time = 0; time < times; time++) {
        long start = System.nanoTime();
        Path block = Files.createTempFile(MEMORY, "lucene-pread-neighbour-", "");
        try (FileChannel channel = FileChannel.open(block, StandardOpenOption.WRITE)) {
          // Whoever is killed now leaves nothing behind; closing the file gives the memory back.
          Files.delete(block);
          for (long done = 0; done < takes; done += CHUNK) {
            channel.write(chunk.clear());
            least = Math.min(least, held(cache));
          }
          longestTake = Math.max(longestTake, seconds(start));
          pause(hold);
          least = Math.min(least, held(cache));
        }
        long back = System.nanoTime();
        while (held(cache) < RETURNED_SHARE * before && seconds(back) < hold) {
          pause(POLL_MILLIS / 1e3);
        }
        longestReturn = Math.max(longestReturn, seconds(back));
        lost += held(cache) < RETURNED_SHARE * before ? 1 : 0;
        pause(Math.max(0, hold / 2 - seconds(back)));
      }
      figures.add(Metric.cost("taken in", "s"), longestTake);
      if (cache != null) {
        figures.add(Metric.cost("back at 90 % in", "s"), longestReturn);
        figures.add(Metric.listedCost("not back in time", ""), (double) lost);
        figures.add(Metric.fact("cache before", "bytes"), (double) before);
        figures.add(Metric.fact("least cache", "bytes"), (double) least);
      }
    }

    private static long held(BlockCache cache) {
      return cache == null ? 0 : cache.stats().memoryBytes();
    }

    private static double seconds(long start) {
      return (System.nanoTime() - start) / 1e9;
    }

    private static void pause(double seconds) throws IOException {
      try {
        Thread.sleep((long) (seconds * 1e3));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while measuring", e);
      }
    }
  }
}
