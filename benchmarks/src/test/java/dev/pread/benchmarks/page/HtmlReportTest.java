/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.RunFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HtmlReportTest {
  @TempDir private Path folder;

  @Test
  void writes() throws Exception {
    RunFile.write(Path.of("/tmp/h4-x/full.json"), SyntheticRuns.full(1));
    HtmlReport.write(SyntheticRuns.full(1), folder.resolve("page.html"));
  }
}
