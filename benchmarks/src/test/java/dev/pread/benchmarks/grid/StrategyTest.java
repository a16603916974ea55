/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StrategyTest {
  /** Some blocks, and a tail that is neither a block nor a sector nor a page. */
  private static final long LENGTH = 100 * 4096 + 1000;

  @TempDir private Path temp;
  private Path file;

  @BeforeEach
  void makeFile() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    file = write(temp.resolve("data"), LENGTH);
  }

  static Path write(Path file, long length) throws IOException {
    try (StopSignal stop = StopSignal.ofShutdown()) {
      Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
      DataPattern.write(file, length, nowhere, stop);
    }
    return file;
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

  private Source open(Strategy strategy, int bytes) throws Exception {
    try {
      return strategy.open(file, bytes);
    } catch (IOException e) {
      assumeTrue(!strategy.needsDirectIo(), "no direct I/O here: " + e);
      throw e;
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void returnsWhatTheFileHas(Strategy strategy) throws Exception {
    for (int bytes : new int[] {4096, 16384}) {
      for (Order order : Order.values()) {
        try (Source source = open(strategy, bytes)) {
          Kernel kernel =
              new Kernel(source.reader(), order, LENGTH, bytes, new SplittableRandom(bytes));
          kernel.readAll(LENGTH);
          for (int i = 0; i < 50; i++) {
            kernel.run(true);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void readersOfManyThreadsShareASource(Strategy strategy) throws Exception {
    try (Source source = open(strategy, 4096)) {
      byte[][] expected = new byte[2][4096];
      byte[] all = Files.readAllBytes(file);
      Source.BlockReader first = source.reader();
      Source.BlockReader second = source.reader();
      first.read(4096, expected[0]);
      second.read(99 * 4096, expected[1]);
      assertArrayEquals(Arrays.copyOfRange(all, 4096, 2 * 4096), expected[0]);
      assertArrayEquals(Arrays.copyOfRange(all, 99 * 4096, 100 * 4096), expected[1]);
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void oneWrongByteIsSeen(Strategy strategy) throws Exception {
    damage(file, 50 * 4096 + 2001);
    try (Source source = open(strategy, 4096)) {
      Kernel kernel =
          new Kernel(source.reader(), Order.RANDOM, LENGTH, 4096, new SplittableRandom(1));
      assertThrows(
          WrongBytesException.class,
          () -> {
            for (int i = 0; i < 1000; i++) {
              kernel.run(true);
            }
          });
    }
  }

  @Test
  void bytesOfTheNextWordAreSeen() {
    Source.BlockReader shifted =
        (position, into) -> {
          byte[] all = Files.readAllBytes(file);
          System.arraycopy(all, (int) position + 8, into, 0, into.length);
        };
    Kernel kernel = new Kernel(shifted, Order.SEQUENTIAL, LENGTH, 4096, new SplittableRandom(1));
    assertThrows(WrongBytesException.class, () -> kernel.run(true));
  }

  /** Notes what it is asked. */
  private static final class Noting implements Source.BlockReader {
    private final List<Long> positions = new ArrayList<>();
    private long[] announced;

    @Override
    public void read(long position, byte[] into) {
      positions.add(position);
    }

    @Override
    public void prefetch(long[] next, int bytes) {
      assertEquals(0, positions.size(), "all of them before the first read");
      announced = next.clone();
    }
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void anOperationIsSixteenReadsOfWholeBlocks(Order order) throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    boolean last = false;
    for (int i = 0; i < 1000; i++) {
      Noting reader = new Noting();
      new Kernel(reader, order, LENGTH, 4096, random).run(false);
      assertEquals(16, reader.positions.size());
      assertArrayEquals(reader.positions.stream().mapToLong(x -> x).toArray(), reader.announced);
      for (int j = 0; j < 16; j++) {
        long position = reader.positions.get(j);
        assertEquals(0, position % 4096);
        assertEquals(true, position >= 0 && position + 4096 <= LENGTH, "in the file: " + position);
        last |= position == 99 * 4096;
        if (order == Order.SEQUENTIAL && j > 0) {
          assertEquals(reader.positions.get(j - 1) + 4096, position);
        }
      }
    }
    assertEquals(true, last, "the last whole block is read, too");
  }

  @Test
  void aFileShorterThanAnOperationIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new Kernel(null, Order.RANDOM, 15 * 4096, 4096, new SplittableRandom(1)));
  }
}
