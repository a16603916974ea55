/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.grid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.StopSignal;
import dev.pread.benchmarks.child.JavaOptions;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.MemoryCgroup;
import dev.pread.benchmarks.measure.HitMismatch;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Recorder;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forks of JMH, for real: on this machine's disk, and in its cgroups where they may be made. */
class GridForkTest {
  private static final long MEMORY = 256L << 20;

  @TempDir private Path temp;

  private static Plan plan(double seconds) throws Exception {
    return new Plan(
        new Plan.Axes(List.of(Regime.FITS), List.of(Order.RANDOM), List.of(4096), List.of(2)),
        Plan.contenders(List.of(Strategy.PREAD), false),
        new Plan.Times(0, 1, seconds, 0.5, 0.05),
        JavaOptions.parse(List.of(), List.of()));
  }

  private static Plan.Turn turn() {
    return new Plan.Turn(0, new Plan.Point(Regime.FITS, Order.RANDOM, 4096, 2), Strategy.PREAD);
  }

  private GridFork.Ended run(Plan plan, Path file, StopSignal stop) throws Exception {
    // A path that a careless script would take apart.
    GridFork fork = new GridFork(temp.resolve("it's a fork"), 0, stop);
    return fork.run(
        new JmhFork(plan, MEMORY, 1).options(turn(), file, file, fork.log()), 60, step -> {});
  }

  @Test
  void wrongBytesFailTheRun() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path file = StrategyTest.write(temp.resolve("data"), 1 << 20);
    StrategyTest.damage(file, 500_001);
    Recorder recorder =
        new Recorder(new Run.About("", "", "", Map.of(), Map.of(), Map.of(), Map.of()), null);
    try (StopSignal stop = StopSignal.ofShutdown()) {
      GridFork.Ended ended = run(plan(0.1), file, stop);
      assertNotNull(ended.failure());
      HitMismatch e =
          assertThrows(
              HitMismatch.class, () -> new GridRecord(recorder, MEMORY).add(turn(), ended));
      assertTrue(e.getMessage().contains("pread (fits, random, 4096 bytes, 2 threads)"));
      assertTrue(e.getMessage().contains("wrong bytes"), e.getMessage());
      assertEquals(List.of(), recorder.run(false).cells());
    }
    assertFalse(Files.exists(temp.resolve("it's a fork")), "everything is deleted");
  }

  @Test
  void stopsInTheMiddle() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path file = StrategyTest.write(temp.resolve("data"), 1 << 20);
    AtomicReference<Long> stopped = new AtomicReference<>();
    List<ProcessHandle> others = forksBut(List.of());
    try (StopSignal stop = StopSignal.ofShutdown()) {
      Thread user =
          new Thread(
              () -> {
                try {
                  while (forksBut(others).isEmpty()) {
                    Thread.sleep(20);
                  }
                  Thread.sleep(300);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                stopped.set(System.nanoTime());
                stop.request();
              });
      user.start();
      assertNull(run(plan(50), file, stop));
      user.join();
    }
    double seconds = (System.nanoTime() - stopped.get()) / 1e9;
    assertTrue(seconds < 5, "took " + seconds + " s"); // Two, were this machine ours alone.
    assertEquals(List.of(), forksBut(others));
    assertFalse(Files.exists(temp.resolve("it's a fork")), "everything is deleted");
  }

  /** Children that were not there before; what they run can't be seen behind a long class path. */
  private static List<ProcessHandle> forksBut(List<ProcessHandle> others) {
    return ProcessHandle.current().children().filter(child -> !others.contains(child)).toList();
  }

  @Test
  void theScriptJoinsTheGroupBeforeItBecomesTheJvm() throws Exception {
    Machines.assumeCgroups();
    try (MemoryCgroup group = MemoryCgroup.create(MEMORY)) {
      ForkScript script = ForkScript.write(temp.resolve("s"), group.procs());
      Process process =
          new ProcessBuilder(script.path().toString(), "-Xmx32m", "-version")
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), said);
      assertEquals(process.pid(), script.processId().orElseThrow());
      assertTrue(group.peakBytes() < 0 || group.peakBytes() > 5L << 20, "the JVM was in it");
      assertTrue(said.contains(System.getProperty("java.vm.version")), said);
    }
  }

  @Test
  void theScriptEndsIfItMayNotJoin() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    ForkScript script = ForkScript.write(temp.resolve("s"), temp.resolve("no/such/group"));
    Process process =
        new ProcessBuilder(script.path().toString(), "-version").redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(ForkScript.CANNOT_JOIN, process.exitValue(), said);
    assertFalse(said.contains("OpenJDK"), said);
  }

  /** All of it: the command, a group, JMH in it, and the figures in a file. */
  @Test
  void measuresColdReadsWithinALimit() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Machines.assumeCgroups();
    Path json = temp.resolve("run.json");
    Cli run =
        Cli.run(
            "grid",
            "--no-ceiling",
            "--quick",
            "--read-ahead=0",
            "--memory=256m",
            "--regimes=cold",
            "--strategies=ffm-pread",
            "--threads=2",
            "--bytes=16384",
            "--cold-seconds=0.6",
            "--work=" + temp.resolve("work"),
            "--json=" + json);
    assertEquals(ExitCode.OK, run.code(), run.err());
    assertFalse(Files.exists(temp.resolve("work/grid")));
    Run result = RunFile.read(json);
    assertTrue(result.complete());
    Map<String, String> conditions =
        Map.of("regime", "cold", "order", "random", "bytes", "16384", "threads", "2");
    for (Cell cell : result.cells()) {
      assertEquals(conditions, cell.conditions());
      assertEquals("ffm-pread", cell.contender().name());
    }
    assertTrue(sample(result, "throughput") > 0);
    assertTrue(sample(result, "major faults per operation") >= 0);
    double peak = sample(result, "peak memory");
    assertTrue(peak > 32 << 20 && peak <= MEMORY, "peak " + peak);
    assertEquals(1, result.curves().size());
    assertEquals(6, result.curves().get(0).points().size());
    assertEquals(List.of(), result.skipped());
  }

  private static double sample(Run run, String metric) throws IOException {
    return run.cells().stream()
        .filter(cell -> cell.metric().name().equals(metric))
        .findFirst()
        .orElseThrow(() -> new IOException("no " + metric + " in " + run.cells()))
        .samples()
        .get(0);
  }
}
