/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.report.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How fio is called, and what it said on a real machine. */
class FioTest {
  private static final LimitedProcess.Usage USAGE = new LimitedProcess.Usage(9_000_000, 0);

  private static String captured(String name) throws IOException {
    try (InputStream in = FioTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<Double> figures(int exit, String out) throws IOException {
    CeilingCommand.Conditions job =
        new CeilingCommand.Conditions("device", Order.RANDOM, 4096, "psync", 4);
    return Fio.figures(job, new LimitedProcess.Ended(exit, out, "", USAGE)).samples().stream()
        .map(Figures.Sample::value)
        .toList();
  }

  @Test
  void figuresOfPsync() throws Exception {
    String out = "fio: this platform does not say hello\n" + captured("fio-psync.json");
    assertEquals(List.of(86.06547619, 43.264, 90.624), figures(0, out));
  }

  @Test
  void forbiddenEngineIsSaidInFiosWords() throws Exception {
    String json = captured("fio-forbidden.json");
    String said = assertThrows(IOException.class, () -> figures(1, json)).getMessage();
    assertTrue(said.contains("func=io_queue_init, error=Operation not permitted"), said);
    assertFalse(said.contains("{"), said);
    assertThrows(IOException.class, () -> figures(0, json), "an error in spite of its exit code");
  }

  @Test
  void damagedTextIsNoFigure() throws Exception {
    String json = captured("fio-psync.json");
    for (String damaged :
        List.of(
            "",
            "nothing",
            "{\"jobs\": []}",
            json.substring(0, json.length() / 3),
            json.replace("\"iops\"", "\"other\""),
            json.replace("\"99.000000\"", "\"99.8\""))) {
      assertThrows(IOException.class, () -> figures(0, damaged), damaged);
    }
  }
}
