/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import dev.pread.posix.OpenMode;
import dev.pread.posix.PosixFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads are right whatever is read ahead, and a stream needs few calls. */
class ReadAheadTest extends BackendTestCase {

  private static final int BUFFERS = 64;
  private static final int LENGTH = 3 * LargeBuffers.BUFFER_SIZE + 1234;

  /** They stay the same as long as this test has them. */
  private final LargeBuffers large = backend.large();

  private final byte[] data = Fixtures.randomBytes(Fixtures.SEED, LENGTH);
  private PosixFile file;
  private ReadAhead ahead;

  @BeforeEach
  void open() throws Exception {
    open(512, LENGTH);
  }

  private void open(int alignment, int length) throws IOException {
    faults.simulateDirect(alignment);
    Path path = Files.write(folder.resolve("f" + length), Arrays.copyOf(data, length));
    file = backend.open(path, OpenMode.READ_DIRECT);
    ahead = new ReadAhead(large, file);
  }

  @AfterEach
  void everythingComesBack() throws Exception {
    ahead.close();
    ahead.close();
    file.close();
    assertEquals(BUFFERS, takeAll().size(), "a large buffer was lost, or there is one too many");
  }

  private List<NativeBuffer> takeAll() {
    List<NativeBuffer> buffers = new ArrayList<>();
    for (NativeBuffer buffer = large.take(); buffer != null; buffer = large.take()) {
      buffers.add(buffer);
    }
    return buffers;
  }

