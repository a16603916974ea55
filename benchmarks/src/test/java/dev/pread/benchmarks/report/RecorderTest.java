/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {
  private static final Metric RATE = Metric.throughput("ops/ms");

  @TempDir private Path temp;

  private record Conditions(String k) {}

  private static Figures figures(double... samples) {
    Figures figures = Figures.under(new Conditions("x"));
    for (double sample : samples) {
      figures.add(RATE, sample);
    }
    return figures;
  }

  @Test
  void theFileHoldsEverythingAlsoBeforeTheEnd() throws Exception {
    Path file = temp.resolve("run.json");
    Contender mmap = Contender.other("mmap");
    Recorder recorder = new Recorder(Machine.about("grid", "1"), file);
    recorder.add("b", mmap, figures(1, 2));
    Run early = RunFile.read(file);
    assertFalse(early.complete());
    assertEquals(List.of(SyntheticRuns.cell("x", mmap, RATE, 1, 2)), early.cells());

    recorder.add("b", Contender.ours("pread"), figures(7));
    recorder.add("b", mmap, figures(3));
    recorder.note("said once");
    recorder.note("said once");
    recorder.skip("exceeds", "no root: run as root");
    recorder.storage("readAheadKiB", 128);
    recorder.write(true);
    // Files of later versions may say more.
    Files.writeString(file, Files.readString(file).replaceFirst("\\{", "{\"retired\": [1],"));
    Run read = RunFile.read(file);
    assertEquals(recorder.run(true).cells(), read.cells());
    assertTrue(read.complete());
    assertEquals(SyntheticRuns.cell("x", mmap, RATE, 1, 2, 3), read.cells().get(0), "joined");
    assertEquals(List.of("said once"), read.notes());
    assertEquals("exceeds", read.skipped().get(0).what());
    assertEquals(128, read.about().storage().get("readAheadKiB"));
    assertEquals(List.of(file.toFile()), List.of(temp.toFile().listFiles()));
  }
}
