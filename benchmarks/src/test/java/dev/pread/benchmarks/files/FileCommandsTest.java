/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands about files from their arguments to their file, children included. */
class FileCommandsTest {
  @TempDir private Path temp;

  @BeforeEach
  void needsADisk() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
  }

  private Cli cli(String line) {
    String work = line.contains(" --work=") ? "" : " --work=DIR/kept";
    return Cli.run(line + " --quick --read-ahead=0 --json=DIR/run.json" + work, temp);
  }

  private Run run(String line) {
    cli(line).ended(ExitCode.OK);
    Run run = RunFile.read(temp.resolve("run.json"));
    assertTrue(run.complete());
    return run;
  }

  private static double figure(Run run, String contender, String metric) {
    List<Cell> cells = SyntheticRuns.find(run, contender, metric);
    assertEquals(1, cells.size(), contender + " " + metric);
    return cells.get(0).samples().get(0);
  }

  /** {@code DIR} stands for a folder. */
  @ParameterizedTest
  @Tag("slow")
  @CsvSource(
      delimiter = '|',
      value = {
        "streams --file-size=1m --rounds=2 | niofs | throughput | 12",
        "native | jdk | time | 5",
        "safepoints --cold-file-size=4m | naive-ffm | safepoint p99 | 2",
        "ceiling --file-size=16m --fio=DIR/absent | memcpy | throughput | 6",
      })
  void aRunHasTheFiguresOfEach(String line, String contender, String metric, int count) {
    List<Cell> cells = SyntheticRuns.find(run(line), contender, metric);
    assertEquals(count, cells.size(), cells.toString());
    for (Cell cell : cells) {
      assertTrue(cell.samples().get(0) > 0, cell.toString());
    }
  }

  @Test
  @Tag("slow")
  void outputCountsTheWriteCallsOfBoth() throws Exception {
    Run run = run("output");
    List<Cell> calls = SyntheticRuns.find(run, "pread", "write calls");
    assertEquals(2, calls.size(), run.toString());
    for (Cell cell : calls) {
      // 8 MiB in pieces of 64 KiB; the child has other threads, which may write a few times.
      assertEquals(128, cell.samples().get(0), 16, cell.toString());
    }
    // The backend of these tests has no O_DIRECT.
    assertEquals("output: direct", run.skipped().get(0).what());
    Cli.assertNames(run.skipped().get(0).why(), "page cache");
    assertFalse(Files.exists(temp.resolve("kept/output")), "the files are gone");
  }

  /** A fio that says what one said once, where io_uring is forbidden. */
  private void script() throws Exception {
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
              *io_uring*) cat "${0%/*}/fio-forbidden.json"; exit 1;;
              *) echo "fio: a warning"; cat "${0%/*}/fio-psync.json";;
            esac
            """);
    assertTrue(script.toFile().setExecutable(true));
  }

  @Test
  @Tag("slow")
  void ceilingSkipsAForbiddenEngineAndMeasuresTheRest() throws Exception {
    script();
    Run run = run("ceiling --file-size=16m --fio=DIR/fio.sh");
    assertEquals(1, run.skipped().size(), run.skipped().toString());
    assertEquals("ceiling: io_uring", run.skipped().get(0).what());
    String why = run.skipped().get(0).why();
    assertTrue(why.contains("Operation not permitted"), why);
    double reads = SyntheticRuns.find(run, "fio", "throughput").get(0).median();
    assertEquals(86.06547619, reads, 1e-9);
    assertEquals(6, SyntheticRuns.find(run, "memcpy", "throughput").size());
    assertEquals(90.624, SyntheticRuns.find(run, "fio", "p99").get(0).median());
    for (Cell cell : run.cells()) {
      assertEquals(
          List.of("of", "order", "bytes", "engine", "depth"),
          List.copyOf(cell.conditions().keySet()));
      assertEquals(Contender.Role.CEILING, cell.contender().role());
    }
  }

  private Run grid(String options) throws Exception {
    Machines.assumeCgroups(temp);
    return run("grid --memory=256m " + options);
  }

  @Test
  @Tag("ci")
  void gridMeasuresWithinALimit() throws Exception {
    Run run = grid("--regimes=fits --strategies=ffm-pread --threads=2 --bytes=16384");
    assertFalse(Files.exists(temp.resolve("kept/grid")));
    assertEquals(
        Map.of("regime", "fits", "order", "random", "bytes", "16384", "threads", "2"),
        run.cells().get(0).conditions());
    assertTrue(figure(run, "ffm-pread", "throughput") > 0);
    double peak = figure(run, "ffm-pread", "peak memory");
    assertTrue(peak > 32 << 20 && peak <= 256 << 20, "peak " + peak);
    assertEquals(List.of(), run.skipped());
  }

  @Test
  @Tag("ci")
  void aCacheThatExceedsTheLimitOfTheGridIsSkipped() throws Exception {
    String cache = "--java-option=pread=-Ddev.pread.cache.bytes=250m";
    List<Run.Skipped> skipped = grid("--regimes=exceeds --strategies=pread " + cache).skipped();
    assertEquals(1, skipped.size(), skipped.toString());
    assertTrue(skipped.get(0).what().contains("exceeds"), skipped.toString());
    assertTrue(skipped.get(0).why().contains("killed"), skipped.toString());
  }

  @Test
  @Tag("slow")
  void coldStartsWithFrequentBlocksAndAgainOfOurs() throws Exception {
    Machines.assumeCgroups(temp);
    String directories = "mmap-random,pread,direct";
    Run run = run("pressure cold --memory=256m --zipf=0.99 --restart --directories=" + directories);
    String again = " 16 MiB, again after a restart";
    Set<String> measured =
        Set.of(
            "mmap-random 16 MiB",
            "pread 16 MiB",
            "pread" + again,
            "direct 16 MiB",
            "direct" + again);
    for (String metric : List.of("throughput", "peak memory")) {
      Set<String> found = new HashSet<>();
      for (Cell cell : SyntheticRuns.find(run, metric)) {
        found.add(cell.contender().name() + " " + cell.conditions().get("file"));
        assertTrue(cell.median() > 0 && cell.median() <= 256 << 20, cell.toString());
      }
      assertEquals(measured, found, metric);
    }
  }

  @Test
  @Tag("slow")
  void keptFileIsUsedAgainAndWrongBytesAreAMismatch() throws Exception {
    Path data = temp.resolve("kept/cold/data");
    run("pressure cold --keep --directories=mmap");
    Object key = Files.getAttribute(data, "unix:ino");
    run("pressure cold --keep --directories=mmap");
    assertEquals(key, Files.getAttribute(data, "unix:ino"));
    WayTest.damage(data, 4096 - 1);
    Cli wrong = cli("pressure cold --directories=mmap --zipf=0.99").ended(ExitCode.WRONG);
    assertTrue(wrong.err().contains("4096"), wrong.err());
    assertFalse(Files.exists(data), "its folder is gone");
  }

  @Test
  @Tag("slow")
  void searchesDuringAMerge() throws Exception {
    Machines.assumeCgroups(temp);
    SampleText.write(temp.resolve("corpus"));
    String merge = "pressure merge --corpus=DIR/corpus --copies=3 --memory=512m --directories=";
    Run run = run(merge + "mmap,pread");
    assertTrue(run.notes().toString().contains("copies"));
    for (String contender : List.of("mmap", "pread")) {
      assertTrue(figure(run, contender, "merge") > 0);
      assertEquals(2, SyntheticRuns.find(run, contender, "p99").size());
    }
    String lying = FaultyDirectories.Lying.class.getName();
    Cli wrong = cli(merge + lying).ended(ExitCode.WRONG);
    Cli.assertNames(wrong.err(), lying, "the merge failed");
  }

  @Test
  @Tag("slow")
  void readsBesideANeighbour() throws Exception {
    Machines.assumeCgroups(temp);
    Run run =
        run(
            "pressure neighbour --file-size=256m --directories=mmap,direct"
                + " --java-option=direct=-Ddev.pread.backend=ffm");
    for (String contender : List.of("mmap", "direct")) {
      assertEquals(2, SyntheticRuns.find(run, contender, "p99").size());
      assertTrue(figure(run, contender, "taken in") > 0);
    }
    assertTrue(figure(run, "direct", "back at 90 % in") > 0);
    cli("pressure neighbour --directories=direct").says("direct I/O");
  }

  @Test
  @Tag("slow")
  void footprintOfClones() throws Exception {
    Run run =
        run(
            "pressure footprint --directories=niofs,pread"
                + " --java-option=pread=-Ddev.pread.cache.bytes=64m");
    // A buffer of 1 KiB in each clone.
    assertTrue(figure(run, "niofs", "on the heap") > 20_000 * 1024.0);
    // What is read lies in the cache: a clone is no more than its own fields.
    assertTrue(figure(run, "pread", "on the heap") > 20_000 * 64.0);
    assertTrue(figure(run, "pread", "on the heap") < 20_000 * 512.0);
    assertTrue(figure(run, "pread", "RSS before") > 20 << 20);
  }

  @Test
  @Tag("slow")
  void whatTheUserCanPutRightIsOneLine() throws Exception {
    Machines.assumeCgroups(temp);
    String own = " --java-option=pread=";
    String heap = own + "-Xmx1g" + own + "-Xms1g" + own + "-XX:+AlwaysPreTouch";
    cli("pressure cold --memory=256m --directories=pread" + heap).says("killed");
    Path file = Files.writeString(temp.resolve("file"), "content");
    cli("pressure cold --work=DIR/file/below").says(file.toString());
  }
}