  private int check(long position, int length) throws IOException {
    byte[] dst = new byte[length + 2];
    int read = ahead.read(position, dst, 1, length);
    byte[] expected = new byte[length + 2];
    System.arraycopy(data, (int) position, expected, 1, read);
    assertArrayEquals(expected, dst, "at " + position + ", " + read + " of " + length);
    return read;
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 16384})
  void streamsAndJumpsReadWhatTheFileHas(int alignment) throws Exception {
    int[] borders = {1, 511, 512, 513, 32 << 10, 96 << 10, 256 << 10, 512 << 10, LENGTH};
    Random random = new Random(Fixtures.SEED + alignment);
    for (int border : borders) {
      for (int l = border - 1; l <= Math.min(LENGTH, border + 1); l++) {
        int length = l;
        ahead.close();
        file.close();
        open(alignment, length);
        if (length == 0) {
          continue;
        }
        long[] streams = new long[1 + random.nextInt(7)];
        Arrays.setAll(streams, i -> random.nextInt(length));
        for (int step = 0; step < 300; step++) {
          int i = random.nextInt(streams.length);
          if (streams[i] == length || random.nextInt(15) == 0) {
            streams[i] = random.nextInt(length);
          }
          int most = random.nextInt(10) == 0 ? length : 9000;
          int count = (int) Math.min(1 + random.nextInt(most), length - streams[i]);
          assertEquals(count, check(streams[i], count));
          streams[i] += count;
        }
      }
    }
  }

  @Test
  void aStreamReadsMoreEachTime() throws Exception {
    for (int position = 0; position < LENGTH; position += 1000) {
      check(position, Math.min(1000, LENGTH - position));
    }
    List<Long> sizes = faults.calls(Function.PREAD).stream().map(Call::length).toList();
    assertEquals(
        List.of(32L, 64L, 128L, 256L, 512L),
        sizes.subList(0, 5).stream().map(s -> s >> 10).toList());
    assertTrue(sizes.size() <= 7, "" + sizes);
  }

  @Test
  void fourStreamsAtOnceDontDisturbOneAnother() throws Exception {
    int part = 190 << 10;
    for (int position = 0; position < part; position += 1000) {
      for (int stream = 0; stream < 4; stream++) {
        check(stream * part + position, 1000);
      }
    }
    // Each stream takes reads of 32, 64 and 128 KiB.
    assertTrue(faults.count(Function.PREAD) <= 12, "" + faults.count(Function.PREAD));
  }

  @Test
  void withoutBuffersTheCallerReadsForItself() throws Exception {
    List<NativeBuffer> taken = takeAll();
    assertEquals(BUFFERS, taken.size());
    for (int i = 0; i < 10; i++) {
      assertEquals(0, check(i * 1000L, 1000));
    }
    assertEquals(0, faults.count(Function.PREAD));
    large.give(taken.remove(0));
    assertEquals(40_000, check(5, 40_000), "one is enough");
    assertEquals(1000, check(500_000, 1000));
    taken.forEach(large::give);
  }

  @Test
  void aFailedReadLeavesNoOldBytes() throws Exception {
    check(0, 1000);
    faults.on(Function.PREAD).always().fail(Errno.EIO);
    for (int position : new int[] {32 << 10, 200_000, 300_000, 400_000, 500_000}) {
      assertEquals(0, check(position, 10));
    }
    faults.calm();
    for (int position : new int[] {500_000, 32 << 10, 0, 200_000, 500_100}) {
      assertEquals(1000, check(position, 1000));
    }
  }

  @Test
  void aTruncatedFileIsAnEndOfFile() throws Exception {
    try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.WRITE)) {
      channel.truncate(40_000);
    }
    assertEquals(32 << 10, check(0, 32 << 10));
    assertEquals(0, check(32 << 10, 10), "left to the caller, whose bytes are there");
    FileReader reader = new FileReader(backend, file);
    byte[] read = new byte[40_000 - (32 << 10)];
    reader.readBytes(32 << 10, read, 0, read.length);
    assertArrayEquals(Arrays.copyOfRange(data, 32 << 10, 40_000), read);
    EOFException e =
        assertThrows(EOFException.class, () -> reader.readBytes(39_990, new byte[20], 0, 20));
    Fixtures.assertNames(e, 10, 40_000, file.path());
  }

  private DirectPreadDirectory directory() throws IOException {
    return Fixtures.direct(folder, PreadConfig.DEFAULT, Fixtures.NO_CACHE, backend);
  }

  @Test
  void anErrorBehindWhatIsAskedForFailsNobody() throws Exception {
    try (DirectPreadDirectory directory = directory();
        IndexInput input =
            directory.openInput(file.path().getFileName().toString(), Fixtures.MERGE)) {
      byte[] read = new byte[32 << 10];
      input.readBytes(read, 0, read.length);
      faults.forget();
      // This is what is read ahead, which is more than is asked for.
      faults.on(Function.PREAD).at(1).fail(Errno.EIO);
      input.readBytes(read, 0, read.length);
      assertArrayEquals(Arrays.copyOfRange(data, read.length, 2 * read.length), read);
      assertEquals(64 << 10, faults.calls(Function.PREAD).get(0).length());
      faults.on(Function.PREAD).always().fail(Errno.EIO);
      IOException e = assertThrows(IOException.class, () -> input.readBytes(read, 0, read.length));
      Fixtures.assertNames(e, "EIO", "position=" + (64 << 10), "length=" + (32 << 10), file.path());
      faults.calm();
      input.seek(64 << 10);
      input.readBytes(read, 0, read.length);
      assertArrayEquals(Arrays.copyOfRange(data, 64 << 10, 96 << 10), read);
    }
  }

  @Test
  void afterCloseItReadsNothing() throws Exception {
    check(0, 1000);
    ahead.close();
    assertEquals(0, check(0, 1000));
    assertEquals(0, check(500_000, 1000));
    assertEquals(1, faults.count(Function.PREAD));
  }

  @Test
  void whoCanNotHaveItReadsForItself() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    faults
        .on(Function.PREAD)
        .at(1)
        .first(
            () -> {
              reading.countDown();
              Fixtures.awaitQuietly(asked);
            });
    Fixtures.inThreads(
        2,
        thread -> {
          if (thread == 0) {
            assertEquals(1000, check(0, 1000));
          } else {
            Fixtures.await(reading);
            assertEquals(0, check(0, 1000));
            asked.countDown();
          }
        });
    assertEquals(1, faults.count(Function.PREAD));
  }

  @Test
  void threadsReadWhatTheFileHasAlsoWhenItIsClosedMeanwhile() throws Exception {
    for (int round = 0; round < 20; round++) {
      AtomicLong reads = new AtomicLong();
      int seed = round;
      Fixtures.inThreads(
          3,
          thread -> {
            Random random = new Random(Fixtures.SEED + 3L * seed + thread);
            for (int i = 0; i < 300; i++) {
              int position = random.nextInt(LENGTH);
              check(position, Math.min(1 + random.nextInt(20_000), LENGTH - position));
              if (reads.incrementAndGet() == 700) {
                ahead.close();
              }
            }
          });
      ahead.close();
      ahead = new ReadAhead(large, file);
    }
    assertNotNull(ahead);
    List<NativeBuffer> all = takeAll();
    assertEquals(BUFFERS, all.size());
    assertNull(large.take());
    all.forEach(large::give);
  }
}
