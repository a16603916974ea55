/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.report.Progress;
import java.io.EOFException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way writes and reads what it should, on real files. */
class StreamsTaskTest {
  /** No multiple of a buffer, of a page or of a direct block. */
  private static final long LENGTH = 3 * 8192 + 1024 + 8;

  private static final List<Integer> BUFFERS = List.of(1024, 8192);

  @TempDir private Path temp;

  private StreamsTask task(StreamKind kind, long length) {
    return new StreamsTask(kind, temp.toString(), length, BUFFERS, 2);
  }

  private Path data(long length) throws Exception {
    Path file = temp.resolve(StreamsTask.DATA);
    try (StopSignal stop = StopSignal.ofShutdown()) {
      DataPattern.write(
          file, length, new Progress(new PrintWriter(Writer.nullWriter()), false), stop);
    }
    return file;
  }

  @ParameterizedTest
  @EnumSource(StreamKind.class)
  void writesAndReadsTheRightBytes(StreamKind kind) throws Exception {
    for (long length : new long[] {LENGTH, 4 * 8192, 8 * 3}) {
      data(length);
      StreamsTask.Result result = task(kind, length).run();
      assertEquals(
          List.of(1024, 1024, 8192, 8192),
          result.runs().stream().map(StreamsTask.Times::buffer).toList());
      for (StreamsTask.Times times : result.runs()) {
        assertTrue(times.writeNanos() > 0 && times.syncNanos() > 0 && times.readNanos() > 0);
      }
      for (int buffer : BUFFERS) {
        Path written = StreamsTask.written(temp, buffer);
        Blocks.verify(written, length, buffer);
        Files.delete(written);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(StreamKind.class)
  void wrongBytesAreSeen(StreamKind kind) throws Exception {
    Path file = data(LENGTH);
    try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
      damaged.seek(2 * 8192);
      damaged.write(damaged.read() + 1);
    }
    StreamsTask task = task(kind, LENGTH);
    for (int buffer : BUFFERS) {
      assertThrows(WrongBytesException.class, () -> task.read(kind.way(), file, buffer));
    }
  }

  @ParameterizedTest
  @EnumSource(StreamKind.class)
  void fileThatIsTooShortIsSeen(StreamKind kind) throws Exception {
    Path file = data(LENGTH);
    StreamsTask task = task(kind, LENGTH + 4096);
    assertThrows(EOFException.class, () -> task.read(kind.way(), file, 8192));
  }

  @Test
  void verificationSeesWhatIsWrong() throws Exception {
    data(LENGTH);
    task(StreamKind.STREAM, LENGTH).run();
    Path file = StreamsTask.written(temp, 1024);
    Blocks.verify(file, LENGTH, 1024);
    assertThrows(WrongBytesException.class, () -> Blocks.verify(file, LENGTH, 2048));
    assertThrows(WrongBytesException.class, () -> Blocks.verify(file, LENGTH - 8, 1024));
    byte[] bytes = Files.readAllBytes(file);
    for (int at : new int[] {0, 500, 1024, 5 * 1024 - 1, bytes.length - 1}) {
      bytes[at]++;
      Files.write(file, bytes);
      assertThrows(WrongBytesException.class, () -> Blocks.verify(file, LENGTH, 1024), "" + at);
      bytes[at]--;
    }
    System.arraycopy(bytes, 1024, bytes, 2048, 1024);
    Files.write(file, bytes);
    assertThrows(WrongBytesException.class, () -> Blocks.verify(file, LENGTH, 1024), "doubled");
  }
}
