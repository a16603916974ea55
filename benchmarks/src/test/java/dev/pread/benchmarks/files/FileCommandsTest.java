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
import dev.pread.benchmarks.report.Ceilings;
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

  @Test
  @Tag("slow")
  void streamsKeepEveryRun() throws Exception {
    Run run = run("streams --no-ceiling --file-size=1m --rounds=2");
    // The backend of these tests has no O_DIRECT.
    assertEquals(1, run.skipped().size(), run.skipped().toString());
    assertEquals("streams: direct", run.skipped().get(0).what());
    Cli.assertNames(run.skipped().get(0).why(), "page cache");
    // Seven contenders, three operations, each buffer the first one of a JVM once.
    assertEquals(7 * 3 * 4, run.cells().size());
    for (Cell cell : run.cells()) {
      assertEquals(
          List.of("operation", "buffer", "cache", "run"), List.copyOf(cell.conditions().keySet()));
      assertTrue(cell.samples().get(0) > 0, cell.toString());
    }
    assertFalse(Files.exists(temp.resolve("kept/streams")), "the files are gone");
  }

  @Test
  @Tag("slow")
  void nativeRunsForksOfAllWhoAreHere() throws Exception {
    Run run = run("native --no-ceiling");
    for (String reader : List.of("input-stream", "channel", "bare-ffm", "pread-directory-cached")) {
      assertTrue(figure(run, reader, "throughput") > 0);
    }
    assertEquals(4, SyntheticRuns.find(run, "channel", "time").size());
    assertEquals(5, SyntheticRuns.find(run, "jdk", "time").size());
  }

  @Test
  @Tag("slow")
  void outputCountsTheWriteCallsOfBoth() throws Exception {
    Run run = run("output --no-ceiling");
    List<Cell> calls = SyntheticRuns.find(run, "pread", "write calls");
    assertEquals(2, calls.size(), run.toString());
    for (Cell cell : calls) {
      // 8 MiB in pieces of 64 KiB; the child has other threads, which may write a few times.
      assertEquals(128, cell.samples().get(0), 16, cell.toString());
    }
  }

  @Test
  @Tag("slow")
  void safepointsOfAllOfThem() throws Exception {
    Run run = run("safepoints --cold-file-size=4m");
    List<Cell> p99 = SyntheticRuns.find(run, "naive-ffm", "safepoint p99");
    assertEquals(2, p99.size(), "with each collector");
    assertTrue(p99.get(0).samples().get(0) > 0, p99.toString());
    assertEquals(2, SyntheticRuns.find(run, "ffm", "System.gc max").size());
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
              --version) exit 0;;
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
    Ceilings ceilings = Ceilings.of(run);
    assertEquals(86.06547619, ceilings.deviceReadsPerMs(4096).getAsDouble(), 1e-9);
    assertEquals(86.06547619 * (1 << 20), ceilings.deviceBytesPerMs().getAsDouble(), 1);
    assertEquals(6, SyntheticRuns.find(run, "memcpy", "throughput").size());
    assertEquals(90.624, SyntheticRuns.find(run, "fio", "p99").get(0).median());
    for (Cell cell : run.cells()) {
      assertEquals(
          List.of("of", "order", "bytes", "engine", "depth"),
          List.copyOf(cell.conditions().keySet()));
      assertEquals(Contender.Role.CEILING, cell.contender().role());
    }
  }

  @Test
  @Tag("slow")
  void fioWithoutFiguresEndsTheRun() throws Exception {
    script();
    Path json = temp.resolve("fio-psync.json");
    Files.writeString(json, Files.readString(json).replace("iops", "other"));
    Cli cli = cli("ceiling --file-size=16m --fio=DIR/fio.sh");
    assertTrue(cli.err().contains("no figures"), cli.err());
    assertFalse(RunFile.read(temp.resolve("run.json")).complete());
  }

  @Test
  @Tag("slow")
  void ceilingWithoutFioHasCopiesAlone() throws Exception {
    Run run = run("ceiling --file-size=16m --fio=DIR/absent");
    assertEquals("ceiling: device", run.skipped().get(0).what());
    assertEquals(6, SyntheticRuns.find(run, "memcpy", "throughput").size());
    assertEquals(6, run.cells().size());
  }

  private Run grid(String options) throws Exception {
    Machines.assumeCgroups(temp);
    return run("grid --no-ceiling --memory=256m " + options);
  }

  @Test
  @Tag("ci")
  void gridMeasuresColdReadsWithinALimit() throws Exception {
    Run run =
        grid("--regimes=cold --strategies=ffm-pread --threads=2 --bytes=16384 --cold-seconds=0.6");
    assertFalse(Files.exists(temp.resolve("kept/grid")));
    assertEquals(
        Map.of("regime", "cold", "order", "random", "bytes", "16384", "threads", "2"),
        run.cells().get(0).conditions());
    assertTrue(figure(run, "ffm-pread", "throughput") > 0);
    assertTrue(figure(run, "ffm-pread", "major faults per operation") >= 0);
    double peak = figure(run, "ffm-pread", "peak memory");
    assertTrue(peak > 32 << 20 && peak <= 256 << 20, "peak " + peak);
    assertEquals(6, run.curves().get(0).points().size());
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
    for (String metric : List.of("throughput", "p99", "peak memory")) {
      Set<String> found = new HashSet<>();
      for (Cell cell : SyntheticRuns.find(run, metric)) {
        found.add(cell.contender().name() + " " + cell.conditions().get("file"));
        assertTrue(cell.median() > 0 && cell.median() <= 256 << 20, cell.toString());
      }
      assertEquals(measured, found, metric);
    }
    assertTrue(figure(run, "mmap-random", "major faults") > 0, "the file was cold");
    assertEquals(measured.size(), run.curves().size());
    assertEquals(10, run.curves().get(0).points().size());
  }

  @Test
  @Tag("slow")
  void keptFileIsUsedAgainAndWrongBytesAreAMismatch() throws Exception {
    Path data = temp.resolve("kept/cold/data");
    run("pressure cold --keep --directories=mmap");
    Object key = Files.getAttribute(data, "unix:ino");
    Files.readAllBytes(data);
    Run second = run("pressure cold --keep --directories=mmap");
    assertEquals(key, Files.getAttribute(data, "unix:ino"));
    assertTrue(figure(second, "mmap", "major faults") > 0, "its pages are dropped");
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
    Run run =
        run(
            "pressure merge --corpus=DIR/corpus --copies=3 --memory=512m --directories=mmap,pread"
                + " --keep");
    assertTrue(run.notes().toString().contains("copies"));
    for (String contender : List.of("mmap", "pread")) {
      assertTrue(figure(run, contender, "merge") > 0);
      assertEquals(2, SyntheticRuns.find(run, contender, "p99").size());
    }
    // Each merge had an index of its own: the source still has all its segments.
    String merge = "pressure merge --index=DIR/kept/merge/index --work=DIR/other";
    run(merge + " --memory=512m");
    assertTrue(Files.exists(temp.resolve("kept/merge/index")));
    String lying = FaultyDirectories.Lying.class.getName();
    Cli wrong = cli(merge + " --directories=" + lying).ended(ExitCode.WRONG);
    Cli.assertNames(wrong.err(), lying, "the merge failed");
  }

  @Test
  @Tag("slow")
  void readsBesideANeighbour() throws Exception {
    Machines.assumeCgroups(temp);
    Run run =
        run(
            "pressure neighbour --file-size=256m --takes=64m --directories=mmap,direct"
                + " --java-option=direct=-Ddev.pread.backend=ffm");
    for (String contender : List.of("mmap", "direct")) {
      assertEquals(2, SyntheticRuns.find(run, contender, "p99").size());
      assertTrue(figure(run, contender, "taken in") > 0);
    }
    assertTrue(figure(run, "direct", "least cache") < figure(run, "direct", "cache before"));
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
    Path corpus = Files.createDirectory(temp.resolve("corpus"));
    Files.writeString(corpus.resolve("one.txt"), "a few words and no more\n");
    Cli merge = cli("pressure merge --copies=1 --memory=512m --corpus=DIR/corpus");
    Cli.assertNames(merge.ended(ExitCode.USAGE).err(), "--copies");
    String own = " --java-option=pread=";
    String heap = own + "-Xmx1g" + own + "-Xms1g" + own + "-XX:+AlwaysPreTouch";
    cli("pressure cold --memory=256m --directories=pread" + heap).says("killed");
    Path file = Files.writeString(temp.resolve("file"), "content");
    cli("pressure cold --work=DIR/file/below").says(file.toString());
  }

  @Test
  void anOptionThatNoJvmKnowsIsRefused() {
    cli("pressure cold --java-option=all=-XX:+NoSuchFlag").says("--java-option");
    assertFalse(Files.exists(temp.resolve("kept/cold")), "its folder is gone");
  }
}
