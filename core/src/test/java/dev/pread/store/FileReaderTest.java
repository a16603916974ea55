/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import dev.pread.posix.Residency;
import dev.pread.posix.ScratchPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileReaderTest extends BackendTestCase {

  private static final int LENGTH = 3 * ScratchPool.BUFFER_SIZE + 1234;
  private static final int[] COUNTS = {0, 1, 3, 1000, 8191, 8192, 8193, 16_384, 16_385, 20_000};

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private final ByteBuffer model = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
  private PosixFile file;
  private FileReader reader;

  @BeforeEach
  void open() throws Exception {
    file = backend.open(Files.write(folder.resolve("f"), data), OpenMode.READ);
    reader = new FileReader(backend, file);
  }

  @AfterEach
  void close() throws Exception {
    file.close();
  }

  @Test
  void readsBytesOfAnyNumberFromAnywhere() throws Exception {
    for (int count : new int[] {0, 1, 65_535, 65_536, 65_537, 131_072, LENGTH - 7}) {
      byte[] dst = new byte[count + 5];
      reader.readBytes(7, dst, 3, count);
      byte[] expected = new byte[count + 5];
      System.arraycopy(data, 7, expected, 3, count);
      assertArrayEquals(expected, dst);
    }
  }

  @Test
  void readsNumbersLittleEndianAndUnaligned() throws Exception {
    for (int position : new int[] {0, 1, 13}) {
      for (int count : COUNTS) {
        long[] longs = new long[count + 3];
        reader.read(Elements.LONGS, position, longs, 1, count);
        int[] ints = new int[count + 3];
        reader.read(Elements.INTS, position, ints, 1, count);
        float[] floats = new float[count + 3];
        reader.read(Elements.FLOATS, position, floats, 1, count);
        for (int i = 0; i < count; i++) {
          assertEquals(model.getLong(position + i * Long.BYTES), longs[i + 1]);
          assertEquals(model.getInt(position + i * Integer.BYTES), ints[i + 1]);
          assertEquals(
              Float.floatToRawIntBits(model.getFloat(position + i * Float.BYTES)),
              Float.floatToRawIntBits(floats[i + 1]));
        }
        assertEquals(0, longs[0] + longs[count + 1] + ints[0] + ints[count + 1]);
        assertEquals(0, floats[0] + floats[count + 1]);
      }
    }
  }

  @Test
  void readsInPiecesOfTheScratchBuffer() throws Exception {
    reader.readBytes(5, new byte[LENGTH - 5], 0, LENGTH - 5);
    long position = 5;
    for (FaultSystemCalls.Call call : faults.calls(Function.PREAD)) {
      assertTrue(position < LENGTH, "no call is for nothing");
      assertEquals(position, call.position());
      position += call.length();
      assertTrue(call.length() == ScratchPool.BUFFER_SIZE || position == LENGTH);
    }
    assertEquals(LENGTH, position);
  }

  @Test
  void aRangeBeyondTheEndIsAnEndOfFile() {
    EOFException e =
        assertThrows(EOFException.class, () -> reader.readBytes(LENGTH - 10, new byte[11], 0, 11));
    assertTrue(e.getMessage().contains(folder.resolve("f").toString()), e.getMessage());
    assertThrows(
        EOFException.class, () -> reader.read(Elements.LONGS, 10, new long[30_000], 0, 30_000));
    assertThrows(
        EOFException.class, () -> reader.read(Elements.INTS, LENGTH - 3, new int[1], 0, 1));
    assertThrows(
        EOFException.class, () -> reader.read(Elements.FLOATS, LENGTH, new float[1], 0, 1));
  }

  @Test
  void theScratchBufferComesBackWhateverHappens() throws Exception {
    Set<NativeBuffer> known = Collections.newSetFromMap(new IdentityHashMap<>());
    NativeBuffer buffer = backend.scratch().take(10, 1);
    known.add(buffer);
    backend.scratch().give(buffer);
    faults.on(Function.PREAD).every(2).fail(Errno.EIO);
    for (int i = 0; i < 20; i++) {
      boolean fails = i % 2 == 1;
      try {
        switch (i % 4) {
          case 0, 1 -> reader.readBytes(0, new byte[10], 0, 10);
          default -> reader.read(Elements.LONGS, 0, new long[10], 0, 10);
        }
        assertTrue(!fails);
      } catch (IOException e) {
        assertTrue(fails, e.getMessage());
      }
    }
    faults.on(Function.PREAD_NO_WAIT).always().fail(Errno.EAGAIN);
    assertEquals(Residency.ABSENT, file.residency(0));
    buffer = backend.scratch().take(10, 1);
    assertTrue(known.contains(buffer), "a buffer was lost on the way");
    backend.scratch().give(buffer);
  }

  /** There are many more readers than processors, all of them in a system call at the same time. */
  @Test
  void manyReadersMakeNoMoreBuffersThanAreInUseAtOnce() throws Exception {
    int readers = 200;
    for (int length : new int[] {100, 20_000}) {
      int before = faults.allocations().size();
      CyclicBarrier all = new CyclicBarrier(readers);
      faults.on(Function.PREAD).always().first(() -> await(all));
      Fixtures.inThreads(
          readers,
          thread -> {
            byte[] dst = new byte[length];
            for (int round = 0; round < 5; round++) {
              int position = 100 * thread + round;
              reader.readBytes(position, dst, 0, length);
              assertArrayEquals(Arrays.copyOfRange(data, position, position + length), dst);
              // A round is over when all buffers are back.
              await(all);
            }
          });
      faults.calm();
      int made = faults.allocations().size() - before;
      assertTrue(made <= readers, made + " buffers for " + readers + " readers of " + length);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(Fixtures.TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("a reader did not arrive", e);
    }
  }

  @Test
  void readsOfFewBytesTakeSmallBuffers() throws Exception {
    reader.readBytes(70_000, new byte[4096], 0, 4096);
    reader.read(Elements.LONGS, 3, new long[512], 0, 512);
    assertTrue(Set.of(Residency.values()).contains(file.residency(0)));
    int bytes = faults.allocations().stream().mapToInt(Integer::intValue).sum();
    assertTrue(bytes > 0 && bytes <= 16 << 10, "made buffers of " + bytes + " bytes in all");
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 8192, 16_384})
  void readsFromAnywhereWithDirectIo(int alignment) throws Exception {
    faults.simulateDirect(alignment);
    Random random = new Random(Fixtures.SEED);
    try (PosixFile direct = backend.open(folder.resolve("f"), OpenMode.READ_DIRECT)) {
      FileReader directReader = new FileReader(backend, direct);
      for (int most : new int[] {1, 100, 4096, 8192, 10_000, 70_000}) {
        for (int i = 0; i < 100; i++) {
          int length = 1 + random.nextInt(most);
          int position =
              i % 4 == 0 ? LENGTH - length : random.nextInt(LENGTH - length + 1) & -(1 << i % 15);
          byte[] dst = new byte[length];
          directReader.readBytes(position, dst, 0, length);
          assertArrayEquals(Arrays.copyOfRange(data, position, position + length), dst);
          long[] longs = new long[length / Long.BYTES];
          directReader.read(Elements.LONGS, position, longs, 0, longs.length);
          for (int j = 0; j < longs.length; j++) {
            assertEquals(model.getLong(position + j * Long.BYTES), longs[j]);
          }
        }
      }
    }
  }
}
