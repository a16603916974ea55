/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.WrongResult;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The grid from its arguments to its file, JMH and memory cgroups included. */
class GridCommandTest {
  @TempDir private Path temp;

  private static JmhTask task(Path file) {
    Map<String, Object> reads =
        Map.of("way", Way.PREAD, "bytes", 4096, "file", file, "checkSeconds", 0.05);
    return JmhTask.of(ReadBenchmark.class, reads, 2, new JmhTask.Times(0, 2, 0.05), List.of());
  }

  @Test
  void jmhMeasures() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    DataPattern.write(temp.resolve("data"), 1 << 20);
    JmhTask.Measured measured = task(temp.resolve("data")).run();
    assertEquals(2, measured.scores().size());
    assertTrue(measured.scores().get(0) > 0 && measured.operations() > 0, measured.toString());
  }

  @Test
  void whatTheBenchmarkThrowsIsThrown() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path file = temp.resolve("data");
    assertThrows(NoSuchFileException.class, () -> task(file).run());
    DataPattern.write(file, 1 << 20);
    for (int block = 0; block < 256; block++) {
      WayTest.damage(file, block * 4096L + 2001);
    }
    assertThrows(WrongResult.class, () -> task(file).run());
  }
}
