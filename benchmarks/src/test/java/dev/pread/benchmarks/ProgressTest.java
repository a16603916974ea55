/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** A bar where it can be redrawn, lines where it cannot. */
class ProgressTest {
  private final StringWriter out = new StringWriter();

  @Test
  void barIsRedrawnAndWiped() {
    Progress progress = new Progress(new PrintWriter(out), true);
    progress.start("reading");
    assertTrue(out.toString().startsWith("[   "), out.toString());
    progress.finish("read 3 files");
    String[] parts = out.toString().split("\r", -1);
    assertTrue(parts[parts.length - 1].startsWith("read 3 files in "), out.toString());
    assertTrue(parts[parts.length - 2].isBlank(), out.toString());
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
    progress.finish("read 3 files");
    assertFalse(out.toString().contains("\r"), out.toString());
    assertEquals(1, out.toString().lines().count());
  }
}
