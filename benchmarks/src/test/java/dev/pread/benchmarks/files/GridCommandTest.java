/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.DataPattern;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Figures;
import dev.pread.benchmarks.report.Run;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The grid from its arguments to its file, JMH and memory cgroups included. */
class GridCommandTest {
  @TempDir private Path temp;

  private static JmhTask task(Path file) {
    Map<String, Object> reads =
        Map.of("way", Way.PREAD, "bytes", 4096, "file", file, "checkSeconds", 0.05);
    return JmhTask.of(ReadBenchmark.class, reads, 2, new JmhTask.Times(0, 2, 0.05), List.of());
  }

  @Test
  void cachesLeaveTheJvmItsMemory() {
    for (long memory : new long[] {256L << 20, 384L << 20, 1L << 30, 64L << 30}) {
      for (Way way : Way.GRID) {
        long cache = way.cacheBytes(memory, GridCommand.HEAP);
        assertTrue(cache >= 0 && cache <= memory - GridCommand.HEAP - (96L << 20), way.toString());
      }
    }
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

  @ParameterizedTest
  @CsvSource({"149, 3, false", "151, 3, true", "151, 1, false"})
  void noReadIsFasterThanACopy(double figure, int samples, boolean impossible) {
    Map<String, String> where = Figures.map(new GridCommand.Point(Regime.FITS, Order.FILE, 8, 1));
    List<Cell> cells = new ArrayList<>();
    for (Way way : List.of(Way.MEMCPY, Way.MMAP)) {
      List<Double> all = Collections.nCopies(samples, way == Way.MMAP ? figure : 100);
      cells.add(new Cell("grid", where, way.contender(), GridCommand.THROUGHPUT, all));
    }
    Run.About about = new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of());
    Run run = new Run(Run.FORMAT, about, false, List.of(), List.of(), cells, List.of());
    assertEquals(impossible, GridCommand.impossible(run).isPresent());
  }
}
