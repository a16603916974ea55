/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TextReportTest {

  private static String text(Run run) {
    StringWriter text = new StringWriter();
    TextReport.print(run, new PrintWriter(text));
    return text.toString();
  }

  @Test
  void aFullRunFitsATerminal() {
    String text = text(SyntheticRuns.full(true));
    text.lines()
        .filter(line -> !line.contains(" won, ") && !line.startsWith("skipped: "))
        .forEach(line -> assertTrue(line.length() <= 120, line.length() + ": " + line));
    for (String shown : List.of("== grid (order random)", "4 KiB", "threads 16", "\nnote: The")) {
      assertTrue(text.contains(shown), shown + " in " + text);
    }
    assertTrue(text.contains("\nskipped: ceiling: io_uring: no"), text);
    assertFalse(text.contains("stopped"));
    assertTrue(text(SyntheticRuns.full(false)).contains("stopped"));
  }

  @Test
  void ratioIsThatOfTheBestOfOursToTheBestOther() {
    Run run =
        SyntheticRuns.of(
            cell("x", Contender.ours("direct"), 50.0),
            cell("x", Contender.ours("pread"), 40.0),
            cell("x", Contender.other("niofs"), 10.0),
            cell("x", Contender.other("mmap"), 20.0),
            cell("x", Contender.ceiling("memcpy"), 90.0),
            cell("y", Contender.ours("pread"), 10.0),
            cell("y", Contender.other("mmap"), 20.0));
    List<String> lines = text(run).lines().toList();
    assertEquals(List.of("k x", "direct", "50"), columns(lines.get(2)));
    assertEquals("2.50x", columns(lines.get(7)).get(1));
    assertEquals(List.of("k y", "pread", "10"), columns(lines.get(8)));
    assertEquals("0.50x", columns(lines.get(10)).get(1));
    assertEquals(1, lines.stream().map(String::length).skip(1).limit(10).distinct().count());
    String score = ".*2 of 3 cells won, 0 level within their error, 1 lost";
    assertTrue(lines.stream().anyMatch(line -> line.matches(score)), text(run));
  }

  /** Names come from files, which must not steer the terminal. */
  @Test
  void theOrderIsNotThatOfTheTurns() {
    Contender mmap = Contender.other("mmap");
    Contender niofs = Contender.other("nio\u001b[31m\u202e\rfs");
    Run run =
        SyntheticRuns.of(
            cell("16", mmap, 1), cell("16", niofs, 2), cell("4", niofs, 3), cell("4", mmap, 4));
    List<String> lines = text(run).lines().toList();
    assertEquals(List.of("k 4", "mmap", "4"), columns(lines.get(2)));
    assertEquals(List.of("nio?[31m??fs", "3"), columns(lines.get(3)));
    assertEquals(List.of("k 16", "mmap", "1"), columns(lines.get(4)));
  }

  private static List<String> columns(String line) {
    return List.of(line.strip().split(" {2,}"));
  }

  private static Cell cell(String k, Contender contender, double sample) {
    return SyntheticRuns.cell(k, contender, Metric.throughput("ops/s"), sample, sample, sample);
  }
}
