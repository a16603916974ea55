/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.files.OutputCommand.OutputTask;
import dev.pread.benchmarks.files.StreamsCommand.StreamsTask;
import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Figures;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterIndexOutput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What the tasks of {@code streams} and {@code output} write and read is right, or is refused. */
class WritersTest {
  /** No multiple of a direct block. */
  private static final long LENGTH = 5 * 8192;

  private static final long SMALL_WRITES = 1_000_001;

  @TempDir private Path temp;
  private Path data;

  @BeforeEach
  void write() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    data = temp.resolve(StreamsTask.DATA);
    DataPattern.write(data, LENGTH);
  }

  private StreamsTask streams(Way way, long length) {
    return new StreamsTask(way, temp.toString(), length, List.of(1024, 8192), 2);
  }

  @ParameterizedTest
  @FieldSource("dev.pread.benchmarks.files.StreamsCommand#WAYS")
  void streamsWriteAndReadTheRightBytes(Way way) throws Exception {
    StreamsTask task = streams(way, LENGTH);
    List<String> runs = new ArrayList<>();
    for (Figures figures : task.run()) {
      assertTrue(figures.samples().get(0).value() > 0, figures.toString());
      if (figures.conditions().get("operation").equals("read")) {
        runs.add(figures.conditions().get("run") + " " + figures.conditions().get("buffer"));
      }
    }
    assertEquals(List.of("first 1024", "later 1024", "later 8192", "later 8192"), runs);
    Path file = temp.resolve("file");
    for (int buffer : task.buffers()) {
      task.write(file, buffer);
      new MarkedBlock(buffer).verify(file, LENGTH);
      Files.delete(file);
    }
    Class<? extends Exception> atEnd =
        way == Way.MMAP_SEGMENT ? IndexOutOfBoundsException.class : EOFException.class;
    assertThrows(atEnd, () -> streams(way, LENGTH + 8192).read(data, 8192));
    WayTest.damage(data, 2 * 8192);
    for (int buffer : task.buffers()) {
      assertThrows(WrongResult.class, () -> task.read(data, buffer));
    }
  }

  @Test
  void verificationSeesWhatIsWrong() throws Exception {
    Path file = temp.resolve("file");
    streams(Way.INPUT_STREAM, LENGTH).write(file, 1024);
    MarkedBlock blocks = new MarkedBlock(1024);
    blocks.verify(file, LENGTH);
    assertThrows(WrongResult.class, () -> new MarkedBlock(2048).verify(file, LENGTH));
    byte[] bytes = Files.readAllBytes(file);
    for (int at : new int[] {0, 500, 1024, 5 * 1024 - 1, bytes.length - 1}) {
      bytes[at]++;
      Files.write(file, bytes);
      assertThrows(WrongResult.class, () -> blocks.verify(file, LENGTH), "" + at);
      bytes[at]--;
    }
    System.arraycopy(bytes, 1024, bytes, 2048, 1024);
    Files.write(file, bytes);
    assertThrows(WrongResult.class, () -> blocks.verify(file, LENGTH), "doubled");
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThrows(WrongResult.class, () -> blocks.verify(file, LENGTH), "short");
  }

  private OutputTask output(Way directory, boolean ask) {
    return new OutputTask(directory, temp.toString(), SMALL_WRITES, ask);
  }

  @ParameterizedTest
  @FieldSource("dev.pread.benchmarks.files.OutputCommand#WAYS")
  void questionsChangeNothing(Way directory) throws Exception {
    Map<String, Double> asked = figures(output(directory, true));
    Map<String, Double> not = figures(output(directory, false));
    assertEquals(not.get("writes"), asked.get("writes"));
    assertTrue(asked.get("writes") > SMALL_WRITES / 256.0, "many small ones: " + asked);
    assertEquals(List.of(data.toFile()), List.of(temp.toFile().listFiles()), "others are gone");
  }

  private static Map<String, Double> figures(OutputTask task) throws Exception {
    return task.run().get(0).samples().stream()
        .collect(Collectors.toMap(sample -> sample.metric().name(), Figures.Sample::value));
  }

  private void writeThroughALiar(OutputTask writes) throws Exception {
    try (Directory directory = new NIOFSDirectory(temp);
        IndexOutput out = directory.createOutput("file", IOContext.DEFAULT)) {
      writes.write(
          new FilterIndexOutput("liar", "liar", out) {
            @Override
            public long getFilePointer() {
              // Right again at the end.
              long position = super.getFilePointer();
              return position > 1000 && position < SMALL_WRITES / 2 ? position + 1 : position;
            }
          },
          new MarkedBlock(OutputTask.BLOCK));
    }
  }

  @Test
  void wrongPositionIsSeen() {
    assertThrows(WrongResult.class, () -> writeThroughALiar(output(Way.NIOFS, true)));
  }
}
