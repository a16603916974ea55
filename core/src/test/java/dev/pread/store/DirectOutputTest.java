/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BackendTestCase;
import dev.pread.DirectPreadDirectory;
import dev.pread.Fixtures;
import dev.pread.PreadConfig;
import dev.pread.posix.Errno;
import dev.pread.posix.FaultSystemCalls.Call;
import dev.pread.posix.FaultSystemCalls.Function;
import dev.pread.posix.LargeBuffers;
import dev.pread.posix.NativeBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.lucene.store.IndexOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are written directly have exactly the bytes and the length they were given. */
class DirectOutputTest extends BackendTestCase {

  private static final int BUFFER = OutputFile.DIRECT_WRITE_SIZE;

  /** They stay the same as long as this test has them. */
  private final LargeBuffers large = backend.large();

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, 3 * BUFFER);
  private int files;

  private DirectPreadDirectory directory() throws IOException {
    PreadConfig config =
        Fixtures.writeBuffer(PreadConfig.builder().directWriteMinSize(0), 4096).build();
    return Fixtures.direct(folder, config, Fixtures.NO_CACHE, backend);
  }

  /** Alignment 0: as the file system has it, or fallen back. */
  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 16384, 0})
  void everyLengthIsExact(int alignment) throws Exception {
    faults.simulateDirect(alignment);
    Random random = new Random(Fixtures.SEED);
    try (DirectPreadDirectory directory = directory()) {
      for (int border : new int[] {0, 512, 4096, 65_536, BUFFER, BUFFER + 4096, 2 * BUFFER}) {
        for (int length = Math.max(0, border - 1); length <= border + 1; length++) {
          for (int most : new int[] {100_000, 5_000, 2 * BUFFER + 5}) {
            write(directory, length, most, random);
          }
        }
      }
      assertTrue(alignment == 0 || !directory.usesPageCache());
    }
  }

  private void write(DirectPreadDirectory directory, int length, int most, Random random)
      throws IOException {
    String name = "f" + files++;
    faults.forget();
    try (IndexOutput output = directory.createOutput(name, Fixtures.MERGE)) {
      int done = 0;
      while (done < length) {
        int count = Math.min(1 + random.nextInt(most), length - done);
        if (count == 1) {
          output.writeByte(data[done]);
        } else {
          output.writeBytes(data, done, count);
        }
        done += count;
        assertEquals(done, output.getFilePointer());
      }
      CRC32 crc = new CRC32();
      crc.update(data, 0, length);
      assertEquals(crc.getValue(), output.getChecksum());
    }
    byte[] written = Files.readAllBytes(folder.resolve(name));
    assertEquals(length, written.length, "length of " + name);
    assertArrayEquals(Arrays.copyOf(data, length), written);
    assertEquals(length, directory.fileLength(name));
    Files.delete(folder.resolve(name));
  }

  @Test
  void writesAreLargeAndOnlyWhatIsPaddedIsCut() throws Exception {
    faults.simulateDirect(512);
    try (DirectPreadDirectory directory = directory()) {
      try (IndexOutput output = directory.createOutput("padded", Fixtures.MERGE)) {
        output.writeBytes(data, 2 * BUFFER + 700);
      }
      assertEquals(
          List.of(2L * BUFFER, 1024L),
          faults.calls(Function.PWRITE).stream().map(Call::length).toList());
      assertEquals(1, faults.count(Function.FTRUNCATE));
      try (IndexOutput output = directory.createOutput("whole", Fixtures.MERGE)) {
        output.writeBytes(data, BUFFER + 512);
      }
      assertEquals(1, faults.count(Function.FTRUNCATE));
    }
  }

  @Test
  void withoutLargeBuffersItIsWrittenInSmallerPieces() throws Exception {
    faults.simulateDirect(4096);
    List<NativeBuffer> taken = new ArrayList<>();
    for (NativeBuffer b = large.take(); b != null; b = large.take()) {
      taken.add(b);
    }
    try (DirectPreadDirectory directory = directory()) {
      write(directory, 2 * BUFFER + 77, BUFFER + 100, new Random(1));
    }
    assertTrue(faults.calls(Function.PWRITE).stream().allMatch(c -> c.length() <= 65_536));
    taken.forEach(large::give);
  }

  @Test
  void shortAndInterruptedWritesAreContinued() throws Exception {
    faults.simulateDirect(512);
    faults.on(Function.PWRITE).randomly(Fixtures.SEED, 0.3).fail(Errno.EINTR);
    faults.on(Function.PWRITE).randomly(Fixtures.SEED + 1, 0.7).transferAtMost(2048);
    faults.on(Function.FTRUNCATE).at(1).fail(Errno.EINTR);
    try (DirectPreadDirectory directory = directory()) {
      write(directory, 2 * BUFFER + 77, 9000, new Random(1));
    }
  }

  @Test
  void aFailedWriteOrCutNeverPassesForACompleteFile() throws Exception {
    faults.simulateDirect(512);
    try (DirectPreadDirectory directory = directory()) {
      for (Function function : List.of(Function.PWRITE, Function.FTRUNCATE, Function.CLOSE)) {
        faults.forget();
        IndexOutput output = directory.createOutput("f" + function, Fixtures.MERGE);
        output.writeBytes(data, 1000);
        faults.on(function).at(1).fail(Errno.ENOSPC);
        IOException e = assertThrows(IOException.class, output::close);
        assertTrue(e.getMessage().contains(folder.resolve("f" + function).toString()));
        assertTrue(e.getMessage().contains("ENOSPC"), e.getMessage());
        assertEquals(0, backend.openFiles());
        faults.calm();
        output.close();
      }
      faults.forget();
      IndexOutput output = directory.createOutput("early", Fixtures.MERGE);
      faults.on(Function.PWRITE).at(1).fail(Errno.EIO);
      assertThrows(IOException.class, () -> output.writeBytes(data, 2 * BUFFER));
      assertThrows(IOException.class, () -> output.writeBytes(data, 1));
      assertThrows(IOException.class, output::getChecksum);
      assertThrows(IOException.class, output::close);
      assertEquals(0, faults.count(Function.FTRUNCATE));
      assertFalse(directory.usesPageCache());
    }
    assertEquals(64, count(), "large buffers have come back");
  }

  private int count() {
    int count = 0;
    while (large.take() != null) {
      count++;
    }
    return count;
  }
}
