/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.ceiling;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ceiling} from its arguments to its file, processes included. */
class CeilingCommandTest {
  @TempDir private Path temp;

  @BeforeEach
  void needsADisk() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
  }

  private Cli ceiling(Object... args) {
    List<Object> all =
        new ArrayList<>(
            List.of(
                "ceiling",
                "--quick",
                "--read-ahead",
                0,
                "--work",
                temp.resolve("work"),
                "--json",
                temp.resolve("run.json"),
                "--file-size",
                "4m",
                "--seconds",
                "0.05",
                "--copy-region",
                "4m"));
    all.addAll(List.of(args));
    return Cli.run(all.toArray());
  }

  private Run run(Cli cli) throws Exception {
    assertEquals(ExitCode.OK, cli.code(), cli.err());
    assertFalse(Files.exists(temp.resolve("work/ceiling")), "the files are gone");
    return RunFile.read(temp.resolve("run.json"));
  }

  /** A fio that says what one said once, where io_uring is forbidden. */
  private Path script() throws Exception {
    Path script = temp.resolve("fio.sh");
    for (String name : List.of("fio-psync.json", "fio-forbidden.json")) {
      try (InputStream in = getClass().getResourceAsStream(name)) {
        Files.copy(in, temp.resolve(name));
      }
    }
    Files.writeString(
        script,
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
  void forbiddenEngineIsSkippedAndTheRestMeasured() throws Exception {
    Run run = run(ceiling("--fio", script()));
    assertTrue(run.complete());
    assertEquals(1, run.skipped().size(), run.skipped().toString());
    assertEquals("ceiling: io_uring", run.skipped().get(0).what());
    assertTrue(
        run.skipped().get(0).why().contains("Operation not permitted"), run.skipped().toString());
    Ceilings ceilings = Ceilings.of(run);
    for (int bytes : new int[] {4096, 16384}) {
      for (int threads : new int[] {1, 4, 16}) {
        assertEquals(86.06547619, ceilings.deviceReadsPerMs(bytes, threads).getAsDouble(), 1e-9);
        assertTrue(ceilings.memcpyPerMs(bytes, threads).getAsDouble() > 1);
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
  void tooSmallAFileIsRefused() {
    Cli cli = ceiling("--file-size", "1m");
    assertEquals(ExitCode.USAGE, cli.code());
    assertTrue(cli.err().contains("--file-size"), cli.err());
  }
}
