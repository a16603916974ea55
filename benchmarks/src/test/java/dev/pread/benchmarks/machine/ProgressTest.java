/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line in its place where that can be, few lines where it cannot. */
class ProgressTest {
  private final StringWriter out = new StringWriter();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLastLineIsTheResult(boolean terminal) {
    Progress progress = new Progress(new PrintWriter(out), terminal);
    progress.start("reading");
    progress.finish("read 3 files");
    String[] shown = out.toString().split("\u001b\\[K", -1);
    assertEquals(terminal ? 4 : 1, shown.length, out.toString());
    String last = shown[shown.length - 1];
    assertEquals("read 3 files in", last.substring(0, last.lastIndexOf(" in ") + 3));
  }

  @Test
  void shortStepsPrintNoLines() {
    Progress progress = new Progress(new PrintWriter(out), false);
    progress.start("reading");
    for (int i = 0; i < 1_000; i++) {
      progress.update(i / 1_000.0, "");
    }
    progress.wipe();
    assertEquals("", out.toString());
  }
}
