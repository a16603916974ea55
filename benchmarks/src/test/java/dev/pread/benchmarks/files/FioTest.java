/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.machine.LimitedProcess;
import dev.pread.benchmarks.machine.UnavailableException;
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

  private static Fio.Measured parse(int exit, String out, String err) throws Exception {
    return Fio.parse(new LimitedProcess.Ended(exit, out, err, USAGE));
  }

  @Test
  void figuresOfPsync() throws Exception {
    Fio.Measured measured =
        parse(0, "fio: this platform does not say hello\n" + captured("fio-psync.json"), "");
    assertEquals(86.06547619, measured.readsPerMs(), 1e-9);
    assertEquals(43264, measured.p50());
    assertEquals(90624, measured.p99());
  }

  @Test
  void forbiddenEngineIsUnavailableInFiosWords() throws Exception {
    String json = captured("fio-forbidden.json");
    UnavailableException e = assertThrows(UnavailableException.class, () -> parse(1, json, ""));
    assertTrue(
        e.getMessage().contains("func=io_queue_init, error=Operation not permitted"),
        e.getMessage());
    assertFalse(e.getMessage().contains("{"), e.getMessage());
    assertThrows(IOException.class, () -> parse(0, json, ""), "an error in spite of its exit code");
  }

  @Test
  void damagedTextIsNoFigure() throws Exception {
    String json = captured("fio-psync.json");
    for (String damaged :
        List.of(
            "",
            "nothing",
            "{}",
            "{\"jobs\": []}",
            json.substring(0, json.length() / 3),
            json.replace("\"iops\"", "\"other\""),
            json.replace("\"99.000000\"", "\"99.8\""))) {
      assertThrows(IOException.class, () -> parse(0, damaged, ""), damaged);
    }
  }
}
