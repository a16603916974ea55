/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.harness.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code server} refuses before it begins, and a server that does not start. (A real one is
 * measured by CI, once the plugin is built.)
 */
class ServerCommandTest {
  @TempDir private Path temp;
  private Path home;

  @BeforeEach
  void install() throws Exception {
    home = temp.resolve("home");
    SampleText.write(temp.resolve("corpus"));
    Path bin = Files.createDirectories(home.resolve("bin")).resolve("opensearch");
    Files.writeString(
        bin,
        """
        #!/bin/sh
        seq 20
        echo 'java.lang.Error: it is broken' >&2
        seq -f "$(printf '\\tat line %%g')" 20 >&2
        exit 3
        """);
    Files.setPosixFilePermissions(bin, PosixFilePermissions.fromString("rwxr-xr-x"));
    // The server is not root.
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String server(String options) {
    String folders = " --corpus=DIR/corpus --home=DIR/home --work=DIR/work";
    return "server " + options + " --quick --read-ahead=0" + folders;
  }

  private Cli run(String options) {
    return Cli.run(server(options), temp);
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    run("--setting=pread=x=y --stores=niofs").says("--setting");
    run("--setting=pread=x").says("--setting");
    Cli.run("server --corpus=nowhere --home=DIR/home", temp).says("nowhere");
  }

  @Test
  void aServerThatDoesNotStartSaysWhy() throws Exception {
    Machines.assumeCgroups(temp);
    Cli cli = run("").ended(ExitCode.USAGE);
    assumeServersMayRun(cli.err());
    assertTrue(cli.err().contains("it is broken"), cli.err());
    assertFalse(Files.exists(temp.resolve("work/server")), "the files are gone");
  }

  /** Root's checkout may be closed to others, whose the server is. */
  private static void assumeServersMayRun(String said) {
    assumeFalse(said.contains("Permission denied") || said.contains("is closed"), said);
  }

  @Test
  @Timeout(120)
  void ctrlCEndsAServerThatStarts() throws Exception {
    Machines.assumeCgroups(temp);
    Path started = temp.resolve("work/server/node/logs/pid");
    Path bin = home.resolve("bin/opensearch");
    Files.writeString(bin, "#!/bin/sh\necho $$ > logs/new; mv logs/new logs/pid; exec sleep 600\n");
    ServerProcess run = Cli.start(server(""), temp);
    try {
      Cli.await(run, () -> Files.exists(started));
      assumeServersMayRun(run.said());
      long pid = Long.parseLong(Files.readString(started).strip());
      Cli.interrupt(run);
      assertEquals(ExitCode.STOPPED, run.awaitEnd(), run.said());
      assertTrue(ProcessHandle.of(pid).isEmpty(), "the server is gone");
      assertFalse(Files.exists(temp.resolve("work/server")), "the files are gone");
      assertFalse(run.said().contains("does not start"), run.said());
    } finally {
      ProcessHandle.of(run.pid())
          .ifPresent(still -> still.descendants().forEach(ProcessHandle::destroyForcibly));
      run.kill();
    }
  }

  @Test
  void filesOfTheJvmGoElsewhereThanIntoItsHome() {
    String options =
        """
        -XX:HeapDumpPath=data
        -XX:ErrorFile=logs/hs_err_pid%p.log
        9-:-Xlog:gc*:file=logs/gc.log:utctime:filecount=32
        -Dx=file=/var/log/y
        """;
    assertEquals(
        """
        -XX:HeapDumpPath=/w/data
        -XX:ErrorFile=/w/logs/hs_err_pid%p.log
        9-:-Xlog:gc*:file=/w/logs/gc.log:utctime:filecount=32
        -Dx=file=/var/log/y
        """,
        OpenSearchNode.elsewhere(options, Path.of("/w")));
  }
}
