/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Metric;
import dev.pread.benchmarks.report.RunFile;
import dev.pread.benchmarks.report.SyntheticRuns;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportCommandTest {
  @TempDir private Path folder;

  private Path file() throws Exception {
    Path file = folder.resolve("run.json");
    Metric rate = Metric.throughput("ops/s");
    RunFile.write(
        file,
        SyntheticRuns.of(
            SyntheticRuns.cell("scan", Contender.ours("pread"), rate, 3, 3.01, 3.02),
            SyntheticRuns.cell("scan", Contender.other("mmap"), rate, 1, 1.01, 1.02)));
    return file;
  }

  @Test
  void aRunIsShownAgain() throws Exception {
    file();
    String out = Cli.fine("report DIR/run.json --html=DIR/page.html", folder).out();
    assertTrue(out.contains("2.98x"), out);
    assertTrue(Files.readString(folder.resolve("page.html")).contains("scan"));
  }

  @Test
  void wrongUseIsToldInALine() throws Exception {
    file();
    Cli.run("report", folder).says("FILE");
    Cli.run("report DIR/missing.json", folder).says("missing.json");
    Cli.run("report DIR", folder).says(folder.toString());
    Cli.run("report DIR/run.json --html=DIR/no/page.html", folder).says("--html");
  }

  @Test
  void damagedFilesAreToldInALine() throws Exception {
    String sound = Files.readString(file());
    Path damaged = folder.resolve("damaged.json");
    for (String text :
        List.of(
            "",
            sound.substring(0, sound.length() / 2),
            sound.replace("-benchmarks-1", "-benchmarks-2"),
            sound.replaceFirst("\\[ 1.0", "[ 1e999"))) {
      Files.writeString(damaged, text);
      Cli.run("report DIR/damaged.json", folder).says(damaged.toString());
    }
  }
}
