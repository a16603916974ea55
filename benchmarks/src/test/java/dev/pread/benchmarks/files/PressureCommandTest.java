/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.store.FilterIndexInput;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of {@code pressure} from their arguments to their files, children included. */
@Tag("slow")
class PressureCommandTest {
  @TempDir private Path temp;
  private Path json;

  @BeforeEach
  void onDisk() throws IOException {
    Machines.assumeLinuxOnDisk(temp);
    json = temp.resolve("result.json");
  }

  /** Runs a part; the read-ahead of this machine is left alone. */
  private Cli pressure(String part, Object... args) {
    List<Object> all =
        new ArrayList<>(List.of("pressure", part, "--quick", "--read-ahead=0", "--json=" + json));
    all.addAll(List.of(args));
    if (all.stream().noneMatch(arg -> arg.toString().startsWith("--work="))) {
      all.add("--work=" + temp.resolve("work"));
    }
    return Cli.run(all.toArray());
  }

  private Run run(String part, Object... args) throws Exception {
    Cli cli = pressure(part, args);
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    return RunFile.read(json);
  }

  private static double figure(Run run, String contender, String metric) {
    List<Cell> cells =
        run.cells().stream()
            .filter(cell -> cell.contender().name().equals(contender))
            .filter(cell -> cell.metric().name().equals(metric))
            .toList();
    assertEquals(1, cells.size(), contender + " " + metric);
    return cells.get(0).samples().get(0);
  }

  private void assertGone() {
    assertFalse(Files.exists(temp.resolve("work").resolve("cold")), "its folder is gone");
  }

  private void assertOneLine(String expected, Cli cli) {
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertEquals(1, cli.err().lines().count(), cli.err());
    assertTrue(cli.err().contains(expected), cli.err());
    assertGone();
  }

  @Test
  void coldStartWithFrequentBlocks() throws Exception {
    Machines.assumeCgroups();
    Run run = run("cold", "--memory=256m", "--zipf=0.99", "--directories=mmap-random,pread");
    for (String contender : List.of("mmap-random", "pread")) {
      assertTrue(figure(run, contender, "throughput") > 0);
      assertTrue(figure(run, contender, "p99") > 0);
      assertTrue(figure(run, contender, "peak memory") <= 256 << 20);
    }
    assertTrue(figure(run, "mmap-random", "major faults") > 0, "the file was cold");
    assertEquals(2, run.curves().size());
    assertEquals(10, run.curves().get(0).points().size());
    assertGone();
  }

  @Test
  void keptFileIsUsedAgain() throws Exception {
    Path data = temp.resolve("work/cold/data");
    run("cold", "--keep", "--directories=mmap");
    assertEquals(16 << 20, Files.size(data));
    Object key = Files.getAttribute(data, "unix:ino");
    Files.readAllBytes(data);
    Run second = run("cold", "--keep", "--directories=mmap");
    assertEquals(key, Files.getAttribute(data, "unix:ino"));
    assertTrue(figure(second, "mmap", "major faults") > 0, "its pages are dropped");
  }

  @Test
  void wrongBytesAreAMismatch() throws Exception {
    String lying = Lying.class.getName();
    Cli cli = pressure("cold", "--directories=niofs," + lying);
    assertEquals(ExitCode.MISMATCH, cli.code(), cli.err());
    assertTrue(cli.err().contains(lying + " in ReadBenchmark failed"), cli.err());
    assertTrue(cli.err().contains("wrong bytes: the read of 4096 bytes"), cli.err());
    assertTrue(figure(RunFile.read(json), "niofs", "throughput") > 0, "was measured before");
    assertGone();
  }

  /** Returns the bytes of another place once in a while. */
  public static final class Lying extends NIOFSDirectory {
    /** Called by its name. */
    public Lying(Path path, LockFactory locks) throws IOException {
      super(path, locks);
    }

    @Override
    public IndexInput openInput(String name, IOContext context) throws IOException {
      return new LyingInput(super.openInput(name, context));
    }
  }

  private static final class LyingInput extends FilterIndexInput {
    LyingInput(IndexInput in) {
      super("lying " + in, in);
    }

    @Override
    public void seek(long position) throws IOException {
      super.seek(position == 0 ? 4096 : position);
    }

    @Override
    public IndexInput clone() {
      return new LyingInput(in.clone());
    }
  }

