/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.Fixtures;
import dev.pread.LuceneCalls;
import dev.pread.PreadConfig;
import dev.pread.PreadDirectory;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.ScratchPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.apache.lucene.store.ByteArrayDataInput;
import org.apache.lucene.store.DataOutput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.OutputStreamDataOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sequences of all writes, compared with a byte array that Lucene's own definitions filled.
 * A failure's message has the seed of its sequence: {@code -Ddev.pread.test.seed}.
 */
class OutputModelTest extends BackendTestCase {

  /** A write, to be done to the output and to the model. */
  private interface Write {
    void to(DataOutput output) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 8192, 65_536, 131_072, 1 << 20})
  void everySequenceOfWritesMakesTheFileOfTheModel(int bufferSize) throws Exception {
    for (int i = 0; i < 12; i++) {
      run(Fixtures.SEED + i, bufferSize, 3 * bufferSize + i * 1000);
      checkWriteSizes(Math.min(bufferSize, ScratchPool.BUFFER_SIZE));
      faults.forget();
    }
  }

  @Test
  void interruptedAndShortCallsMakeNoDifference() throws Exception {
    faults.on(Function.PWRITE).randomly(Fixtures.SEED, 0.3).fail(Errno.EINTR);
    faults.on(Function.PWRITE).randomly(Fixtures.SEED + 1, 0.2).transferAtMost(1);
    faults.on(Function.PWRITE).randomly(Fixtures.SEED + 2, 0.9).transferAtMost(333);
    for (int i = 0; i < 10; i++) {
      run(Fixtures.SEED + i, 4096, 20_000);
    }
    assertTrue(faults.count(Function.PWRITE) > 300, "only " + faults.count(Function.PWRITE));
  }

  private void run(long seed, int bufferSize, int length) throws IOException {
    String text =
        "base seed " + Fixtures.SEED + ", seed=" + seed + ", writeBufferSize=" + bufferSize + ": ";
    PreadConfig config = Fixtures.writeBuffer(PreadConfig.builder(), bufferSize).build();
    Random random = new Random(seed);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutput model = new OutputStreamDataOutput(bytes);
    Path file = folder.resolve("f" + seed);
    try (PreadDirectory directory = Fixtures.directory(folder, config, backend)) {
      long checksum;
      try (IndexOutput output =
          directory.createOutput(file.getFileName().toString(), IOContext.DEFAULT)) {
        assertEquals(file.getFileName().toString(), output.getName());
        assertTrue(output.toString().contains(file.toString()), output.toString());
        int step = 0;
        while (bytes.size() < length) {
          Write write = write(random, bufferSize);
          write.to(output);
          write.to(model);
          check(output, bytes, random.nextInt(30) == 0, text + "step " + step++);
        }
        if (random.nextBoolean()) {
          output.alignFilePointer(64);
          model.writeBytes(new byte[(64 - bytes.size() % 64) % 64], (64 - bytes.size() % 64) % 64);
        }
        check(output, bytes, true, text + "before close");
        checksum = output.getChecksum();
      }
      assertArrayEquals(bytes.toByteArray(), Files.readAllBytes(file), text);
      assertEquals(crc(bytes.toByteArray()), checksum, text);
      assertEquals(0, backend.openFiles());
    } finally {
      Files.delete(file);
    }
  }

  private void check(
      IndexOutput output, ByteArrayOutputStream expected, boolean checksum, String text)
      throws IOException {
    long calls = faults.count();
    assertEquals(expected.size(), output.getFilePointer(), text);
    if (checksum) {
      assertEquals(crc(expected.toByteArray()), output.getChecksum(), text);
    }
    assertEquals(calls, faults.count(), "no call for position and checksum");
  }

  private static Write write(Random random, int bufferSize) {
    return switch (random.nextInt(16)) {
      case 0 -> {
        byte b = (byte) random.nextInt();
        yield o -> o.writeByte(b);
      }
      case 1 -> {
        short s = (short) random.nextInt();
        yield o -> o.writeShort(s);
      }
      case 2 -> {
        int i = random.nextInt();
        yield o -> o.writeInt(i);
      }
      case 3 -> {
        long l = random.nextLong();
        yield o -> o.writeLong(l);
      }
      case 4 -> {
        int v = random.nextInt() >>> random.nextInt(32);
        yield o -> o.writeVInt(v);
      }
      case 5 -> {
        long w = random.nextLong() >>> (1 + random.nextInt(63));
        yield o -> o.writeVLong(w);
      }
      case 6 -> {
        int z = random.nextInt();
        yield o -> o.writeZInt(z);
      }
      case 7 -> {
        String string = "€uro " + random.nextLong();
        yield o -> o.writeString(string);
      }
      case 8 -> {
        Map<String, String> map = new TreeMap<>(Map.of("a", "" + random.nextInt(), "ß", ""));
        yield o -> o.writeMapOfStrings(map);
      }
      case 9 -> {
        int[] group = random.ints(9).toArray();
        yield o -> LuceneCalls.writeGroupVInts(o, group);
      }
      case 10 -> {
        byte[] copied = Fixtures.randomBytes(random.nextLong(), random.nextInt(40_000));
        yield o -> o.copyBytes(new ByteArrayDataInput(copied), copied.length);
      }
      case 11 -> bytes(random, random.nextInt(3 * bufferSize));
      case 12 -> bytes(random, bufferSize * random.nextInt(3));
      default -> bytes(random, random.nextInt(300));
    };
  }

  private static Write bytes(Random random, int length) {
    byte[] bytes = Fixtures.randomBytes(random.nextLong(), length + 5);
    int offset = random.nextInt(6);
    return o -> o.writeBytes(bytes, offset, length);
  }

  /**
   * Checks that writes are few, large and aligned: one after the other, all but the last in whole
   * multiples.
   */
  private void checkWriteSizes(int unit) {
    List<Call> writes = faults.calls(Function.PWRITE);
    long position = 0;
    for (int i = 0; i < writes.size(); i++) {
      Call write = writes.get(i);
      assertEquals(position, write.position(), "writes follow one another: " + write);
      assertEquals(0, write.position() % unit, "aligned: " + write);
      if (i < writes.size() - 1) {
        assertEquals(0, write.length() % unit, "whole buffers: " + write);
      }
      assertTrue(write.length() > 0, "an empty write: " + write);
      position += write.length();
    }
  }

  private static long crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }

  @Test
  void anEmptyOutputMakesAnEmptyFileAndNoWrite() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend)) {
      try (IndexOutput output = directory.createOutput("empty", IOContext.DEFAULT)) {
        output.writeBytes(new byte[0], 0, 0);
        assertEquals(0, output.getFilePointer());
        assertEquals(0, output.getChecksum());
      }
      assertEquals(0, directory.fileLength("empty"));
    }
    assertEquals(0, faults.count(Function.PWRITE));
  }

  @Test
  void whatAnOutputWroteAnInputReads() throws Exception {
    try (PreadDirectory directory = Fixtures.directory(folder, backend)) {
      int[] group = {1, 300, 70_000, 20_000_000, 5, 6};
      int rounds = 500;
      try (IndexOutput output = directory.createOutput("f", IOContext.DEFAULT)) {
        for (int i = 0; i < rounds; i++) {
          output.writeString("größe " + i);
          output.writeVInt(i * 100_003);
          output.writeZLong(-i * 12_345_678_901L);
          output.writeMapOfStrings(Map.of("k" + i, "v"));
          LuceneCalls.writeGroupVInts(output, group);
          output.writeShort((short) -i);
        }
      }
      try (IndexInput input = directory.openInput("f", IOContext.DEFAULT)) {
        for (int i = 0; i < rounds; i++) {
          assertEquals("größe " + i, input.readString());
          assertEquals(i * 100_003, input.readVInt());
          assertEquals(-i * 12_345_678_901L, input.readZLong());
          assertEquals(Map.of("k" + i, "v"), input.readMapOfStrings());
          assertArrayEquals(group, LuceneCalls.readGroupVInts(input, group.length));
          assertEquals((short) -i, input.readShort());
        }
        assertEquals(input.length(), input.getFilePointer());
      }
    }
  }
}
