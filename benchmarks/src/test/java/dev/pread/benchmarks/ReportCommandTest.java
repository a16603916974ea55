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
            SyntheticRuns.cell("scan", Contender.ours("pread"), rate, 1, 2, 3),
            SyntheticRuns.cell("scan", Contender.other("mmap"), rate, 1, 2, 3)));
    return file;
  }

  @Test
  void aRunIsShownAgain() throws Exception {
    Path html = folder.resolve("page.html");
    Cli cli = Cli.fine("report", file(), "--html", html);
    assertTrue(cli.out().contains("== b"));
    assertTrue(Files.readString(html).contains("scan"));
  }

  @Test
  void wrongUseIsToldInALine() throws Exception {
    Path a = file();
    Path nowhere = folder.resolve("no/page.html");
    Cli.refused("FILE", "report");
    Cli.refused("Unmatched argument", "report", a, a);
    Cli.refused("missing.json", "report", folder.resolve("missing.json"));
    Cli.refused(folder.toString(), "report", folder);
    Cli.refused("--html", "report", a, "--html", nowhere);
  }

  @Test
  void damagedFilesAreToldInALine() throws Exception {
    String sound = Files.readString(file());
    Path damaged = folder.resolve("damaged.json");
    for (String text :
        List.of(
            "",
            "null",
            "{}",
            sound.substring(0, sound.length() / 2),
            sound.replace("-benchmarks-1", "-benchmarks-2"),
            sound.replaceFirst("\"OURS\"", "\"MINE\""),
            sound.replaceFirst("\\[ 1.0", "[ null"),
            sound.replaceFirst("\\[ 1.0", "[ 1e999"),
            sound.replaceFirst("\"notes\" : \\[.*?\\]", "\"notes\" : null"))) {
      Files.writeString(damaged, text);
      Cli.refused(damaged.toString(), "report", damaged);
    }
  }
}