  @Test
  void childThatExceedsTheLimitIsOneLine() throws IOException {
    Machines.assumeCgroups();
    List<Object> args = new ArrayList<>(List.of("--memory=256m", "--directories=pread"));
    for (String option : List.of("-Xmx1g", "-Xms1g", "-XX:+AlwaysPreTouch")) {
      args.add("--java-option=pread=" + option);
    }
    assertOneLine("was killed by the kernel", pressure("cold", args.toArray()));
  }

  @Test
  void jvmThatDoesNotStartIsOneLine() throws IOException {
    Cli cli = pressure("cold", "--directories=pread", "--java-option=pread=-XX:+NoSuchFlag");
    assertOneLine("correct --java-option", cli);
    assertTrue(cli.err().contains("NoSuchFlag"), cli.err());
  }

  @Test
  void searchesDuringAMerge() throws Exception {
    Machines.assumeCgroups();
    Run run =
        run(
            "merge",
            "--corpus=" + SampleText.write(temp.resolve("corpus")),
            "--copies=3",
            "--memory=512m",
            "--rate=100",
            "--directories=mmap,pread",
            "--keep");
    assertTrue(run.notes().toString().contains("3 copies of the same documents"));
    for (String contender : List.of("mmap", "pread")) {
      assertTrue(figure(run, contender, "merge") > 0);
      assertEquals(
          2,
          run.cells().stream()
              .filter(cell -> cell.contender().name().equals(contender))
              .filter(cell -> cell.metric().name().equals("p99"))
              .count());
    }
    // Each merge had an index of its own: the source still has all its segments.
    Path index = temp.resolve("work/merge/index");
    Cli again =
        pressure("merge", "--index=" + index, "--work=" + temp.resolve("other"), "--memory=512m");
    assertEquals(ExitCode.OK, again.code(), again.err());
    assertTrue(Files.exists(index));
  }

  @Test
  void indexOfOneSegmentIsOneLine() throws IOException {
    Machines.assumeCgroups();
    Path corpus = Files.createDirectory(temp.resolve("corpus"));
    Files.writeString(corpus.resolve("one.txt"), "a few words and no more\n");
    Cli cli = pressure("merge", "--corpus=" + corpus, "--copies=1", "--memory=512m");
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("merging takes two"), cli.err());
  }

  @Test
  void footprintOfClones() throws Exception {
    Run run =
        run(
            "footprint",
            "--directories=niofs,pread",
            "--java-option=pread=-Ddev.pread.cache.bytes=64m");
    // A buffer of 1 KiB in each clone.
    assertTrue(figure(run, "niofs", "on the heap") > 20_000 * 1024.0);
    // What is read lies in the cache: a clone is no more than its own fields.
    assertTrue(figure(run, "pread", "on the heap") > 20_000 * 64.0);
    assertTrue(figure(run, "pread", "on the heap") < 20_000 * 512.0);
    for (String contender : List.of("niofs", "pread")) {
      assertTrue(figure(run, contender, "RSS before") > 20 << 20);
      // What is resident may even have shrunk, where the heap gave back more than the clones took.
      assertTrue(
          figure(run, contender, "of that anonymous")
              <= figure(run, contender, "RSS added") + (8 << 20));
    }
  }

  @Test
  void senselessOptionsAreOneLine() throws IOException {
    assertOneLine("name a part", Cli.run("pressure"));
    assertOneLine("'much' is not a size", pressure("cold", "--memory=much"));
    assertOneLine("and what this machine has", pressure("cold", "--memory=900t"));
    assertOneLine("does not fit", pressure("cold", "--heap=1m"));
    assertOneLine("--bytes 100 is no length", pressure("cold", "--bytes=100"));
    assertOneLine("--threads is 0", pressure("cold", "--threads=0"));
    assertOneLine("--zipf is -1", pressure("cold", "--zipf=-1"));
    assertOneLine("must be a multiple of 1m", pressure("cold", "--file-size=4k"));
    assertOneLine("unknown directory 'floppy'", pressure("cold", "--directories=mmap,floppy"));
    assertOneLine("is for none of", pressure("cold", "--java-option=none=-Dx=1"));
    assertOneLine("does not exist", pressure("merge", "--index=" + temp.resolve("nowhere")));
    assertOneLine("does not exist", pressure("merge", "--corpus=" + temp.resolve("nowhere")));
    Path file = Files.writeString(temp.resolve("file"), "content");
    assertOneLine("cannot be made", pressure("cold", "--work=" + file.resolve("below")));
  }
}
