/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterIndexOutput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers with and without questions: what they write, answer and call. */
class OutputTaskTest {
  private static final long LENGTH = 1_000_001;

  @TempDir private Path temp;

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "niofs", "pread", "direct"})
  void questionsChangeNothing(String directory) throws Exception {
    OutputTask.Result asked = new OutputTask(directory, temp.toString(), LENGTH, true, 7).run();
    OutputTask.Result not = new OutputTask(directory, temp.toString(), LENGTH, false, 7).run();
    assertEquals(not.writes(), asked.writes());
    assertTrue(asked.writes() > LENGTH / 256, "many small ones: " + asked.writes());
    assertTrue(asked.nanos() > 0);
    assertEquals(not.writeCalls() < 0, asked.writeCalls() < 0);
    try (var files = Files.list(temp)) {
      assertEquals(List.of(), files.toList(), "the files are gone");
    }
  }

  private void write(SmallWrites writes, long lie) throws Exception {
    try (Directory directory = new NIOFSDirectory(temp);
        IndexOutput out = directory.createOutput("file", IOContext.DEFAULT)) {
      writes.write(
          new FilterIndexOutput("liar", "liar", out) {
            @Override
            public long getFilePointer() {
              // Right again at the end.
              long position = super.getFilePointer();
              return position > 1000 && position < LENGTH / 2 ? position + lie : position;
            }
          },
          true);
    }
  }

  @Test
  void wrongPositionIsSeen() {
    assertThrows(WrongBytesException.class, () -> write(new SmallWrites(LENGTH, 7), 1));
  }

  @Test
  void wrongBytesAreSeen() throws Exception {
    write(new SmallWrites(LENGTH, 7), 0);
    Path file = temp.resolve("file");
    new SmallWrites(LENGTH, 7).verify(file);
    assertThrows(WrongBytesException.class, () -> new SmallWrites(LENGTH, 8).verify(file));
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1]++;
    Files.write(file, bytes);
    assertThrows(WrongBytesException.class, () -> new SmallWrites(LENGTH, 7).verify(file));
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThrows(WrongBytesException.class, () -> new SmallWrites(LENGTH, 7).verify(file));
  }

  @Test
  void writeCallsOfBothAreRecorded() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path json = temp.resolve("run.json");
    Cli cli =
        Cli.run(
            "output",
            "--no-ceiling",
            "--quick",
            "--read-ahead",
            0,
            "--work",
            temp.resolve("work"),
            "--json",
            json,
            "--file-size",
            "2m",
            "--directories",
            "pread");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(temp.resolve("work/output")), "the files are gone");
    Run run = RunFile.read(json);
    assertTrue(run.complete());
    Map<String, Double> calls =
        run.cells().stream()
            .filter(cell -> cell.metric().name().equals("write calls"))
            .collect(
                Collectors.toMap(
                    cell -> cell.conditions().get("getFilePointer"),
                    cell -> cell.samples().get(0)));
    assertEquals(2, calls.size(), run.toString());
    // 2 MiB in pieces of 64 KiB; the child has other threads, which may write a few times.
    assertEquals(32, calls.get("at the end"), 16);
    assertEquals(calls.get("at the end"), calls.get("after every write"), 16);
    for (Cell cell : run.cells()) {
      assertTrue(cell.samples().get(0) > 0, cell.toString());
    }
  }
}
