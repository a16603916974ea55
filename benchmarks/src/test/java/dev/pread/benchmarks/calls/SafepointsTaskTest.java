/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.load.DataPattern;
import dev.pread.benchmarks.load.WrongBytesException;
import dev.pread.benchmarks.report.Progress;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.RunFile;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafepointsTaskTest {
  private static final int LENGTH = 1 << 20;

  @TempDir private Path temp;

  private Path data() throws Exception {
    Path file = temp.resolve("data");
    try (StopSignal stop = StopSignal.ofShutdown()) {
      DataPattern.write(
          file, LENGTH, new Progress(new PrintWriter(Writer.nullWriter()), false), stop);
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jni", "ffm", "naive-jni", "naive-ffm"})
  void everyWayReadsWhatIsThere(String way) throws Exception {
    byte[] expected = Files.readAllBytes(data());
    byte[] array = new byte[8192];
    try (NativeWay.Reader reader = ColdReader.open(way, temp.resolve("data"))) {
      for (int position = 0; position < LENGTH; position += 77 * 8) {
        if (position + array.length <= LENGTH) {
          reader.read(array, position);
          for (int i = 0; i < array.length; i++) {
            assertEquals(expected[position + i], array[i], "byte " + (position + i));
          }
        }
      }
      assertThrows(java.io.EOFException.class, () -> reader.read(array, LENGTH - 8));
    }
  }

  @Test
  void wrongBytesAreNoticed() throws Exception {
    Path file = data();
    byte[] bytes = Files.readAllBytes(file);
    java.util.Arrays.fill(bytes, (byte) 1);
    Files.write(file, bytes);
    Path log = Files.createFile(temp.resolve("log"));
    Exception e =
        assertThrows(
            Exception.class,
            () -> new SafepointsTask("ffm", "G1", file.toString(), 0.2, log.toString()).run());
    Throwable cause = e instanceof WrongBytesException ? e : e.getCause();
    assertTrue(cause instanceof WrongBytesException, "" + e);
  }

  @Test
  void theCommandMeasuresAllOfThem() throws Exception {
    Path json = temp.resolve("run.json");
    Cli cli =
        Cli.run(
            "safepoints", "--quick", "--cold-seconds=0.2", "--cold-file-size=4m", "--json=" + json);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    List<Cell> cells = RunFile.read(json).cells();
    Set<String> who =
        cells.stream()
            .map(cell -> cell.conditions().get("collector") + " " + cell.contender().name())
            .collect(Collectors.toSet());
    assertEquals(
        Set.of(
            "G1 jni",
            "G1 ffm",
            "G1 naive-jni",
            "G1 naive-ffm",
            "Serial jni",
            "Serial ffm",
            "Serial naive-jni",
            "Serial naive-ffm"),
        who);
    for (Cell cell : cells) {
      assertTrue(cell.samples().get(0) > 0, cell.toString());
    }
  }
}
