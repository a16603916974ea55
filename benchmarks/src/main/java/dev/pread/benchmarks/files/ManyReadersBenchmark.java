/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import dev.pread.benchmarks.machine.PageCache;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.IndexInput;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Makes 20,000 reads at random from a file that is not in the page cache, by many more readers than
 * processors, to see what that allocates (of the heap with {@code -prof gc}) and which collections
 * it asks for. Each read is made through a clone of its own.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 20)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseG1GC",
      "-XX:MaxDirectMemorySize=64m"
    })
public class ManyReadersBenchmark {
  private static final int READS = 20_000;

  /** A directory, by its name on the command line. */
  @Param({"pread", "direct"})
  public String source;

  /** How many read at the same time, and what they are. */
  @Param({"200 threads", "10000 virtual"})
  public String readers;

  @Param({"1024", "16384"})
  public int bytes;

  @Param("1024")
  public int fileMebibytes;

  private DataFile file;
  private int tasks;
  private ExecutorService executor;

  @Setup(Level.Trial)
  public void open() throws IOException {
    file = DataFile.make(source, fileMebibytes);
    tasks = Integer.parseInt(readers.substring(0, readers.indexOf(' ')));
    executor =
        readers.endsWith("virtual")
            ? Executors.newVirtualThreadPerTaskExecutor()
            : Executors.newFixedThreadPool(tasks);
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    executor.shutdownNow();
    file.close();
  }

  /** Counts what a round has allocated. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Memory {
    /** Direct memory, MiB; sampled each millisecond, so that it may be a little more. */
    public double directMiB;

    /** Full collections: here, those that the JDK asks for when direct memory runs out. */
    public long systemGcs;

    private ScheduledExecutorService sampler;
    private long before;

    /** Empties the page cache and begins to look. */
    @Setup(Level.Iteration)
    @SuppressWarnings("FutureReturnValueIgnored") // It ends with the sampler.
    public void begin(ManyReadersBenchmark benchmark) throws IOException {
      PageCache.drop(benchmark.file.path());
      directMiB = 0;
      systemGcs = -fullCollections();
      before = directMemory();
      sampler = Executors.newSingleThreadScheduledExecutor();
      sampler.scheduleAtFixedRate(this::sample, 1, 1, TimeUnit.MILLISECONDS);
    }

    @TearDown(Level.Iteration)
    public void end() {
      sampler.close();
      sample();
      systemGcs += fullCollections();
    }

    private void sample() {
      long now = directMemory();
      directMiB += Math.max(0, now - before) / (double) (1 << 20);
      before = now;
    }

    private static long directMemory() {
      return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .mapToLong(BufferPoolMXBean::getMemoryUsed)
          .sum();
    }

    private static long fullCollections() {
      return ManagementFactory.getGarbageCollectorMXBeans().stream()
          .filter(collector -> collector.getName().equals("G1 Old Generation"))
          .mapToLong(GarbageCollectorMXBean::getCollectionCount)
          .sum();
    }
  }

  @Benchmark
  public void reads(Memory memory) throws Exception {
    Callable<Void> some =
        () -> {
          byte[] buffer = new byte[bytes];
          ThreadLocalRandom random = ThreadLocalRandom.current();
          for (int i = 0; i < READS / tasks; i++) {
            IndexInput input = file.master().clone();
            input.seek(random.nextLong(input.length() - bytes));
            input.readBytes(buffer, 0, bytes);
          }
          return null;
        };
    for (Future<Void> result : executor.invokeAll(Collections.nCopies(tasks, some))) {
      result.get();
    }
  }
}
