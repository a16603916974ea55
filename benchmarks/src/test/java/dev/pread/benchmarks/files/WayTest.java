/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.WrongResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.apache.lucene.store.IOContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way reads what is in the file, and every call does what it says. */
class WayTest {
  /** Some blocks, and a tail that is neither a block nor a sector nor a page. */
  private static final long LENGTH = 100 * 4096 + 1000;

  @TempDir private Path temp;
  private Path file;

  @BeforeEach
  void makeFile() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    file = temp.resolve("data");
    DataPattern.write(file, LENGTH);
  }

  /** Changes one byte. */
  static void damage(Path file, long offset) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) ~one.get(0));
      channel.write(one.flip(), offset);
    }
  }

  private Source open(Way way, int bytes) throws Exception {
    try {
      return way.open(file, bytes, IOContext.DEFAULT);
    } catch (IOException e) {
      assumeTrue(!way.needsDirectIo(), "no direct I/O here: " + e);
      throw e;
    } catch (IllegalStateException e) {
      assumeTrue(way != Way.JNI && way != Way.NAIVE_JNI, e.getMessage());
      throw e;
    }
  }

  private static Kernel kernel(Source.BlockReader reader, Order order, int bytes) {
    Kernel.Shape shape = new Kernel.Shape(order, bytes, 0, Kernel.READS);
    return new Kernel(reader, shape, LENGTH, new SplittableRandom(bytes));
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void returnsWhatTheFileHasAndSeesAWrongByte(Way way) throws Exception {
    for (int bytes : new int[] {4096, 16384}) {
      // A stream has no place to read at but its own.
      Order[] orders = way == Way.INPUT_STREAM ? new Order[] {Order.FILE} : Order.values();
      for (Order order : orders) {
        try (Source source = open(way, bytes)) {
          Kernel kernel = kernel(source.reader(), order, bytes);
          kernel.readAll(LENGTH);
          // Another thread has a reader of its own; a stream has one alone.
          Kernel other = way == Way.INPUT_STREAM ? kernel : kernel(source.reader(), order, bytes);
          for (int i = 0; i < 50; i++) {
            kernel.run(true);
            other.run(true);
          }
        }
      }
    }
    damage(file, 50 * 4096L + 2001);
    try (Source source = open(way, 4096)) {
      Kernel kernel = kernel(source.reader(), Order.FILE, 4096);
      kernel.run(true);
      kernel.run(true);
      kernel.run(true);
      assertThrows(WrongResult.class, () -> kernel.run(true), "blocks 48 to 63");
    }
  }

  /** Notes what it is asked. */
  private static final class Noting implements Source.BlockReader {
    private final List<Long> positions = new ArrayList<>();
    private List<Long> announced;

    @Override
    public void read(long position, byte[] into) {
      positions.add(position);
    }

    @Override
    public void prefetch(long[] next, int bytes) {
      positions.clear();
      announced = Arrays.stream(next).boxed().toList();
    }
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void anOperationIsSixteenReadsOfWholeBlocks(Order order) throws Exception {
    for (int operations : new int[] {1, 4}) {
      int announced = 16 * operations;
      int untilAgain = 100 / announced * operations;
      Noting reader = new Noting();
      Kernel.Shape shape = new Kernel.Shape(order, 4096, 0, announced);
      Kernel kernel = new Kernel(reader, shape, LENGTH, new SplittableRandom(1));
      Set<Long> all = new HashSet<>();
      for (int i = 0; i < 1000; i++) {
        kernel.run(false);
        int read = reader.positions.size();
        assertEquals(16 * (i % operations + 1), read);
        assertEquals(announced, reader.announced.size());
        assertEquals(reader.announced.subList(0, read), reader.positions);
        all.addAll(reader.positions);
        long first = reader.positions.get(read - 16);
        if (order != Order.RANDOM) {
          assertEquals(first + 15 * 4096, reader.positions.get(read - 1));
        }
        if (order == Order.FILE) {
          assertEquals(i % untilAgain * 16L * 4096, first, "from there on, and again");
        }
      }
      assertTrue(all.stream().allMatch(at -> at >= 0 && at % 4096 == 0 && at + 4096 <= LENGTH));
      int some = order == Order.FILE ? 16 * untilAgain : 100;
      assertEquals(some, all.size(), "the last whole block is read, too");
    }
  }

  @Test
  void timedReadsAreCheckedByTheirEnds() throws Exception {
    try (Source source = open(Way.NIOFS, 4096)) {
      Histogram latencies = new Histogram(3);
      Kernel kernel = kernel(source.reader(), Order.FILE, 4096);
      kernel.run(latencies);
      assertEquals(16, latencies.getTotalCount());
      damage(file, 17 * 4096L - 1 + 4096);
      assertThrows(WrongResult.class, () -> kernel.run(latencies));
    }
  }

  private JmhTask task() {
    Map<String, Object> reads =
        Map.of("way", Way.PREAD, "bytes", 4096, "file", file, "checkSeconds", 0.05);
    return JmhTask.of(ReadBenchmark.class, reads, 2, new JmhTask.Times(0, 2, 0.05), List.of());
  }

  @Test
  void jmhMeasuresAndThrowsWhatTheBenchmarkThrows() throws Exception {
    JmhTask.Measured measured = task().run();
    assertEquals(2, measured.scores().size());
    assertTrue(measured.scores().get(0) > 0, measured.toString());
    for (int block = 0; block < 100; block++) {
      damage(file, block * 4096L + 2001);
    }
    assertThrows(WrongResult.class, () -> task().run());
    Files.delete(file);
    assertThrows(NoSuchFileException.class, () -> task().run());
  }
}
