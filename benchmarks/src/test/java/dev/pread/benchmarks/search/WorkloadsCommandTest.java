/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.FaultyDirectories;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.report.Cell;
import dev.pread.benchmarks.report.Contender;
import dev.pread.benchmarks.report.Run;
import dev.pread.benchmarks.report.RunFile;
import dev.pread.benchmarks.report.SyntheticRuns;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code workloads} from its arguments to its file, children included. */
@Tag("slow")
class WorkloadsCommandTest {
  @TempDir private Path temp;

  private Cli workloads(String options) throws Exception {
    SampleText.write(temp.resolve("corpus"));
    return Cli.run(
        "workloads --rounds=1 --read-ahead=0 --memory=256m --index-size=300k"
            + " --seconds=0.2 --warmup=0.1 --corpus=DIR/corpus "
            + options
            + " --json=DIR/result.json --work=DIR/work",
        temp);
  }

  private static List<Double> samples(Run run, String scenario, String contender, String metric) {
    return SyntheticRuns.find(run, scenario, contender, metric).stream()
        .flatMap(cell -> cell.samples().stream())
        .toList();
  }

  @Test
  void twoDirectoriesAreAskedAtTheSameRate() throws Exception {
    Machines.assumeCgroups(temp);
    workloads(
            "--scenarios=read-while-writing,multi-read-random --directories=niofs,direct"
                + " --java-option=direct=-Ddev.pread.backend=ffm --threads=2")
        .ended(ExitCode.OK);
    Run run = RunFile.read(temp.resolve("result.json"));
    assertTrue(run.complete());
    List<String> scenarios = List.of("read-while-writing", "multi-read-random");
    assertEquals(
        Set.of(Contender.other("niofs"), Contender.ours("direct")),
        run.cells().stream().map(Cell::contender).collect(Collectors.toSet()));
    assertEquals(
        scenarios.stream().map(one -> Map.of("scenario", one, "threads", "2")).toList(),
        run.cells().stream().map(Cell::conditions).distinct().toList());
    for (String scenario : scenarios) {
      List<Double> arrivals = samples(run, scenario, "niofs", "arrivals");
      assertEquals(1, arrivals.size(), scenario);
      assertTrue(arrivals.get(0) > 1, scenario + " " + arrivals);
      assertEquals(arrivals, samples(run, scenario, "direct", "arrivals"), scenario);
      for (String metric : List.of("throughput", "safepoint p50", "p99.9", "peak memory")) {
        assertEquals(1, samples(run, scenario, "direct", metric).size(), scenario + " " + metric);
      }
    }
    assertFalse(Files.exists(temp.resolve("work/workloads")), "its folder is gone");
  }

  @Test
  void directoryThatLiesOrFallsBackEndsTheRun() throws Exception {
    Machines.assumeCgroups(temp);
    String lying = FaultyDirectories.Lying.class.getName();
    Cli cli = workloads("--scenarios=fwd-range --directories=" + lying);
    cli.ended(ExitCode.WRONG);
    assertTrue(cli.err().contains("fwd-range"), cli.err());
    Run run = RunFile.read(temp.resolve("result.json"));
    assertFalse(run.complete());
    assertFalse(Files.exists(temp.resolve("work/workloads")), "its folder is gone");
    // That backend has no direct I/O: no figures under a name that promises it.
    String option = " --java-option=direct=-Ddev.pread.backend=channel";
    Cli direct = workloads("--scenarios=fwd-range --directories=direct" + option);
    Cli.assertNames(direct.ended(ExitCode.USAGE).err(), "direct I/O was refused");
  }
}
