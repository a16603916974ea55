/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.result.Ceilings;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands about files from their arguments to their file, children included. */
class FileCommandsTest {
  @TempDir private Path temp;

  @BeforeEach
  void needsADisk() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
  }

  private Run run(String command, Object... args) throws Exception {
    Path json = temp.resolve("run.json");
    Path work = temp.resolve("work");
    List<Object> all = new ArrayList<>(List.of(command, "--quick", "--read-ahead", 0));
    all.addAll(List.of("--work", work, "--json", json));
    all.addAll(List.of(args));
    Cli cli = Cli.run(all.toArray());
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(work.resolve(command)), "the files are gone");
    Run run = RunFile.read(json);
    assertTrue(run.complete());
    for (Cell cell : run.cells()) {
      assertTrue(cell.samples().stream().allMatch(x -> x > 0), cell.toString());
    }
    return run;
  }

  @Test
  void streamsKeepEveryRun() throws Exception {
    Run run =
        run(
            "streams",
            "--no-ceiling",
            "--file-size=1m",
            "--runs=2",
            "--contenders=pread,direct-directory");
    // The backend of these tests has no O_DIRECT.
    assertEquals(1, run.skipped().size(), run.skipped().toString());
    assertEquals("streams: direct-directory", run.skipped().get(0).what());
    assertTrue(run.skipped().get(0).why().contains("fell back"), run.skipped().toString());
    // Three operations, the first buffer twice: its first run and a later one.
    assertEquals(3 * 3, run.cells().size());
    for (Cell cell : run.cells()) {
      assertEquals(
          List.of("operation", "buffer", "cache", "run"), List.copyOf(cell.conditions().keySet()));
      assertEquals(cell.conditions().get("buffer").equals("8192") ? 2 : 1, cell.samples().size());
      assertEquals(Contender.ours("pread"), cell.contender());
    }
  }

  @Test
  void nativeRunsForksAndSaysWhatIsMissing() throws Exception {
    Run run = run("native", "--no-ceiling", "--file-size=2m", "--contenders=input-stream,channel");
    for (String who : List.of("input-stream", "channel")) {
      assertTrue(
          run.cells().stream()
              .filter(cell -> cell.conditions().get("call").equals("read a file"))
              .anyMatch(cell -> cell.contender().name().equals(who)),
          run.toString());
    }
    assertEquals("native: stat, channel", run.skipped().get(0).what());
  }

  @Test
  void outputCountsTheWriteCallsOfBoth() throws Exception {
    Run run = run("output", "--no-ceiling", "--file-size=2m");
    Map<String, Double> calls =
        run.cells().stream()
            .filter(cell -> cell.metric().name().equals("write calls"))
            .filter(cell -> cell.contender().name().equals("pread"))
            .collect(
                Collectors.toMap(
                    cell -> cell.conditions().get("getFilePointer"),
                    cell -> cell.samples().get(0)));
    assertEquals(2, calls.size(), run.toString());
    // 2 MiB in pieces of 64 KiB; the child has other threads, which may write a few times.
    assertEquals(32, calls.get("at the end"), 16);
    assertEquals(calls.get("at the end"), calls.get("after every write"), 16);
  }

  @Test
  void safepointsOfAllOfThem() throws Exception {
    Run run = run("safepoints", "--cold-seconds=0.2", "--cold-file-size=4m");
    Set<String> who =
        run.cells().stream()
            .map(cell -> cell.conditions().get("collector") + " " + cell.contender().name())
            .collect(Collectors.toSet());
    for (String collector : List.of("G1", "Serial")) {
      assertTrue(who.contains(collector + " ffm"), who.toString());
      assertTrue(who.contains(collector + " naive-ffm"), who.toString());
    }
    assertEquals(who.contains("G1 jni") ? 8 : 4, who.size(), who.toString());
  }

  /** A fio that says what one said once, where io_uring is forbidden. */
  private Path script() throws Exception {
    for (String name : List.of("fio-psync.json", "fio-forbidden.json")) {
      try (InputStream in = getClass().getResourceAsStream(name)) {
        Files.copy(in, temp.resolve(name));
      }
    }
    Path script =
        Files.writeString(
            temp.resolve("fio.sh"),
            """
            #!/bin/sh
            case "$*" in
              --version) exit 0;;
              *io_uring*) cat "${0%/*}/fio-forbidden.json"; exit 1;;
              *) cat "${0%/*}/fio-psync.json";;
            esac
            """);
    assertTrue(script.toFile().setExecutable(true));
    return script;
  }

  @Test
  void ceilingSkipsAForbiddenEngineAndMeasuresTheRest() throws Exception {
    Run run = run("ceiling", "--file-size=16m", "--seconds=0.05", "--fio", script());
    assertEquals(1, run.skipped().size(), run.skipped().toString());
    assertEquals("ceiling: io_uring", run.skipped().get(0).what());
    String why = run.skipped().get(0).why();
    assertTrue(why.contains("Operation not permitted"), why);
    Ceilings ceilings = Ceilings.of(run);
    for (int bytes : new int[] {4096, 16384}) {
      for (int threads : new int[] {1, 4, 16}) {
        assertEquals(86.06547619, ceilings.deviceReadsPerMs(bytes).getAsDouble(), 1e-9);
        assertTrue(ceilings.memcpyBytesPerMs(threads).getAsDouble() > 1);
      }
    }
    assertEquals(86.06547619 * (1 << 20), ceilings.deviceBytesPerMs().getAsDouble(), 1);
    for (Cell cell : run.cells()) {
      assertEquals(
          List.of("of", "order", "bytes", "engine", "depth"),
          List.copyOf(cell.conditions().keySet()));
      assertEquals(Contender.Role.CEILING, cell.contender().role());
      assertEquals(1, cell.samples().size(), cell.toString());
    }
  }

  @Test
  void ceilingWithoutFioIsALoopOfOurs() throws Exception {
    Run run = run("ceiling", "--file-size=16m", "--seconds=0.05", "--fio", temp.resolve("absent"));
    assertEquals("ceiling: io_uring", run.skipped().get(0).what());
    assertTrue(
        run.skipped().size() > 1 // The file system has no direct I/O.
            || Ceilings.of(run).deviceReadsPerMs(4096).getAsDouble() > 0,
        run.toString());
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    for (List<String> wrong :
        List.of(
            List.of("streams", "--contenders=stream,tape", "contender 'tape': use stream,"),
            List.of("native", "--contenders=tape", "contender 'tape': use ffm,"),
            List.of("ceiling", "--file-size=1m", "--file-size"),
            List.of("safepoints", "--cold-seconds=0", "--cold-seconds"))) {
      Cli cli = Cli.run(wrong.get(0), wrong.get(1));
      assertEquals(ExitCode.USAGE, cli.code());
      assertTrue(cli.err().contains(wrong.get(2)), cli.err());
    }
  }
}
