/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.BlockCache;
import dev.pread.DirectPreadDirectory;
import dev.pread.PreadDirectory;
import dev.pread.benchmarks.index.DirectoryKind;
import dev.pread.benchmarks.machine.ByteSize;
import dev.pread.benchmarks.machine.ChildJvm;
import dev.pread.benchmarks.machine.Load;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.benchmarks.machine.UserError;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.suite.SuiteOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.util.IOConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what readers suffer while others take memory and give it back. */
@Command(name = "neighbour")
final class NeighbourCommand extends PressureCommand.Part {
  /** Files here are memory that the kernel cannot take back, and count below the limit. */
  private static final Path MEMORY = Path.of("/dev/shm");

  @Option(names = "--file-size", paramLabel = "SIZE")
  private Long fileSize;

  @Option(names = "--times", paramLabel = "N")
  private Integer times;

  /** What the neighbour takes, in bytes. */
  private long takes;

  private double hold;

  @Override
  public void check(SuiteOptions options) {
    boolean quick = options.quick();
    check(options, (quick ? 384 : 1024) * MEBI, 64 * MEBI);
    fileSize = fileLength("--file-size", fileSize, (quick ? 64 : 1024) * MEBI);
    takes = (quick ? 32 : 300) * MEBI;
    times = times != null ? times : quick ? 2 : 20;
    hold = quick ? 0.3 : 1.5;
  }

  @Override
  protected void measureOnBed() throws IOException {
    if (!Files.isWritable(MEMORY) || Files.getFileStore(MEMORY).getUsableSpace() < takes) {
      throw new UnavailableException(MEMORY + " has no room for the neighbour: make it larger");
    }
    Path file = data("data", fileSize, 0);
    session.note(name() + ": holds what it takes for " + hold + " s, " + times + " times");
    session.rounds(
        name(),
        directories.kinds(),
        (kind, round) -> {
          bed.drop(List.of(file));
          long seed = SEED + round;
          run(
              kind.contender(),
              new NeighbourTask(kind.name(), file.toString(), seed, takes, times, hold),
              2 * hold * (times + 3),
              ChildJvm.Result::value);
        });
  }

  /**
   * Reads a file, first alone until it is warm and for a while longer, and then beside a neighbour,
   * who is a thread that fills files in memory.
   *
   * @param hold seconds for which it holds them, and at the most waits until it takes them again
   */
  record NeighbourTask(String directory, String file, long seed, long takes, int times, double hold)
      implements ChildJvm.Task<List<Figures>> {
    private static final int THREADS = 16;
    private static final Kernel.Shape READS =
        new Kernel.Shape(Order.RANDOM, 16384, 0.99, Kernel.READS);
    private static final int CHUNK = 1 << 20;
    private static final int HEAP_CHUNK = 64 << 10;
    private static final double WARMUP_HOLDS = 3;
    private static final double POLL_SECONDS = 0.01;

    /** The part of its size before at which a cache is taken to be back. */
    private static final double RETURNED_SHARE = 0.9;

    private record Conditions(String neighbour, int threads) {}

    @Override
    public List<Figures> run() throws IOException {
      Path path = Path.of(file);
      Directory opened = DirectoryKind.named(directory).openForReading(path.getParent());
      try (Source source = Source.lucene(opened, path, IOContext.DEFAULT, false)) {
        if (source.usesPageCache()) {
          throw new UserError(
              "direct I/O was refused: leave direct out, or name another file system with --work");
        }
        BlockCache cache =
            opened instanceof PreadDirectory pread
                ? pread.cache()
                : opened instanceof DirectPreadDirectory direct ? direct.cache() : null;
        beside(source, figures -> pause(WARMUP_HOLDS * hold), "warming up");
        return List.of(
            beside(source, figures -> pause(2 * hold), "none"),
            beside(source, figures -> neighbour(cache, figures), ByteSize.format(takes)));
      }
    }

    /** Each phase has positions of its own, so that none reads what the one before has read. */
    private Figures beside(Source source, IOConsumer<Figures> meanwhile, String neighbour)
        throws IOException {
      Figures figures = Figures.under(new Conditions(neighbour, THREADS));
      long length = Files.size(Path.of(file));
      AtomicInteger numbers = new AtomicInteger();
      AtomicBoolean end = new AtomicBoolean();
      long start = System.nanoTime();
      Histogram latencies =
          Load.run(
              THREADS + 1,
              reads -> {
                int number = numbers.getAndIncrement();
                if (number == THREADS) {
                  meanwhile.accept(figures);
                  end.set(true);
                }
                long draws = 31 * (31 * seed + neighbour.hashCode()) + number;
                SplittableRandom random = new SplittableRandom(draws);
                Kernel kernel = new Kernel(source.reader(), READS, length, random);
                while (!end.get() && !Thread.currentThread().isInterrupted()) {
                  kernel.run(reads);
                }
              });
      double millis = (System.nanoTime() - start) / 1e6;
      figures.add(Metric.throughput("reads/ms"), latencies.getTotalCount() / millis);
      figures.addLatencies(latencies, "us");
      return figures;
    }

    /**
     * Takes and gives back; waits until the cache is back, or for as long as the memory was held.
     */
    private void neighbour(BlockCache cache, Figures figures) throws IOException {
      double longestTake = 0;
      double longestReturn = 0;
      long before = held(cache);
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
      for (int time = 0; time < times; time++) {
        long start = System.nanoTime();
        Path block = Files.createTempFile(MEMORY, "lucene-pread-neighbour-", "");
        try (FileChannel channel = FileChannel.open(block, StandardOpenOption.WRITE)) {
          // Whoever is killed now leaves nothing behind; closing the file gives the memory back.
          Files.delete(block);
          for (long done = 0; done < takes; done += CHUNK) {
            channel.write(chunk.clear());
          }
          longestTake = Math.max(longestTake, seconds(start));
          fillHeap();
          pause(hold);
        }
        long back = System.nanoTime();
        while (held(cache) < RETURNED_SHARE * before && seconds(back) < hold) {
          pause(POLL_SECONDS);
        }
        longestReturn = Math.max(longestReturn, seconds(back));
        pause(Math.max(0, hold / 2 - seconds(back)));
      }
      figures.add(Metric.cost("taken in", "s"), longestTake);
      if (cache != null) {
        figures.add(Metric.cost("back at 90 % in", "s"), longestReturn);
      }
    }

    /** Fills nearly all of the heap. The next collections find it empty. */
    private static void fillHeap() {
      Runtime runtime = Runtime.getRuntime();
      long left = runtime.maxMemory() / 8;
      byte[][] kept = new byte[(int) (runtime.maxMemory() / HEAP_CHUNK)][];
      for (int i = 0;
          runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory() > left;
          i++) {
        kept[i] = new byte[HEAP_CHUNK];
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
