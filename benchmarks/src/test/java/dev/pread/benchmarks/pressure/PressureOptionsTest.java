/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users can get wrong: each is one line that says what to do, before anything is changed. */
class PressureOptionsTest {
  @TempDir private Path temp;

  private static Cli pressure(String part, Object... args) {
    List<Object> all = new ArrayList<>(List.of("pressure", part));
    all.addAll(List.of(args));
    return Cli.run(all.toArray());
  }

  private static void assertOneLine(String expected, Cli cli) {
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertEquals(1, cli.err().lines().count(), cli.err());
    assertTrue(cli.err().contains(expected), cli.err());
    assertEquals("", cli.out());
  }

  @Test
  void senselessOptionsAreOneLine() throws IOException {
    assertOneLine("name a part", Cli.run("pressure"));
    assertOneLine("'much' is not a size", pressure("random", "--memory", "much"));
    assertOneLine("more than this machine has", pressure("random", "--memory", "900t"));
    assertOneLine(
        "too small for a JVM with a heap of 64 MiB", pressure("random", "--memory", "32m"));
    assertOneLine("--heap 1 MiB is too small", pressure("random", "--heap", "1m"));
    assertOneLine("--bytes 100 is no length", pressure("random", "--bytes", "4096,100"));
    assertOneLine("--threads is 0", pressure("random", "--threads", "4,0"));
    assertOneLine("--seconds is 0", pressure("random", "--seconds", "0"));
    assertOneLine("--warmup is -1", pressure("random", "--warmup=-1"));
    assertOneLine("--zipf is -1", pressure("random", "--zipf=-1"));
    assertOneLine("--rounds is 0", pressure("random", "--rounds", 0));
    assertOneLine("--read-ahead is -1", pressure("random", "--read-ahead=-1"));
    assertOneLine("--file-size 4096 is too small", pressure("random", "--file-size", "4k"));
    assertOneLine("--file-size has no default", pressure("random", "--memory", 0));
    assertOneLine("unknown directory 'floppy'", pressure("random", "--directories", "mmap,floppy"));
    assertOneLine("is for none of", pressure("random", "--java-option", "direct=-Dx=1"));
    assertOneLine("--json", pressure("random", "--json", temp.resolve("no/such/folder.json")));
    assertOneLine("fio reads through no directory", pressure("cold", "--directories", "fio"));
    assertOneLine("never becomes warm", pressure("cold", "--memory", "256m"));
    assertOneLine("does not exist", pressure("merge", "--index", temp.resolve("nowhere")));
    assertOneLine("does not exist", pressure("merge", "--corpus", temp.resolve("nowhere")));
    assertOneLine("--clones is 0", pressure("footprint", "--clones", 0));
  }

  @Test
  void unusableWorkFolderIsOneLine() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "content");
    assertOneLine(
        "is not empty", pressure("random", "--memory", 0, "--file-size", "8m", "--work", temp));
    assertOneLine(
        "is a file", pressure("random", "--memory", 0, "--file-size", "8m", "--work", file));
    assertOneLine(
        "cannot be made",
        pressure("random", "--memory", 0, "--file-size", "8m", "--work", file.resolve("below")));
    assertEquals("content", Files.readString(file));
    Machines.assumeLinuxOnDisk(temp);
    assertOneLine(
        "are needed",
        pressure(
            "random",
            "--read-ahead",
            0,
            "--memory",
            0,
            "--file-size",
            "900t",
            "--work",
            temp.resolve("work")));
    assertFalse(Files.exists(temp.resolve("work")), "the work folder is gone");
  }
}
