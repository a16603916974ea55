/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Run;
import java.io.PrintWriter;

/** The tables of a run for a terminal. */
public final class TextReport {
  private TextReport() {}

  /** Prints all cells, then what a reader has to know, then what was left out. */
  public static void print(Run run, PrintWriter out) {
    for (Cell cell : run.cells()) {
      out.println(cell);
    }
    run.notes().forEach(out::println);
    run.skipped()
        .forEach(skipped -> out.println("skipped " + skipped.what() + ": " + skipped.why()));
    out.flush();
  }
}
