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

  /** Writes a run in which ours is so many times as fast as the other. */
  private Path file(String name, double factor) throws Exception {
    Path file = folder.resolve(name);
    Metric rate = Metric.throughput("ops/s");
    double[] ours = {factor, 1.01 * factor, 1.02 * factor};
    RunFile.write(
        file,
        SyntheticRuns.of(
            SyntheticRuns.cell("scan", Contender.ours("pread"), rate, ours),
            SyntheticRuns.cell("scan", Contender.other("mmap"), rate, 1, 1.01, 1.02)));
    return file;
  }

  @Test
  void twoRunsAreCompared() throws Exception {
    Path before = file("before.json", 1);
    Path after = file("after.json", 3);
    String out =
        Cli.fine("report DIR/before.json DIR/after.json --html=DIR/page.html", folder).out();
    assertTrue(out.contains("3.00x"), out);
    assertTrue(
        out.matches("(?s).*\nnote: .*" + after + ".*" + before + ".*"), "ours is first: " + out);
    List<String> numbers = out.lines().map(line -> line.replaceAll("\\D+", " ").strip()).toList();
    assertTrue(numbers.contains("2 0 0"), "in both runs, and in one alone: " + out);
    assertTrue(
        numbers.stream().anyMatch(line -> line.startsWith("1 2 1 0")),
        "won, of all, level, lost: " + out);
    assertTrue(Files.readString(folder.resolve("page.html")).contains("after.json"));
  }

  @Test
  void wrongUseIsToldInALine() throws Exception {
    String a = file("run.json", 1).toString();
    Cli.run("report", folder).says("FILE");
    Cli.run("report DIR/run.json DIR/run.json DIR/run.json", folder).says(a);
    Cli.run("report DIR/missing.json", folder).says("missing.json");
    Cli.run("report DIR", folder).says(folder.toString());
    Cli.run("report DIR/run.json --html=DIR/no/page.html", folder).says("--html");
  }

  @Test
  void damagedFilesAreToldInALine() throws Exception {
    String sound = Files.readString(file("run.json", 1));
    Path damaged = folder.resolve("damaged.json");
    for (String text :
        List.of(
            "",
            "null",
            "{}",
            sound.substring(0, sound.length() / 2),
            sound.replace("-benchmarks-1", "-benchmarks-2"),
            sound.replaceFirst("\"OURS\"", "\"MINE\""),
            sound.replaceFirst("\\[ 1.0", "[ 1e999"))) {
      Files.writeString(damaged, text);
      Cli.run("report DIR/damaged.json", folder).says(damaged.toString());
    }
  }
}
