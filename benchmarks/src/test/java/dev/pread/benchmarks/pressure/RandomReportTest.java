/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pread.benchmarks.files.Fio;
import dev.pread.benchmarks.files.FioJob;
import dev.pread.benchmarks.load.Latencies;
import dev.pread.benchmarks.machine.LimitedProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Medians, ratios within rounds, the table, the JSON, and what fio says. */
class RandomReportTest {

  private static RandomSlot slot(int round, String contender, double readsPerMs) {
    Latencies latencies = new Latencies(1, 1_000 * readsPerMs, 2e6, 3e9, 4e9);
    return new RandomSlot(round, contender, 4096, 4, readsPerMs, latencies, 5, 256L << 20);
  }

  private static RandomReport report() {
    RandomReport report = new RandomReport(Map.of("zipf", 0.99));
    // The last round is disturbed: all are slow, and the ratios are what they were.
    for (int round = 0; round < 3; round++) {
      double speed = round == 2 ? 0.1 : 1 + round;
      report.add(slot(round, "mmap", 10 * speed));
      report.add(slot(round, "pread", 40 * speed));
      report.add(slot(round, "fio", 80 * speed));
    }
    return report;
  }

  @Test
  void ratiosAreTakenWithinRounds() {
    List<RandomReport.Row> rows = report().rows();
    assertEquals(
        List.of("mmap", "pread", "fio"), rows.stream().map(RandomReport.Row::contender).toList());
    RandomReport.Row pread = rows.get(1);
    assertEquals(40, pread.readsPerMs());
    assertEquals(40 * 4.096, pread.megabytesPerSecond(), 1e-9);
    assertEquals(0.5, pread.vsFio(), 1e-9);
    assertEquals(4, pread.vsBestOther(), 1e-9);
    assertEquals(0.25, rows.get(0).vsBestOther(), 1e-9);
    assertNull(rows.get(2).vsFio());
    assertNull(rows.get(2).vsBestOther());
  }

  @Test
  void otherLoadsAreOtherRows() {
    RandomReport report = report();
    report.add(new RandomSlot(0, "mmap", 16384, 4, 1, slot(0, "", 1).latencies(), -1, -1));
    RandomReport.Row row = report.rows().get(3);
    assertEquals(16384, row.bytes());
    assertNull(row.vsFio(), "fio was not measured under it");
    assertNull(row.vsBestOther());
  }

  @Test
  void tableSaysWhatItWasMeasuredOn() {
    StringWriter text = new StringWriter();
    report().print(new PrintWriter(text), List.of("read-ahead 128 KiB"), true);
    List<String> lines = text.toString().lines().toList();
    assertEquals(
        "bytes  threads  directory  reads/ms  MB/s      p50      p99   p99.9  major faults"
            + "  peak memory  vs fio  vs best other",
        lines.get(0));
    assertEquals(
        "4096   4        pread          40.0   164  40.0 us  2.00 ms  3.00 s             5"
            + "      256 MiB   0.50x          4.00x",
        lines.get(2));
    assertEquals("read-ahead 128 KiB", lines.get(5));
    assertTrue(lines.get(6).startsWith("stopped"), lines.get(6));
  }

  @Test
  void stoppedBeforeTheFirstSlotIsSaid() {
    StringWriter text = new StringWriter();
    new RandomReport(Map.of()).print(new PrintWriter(text), List.of("a note"), true);
    assertEquals("stopped before anything was measured", text.toString().strip());
  }

  @Test
  void jsonHasEverySlot() throws IOException {
    JsonNode root =
        new ObjectMapper()
            .readTree(report().json("random", Map.of("rounds", 3), List.of("a note")));
    assertEquals("random", root.get("part").asText());
    assertEquals(3, root.get("settings").get("rounds").asInt());
    assertEquals(0.99, root.get("settings").get("zipf").asDouble());
    assertEquals(3, root.get("results").size());
    assertEquals(9, root.get("slots").size());
    assertEquals(3e9, root.get("slots").get(0).get("latencies").get("p999").asDouble());
    assertEquals("a note", root.get("notes").get(0).asText());
    assertTrue(root.get("machine").has("kernel"));
  }

  @Test
  void fiosFiguresMakeASlot() {
    FioJob job = new FioJob(new FioJob.Reads("psync", false, 4096), 16, 1, 0.5, 2);
    Latencies latencies = new Latencies(117401, 61_000, 250_000, 800_000, 9_000_000);
    Fio.Measured measured =
        new Fio.Measured(58.7005, latencies, new LimitedProcess.Usage(9_000_000, 4, 0));
    assertEquals(
        new RandomSlot(2, "fio", 4096, 16, 58.7005, latencies, 4, 9_000_000),
        RandomSlot.of(2, job, measured));
  }
}
