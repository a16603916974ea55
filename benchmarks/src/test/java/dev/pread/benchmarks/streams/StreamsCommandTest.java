/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.result.Cell;
import dev.pread.benchmarks.result.Contender;
import dev.pread.benchmarks.result.Run;
import dev.pread.benchmarks.result.RunFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code streams} from its arguments to its file, children included. */
class StreamsCommandTest {
  @TempDir private Path temp;

  @Test
  void everyRunIsKept() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Path json = temp.resolve("run.json");
    Cli cli =
        Cli.run(
            "streams",
            "--no-ceiling",
            "--quick",
            "--read-ahead",
            0,
            "--work",
            temp.resolve("work"),
            "--json",
            json,
            "--file-size",
            "1m",
            "--runs",
            2,
            "--contenders",
            "pread,direct-directory");
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(temp.resolve("work/streams")), "the files are gone");
    Run run = RunFile.read(json);
    assertTrue(run.complete());
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
      assertTrue(cell.samples().stream().allMatch(x -> x > 0));
      assertEquals(Contender.ours("pread"), cell.contender());
    }
  }

  @Test
  void unknownContenderIsRefused() {
    Cli cli = Cli.run("streams", "--contenders", "stream,tape");
    assertEquals(ExitCode.USAGE, cli.code());
    assertTrue(cli.err().contains("unknown contender 'tape': use stream,"), cli.err());
  }
}
