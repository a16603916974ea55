/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.jmh;

import dev.pread.benchmarks.UserError;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.store.IndexInput;
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
 * Reads into the heap from a file in the page cache, at random or some in a row, each thread
 * through a clone of its own; {@code bare-ffm} is the system call and the copy alone, the limit for
 * any pread into an array.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules=jdk.incubator.vector"})
public class RandomReadBenchmark {

  /** A directory, by its name on the command line, or the bare system call. */
  @Param({"bare-ffm", "pread", "niofs", "mmap"})
  public String source;

  /** The length of each read. */
  @Param({"1024", "4096", "16384"})
  public int bytes;

  /** How many reads go on where the one before ended: 1 is all at random. */
  @Param("1")
  public int inARow;

  /** The length of the file, small enough to stay in the page cache. */
  @Param("1024")
  public int fileMebibytes;

  private DataFile file;
  private int bareDescriptor;

  /** Made by JMH. */
  public RandomReadBenchmark() {}

  /** Writes the file and opens it. */
  @Setup(Level.Trial)
  public void open() throws IOException, UserError {
    file = new DataFile(source.equals("bare-ffm") ? "niofs" : source, fileMebibytes);
    bareDescriptor = BareFfmPread.open(file.path());
  }

  /** Deletes the file. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    BareFfmPread.close(bareDescriptor);
    file.close();
  }

  /** What a thread needs of its own. */
  @State(Scope.Thread)
  public static class Reader {
    private byte[] buffer;
    private long blocks;
    private long next;
    private int left;
    private IndexInput input;
    private BareFfmPread bare;

    /** Made by JMH. */
    public Reader() {}

    /** Clones the input, as Lucene does for each thread. */
    @Setup(Level.Trial)
    public void open(RandomReadBenchmark benchmark) {
      buffer = new byte[benchmark.bytes];
      blocks = benchmark.file.master().length() / benchmark.bytes - (benchmark.inARow - 1);
      if (benchmark.source.equals("bare-ffm")) {
        bare = new BareFfmPread(benchmark.bareDescriptor, benchmark.bytes);
      } else {
        input = benchmark.file.master().clone();
      }
    }

    /** Closes what is this thread's. */
    @TearDown(Level.Trial)
    public void close() {
      if (bare != null) {
        bare.close();
      }
    }
  }

  /** One read. */
  @Benchmark
  public byte[] readBytes(Reader reader) throws IOException {
    boolean jump = reader.left == 0;
    if (jump) {
      reader.next = ThreadLocalRandom.current().nextLong(reader.blocks) * bytes;
      reader.left = inARow;
    }
    if (reader.bare != null) {
      reader.bare.read(reader.next, reader.buffer, bytes);
    } else {
      if (jump) {
        reader.input.seek(reader.next);
      }
      reader.input.readBytes(reader.buffer, 0, bytes);
    }
    reader.next += bytes;
    reader.left--;
    return reader.buffer;
  }
}
