/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.benchmarks.machine.WrongResult;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.SyntheticRuns;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridCommandTest {
  /**
   * Copies: 100 operations/ms. Some machines have better minutes, and one sample proves nothing.
   */
  @ParameterizedTest
  @CsvSource({"149, fits, true", "151, fits, false", "151, limit, true"})
  void noReadIsFarFasterThanACopy(double rate, String where, boolean possible) {
    Metric metric = GridCommand.THROUGHPUT;
    Cell copies =
        SyntheticRuns.cell("fits", Contender.ceiling("memcpy"), metric, 95.0, 100.0, 105.0);
    Cell once = SyntheticRuns.cell("fits", Contender.ours("direct"), metric, 999.0);
    Cell memory =
        SyntheticRuns.cell("fits", Contender.ours("direct"), Metric.fact("x", ""), 999.0, 999.0);
    Cell reads = SyntheticRuns.cell(where, Contender.ours("pread"), metric, rate, rate);
    List<Cell> cells = List.of(reads, once, memory, copies);
    if (possible) {
      GridCommand.checkAgainstCopies(cells);
    } else {
      WrongResult wrong =
          assertThrows(WrongResult.class, () -> GridCommand.checkAgainstCopies(cells));
      assertEquals("faster than copies in memory: " + reads + ", " + copies, wrong.getMessage());
    }
  }
}
