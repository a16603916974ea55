/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {
  @TempDir private Path temp;

  private static Run.About about() {
    return new Run.About(
        "2026-01-01T00:00:00Z", "grid", "1", Map.of(), Map.of(), Map.of("device", "sda"), Map.of());
  }

  private static Cell cell(String contender, double... samples) {
    Metric rate = Metric.throughput("ops/ms");
    return SyntheticRuns.cell("x", Contender.other(contender), rate, samples);
  }

  private record Conditions(String k) {}

  private static void add(Recorder recorder, String contender, double... samples)
      throws IOException {
    Figures figures = Figures.under(new Conditions("x"));
    for (double sample : samples) {
      figures.add(Metric.throughput("ops/ms"), sample);
    }
    recorder.add("b", Contender.other(contender), figures);
  }

  @Test
  void whatWasMeasuredIsInTheFileBeforeTheEnd() throws Exception {
    Path file = temp.resolve("run.json");
    Recorder recorder = new Recorder(about(), file);
    add(recorder, "mmap", 1);
    Run early = RunFile.read(file);
    assertFalse(early.complete());
    assertEquals(List.of(cell("mmap", 1)), early.cells());
  }

  @Test
  void theFileHoldsEverything() throws Exception {
    Path file = temp.resolve("run.json");
    Recorder recorder = new Recorder(about(), file);
    Figures figures = Figures.under(new Conditions("x"));
    figures.add(Metric.throughput("ops/ms"), 1.5);
    Curve.Axes axes = new Curve.Axes("latency", "percentile", "us", Curve.Scale.PERCENTILES);
    List<Curve.Point> points = List.of(new Curve.Point(50, 1), new Curve.Point(99, 2));
    figures.lines().add(new Figures.Line(axes, points));
    recorder.add("grid", Contender.ours("pread"), figures);
    add(recorder, "mmap", 1, 2);
    add(recorder, "niofs", 7);
    add(recorder, "mmap", 3);
    Figures again = Figures.under(new Conditions("x"));
    again.lines().add(new Figures.Line(axes, List.of(new Curve.Point(50, 9))));
    recorder.add("grid", Contender.ours("pread"), again);
    recorder.note("said once");
    recorder.note("said once");
    recorder.skip("exceeds", "no root: run as root");
    recorder.storage("readAheadKiB", 128);
    recorder.finish(true);
    Run read = RunFile.read(file);
    assertEquals(recorder.run(true), read);
    assertTrue(read.complete());
    assertEquals(
        List.of(cell("mmap", 1, 2, 3), cell("niofs", 7)),
        read.cells().subList(1, 3),
        "joined, in their order");
    assertEquals(1, read.curves().size());
    assertEquals(points, read.curves().get(0).points(), "those of the first time");
    assertEquals(List.of("said once"), read.notes());
    assertEquals(Map.of("device", "sda", "readAheadKiB", 128), read.about().storage());
    try (var files = Files.list(temp)) {
      assertEquals(List.of(file), files.toList());
    }
  }

  @Test
  void aFileWithMoreFactsThanWeKnowOpens() throws Exception {
    Path file = temp.resolve("run.json");
    Run run = SyntheticRuns.full(1, 3, true);
    RunFile.write(file, run);
    Files.writeString(file, Files.readString(file).replaceFirst("\\{", "{\"retired\": [1],"));
    assertEquals(run.cells(), RunFile.read(file).cells());
  }

  @Test
  void figuresThatAreNoneAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> cell("mmap", Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> cell("mmap", Double.POSITIVE_INFINITY));
    assertThrows(IllegalArgumentException.class, () -> cell("mmap"));
  }
}
