/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.ExitCode;
import dev.pread.benchmarks.SampleText;
import dev.pread.benchmarks.machine.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
    Path bin = Files.createDirectories(home.resolve("bin")).resolve("opensearch");
    Files.writeString(bin, "#!/bin/sh\necho 'it is broken' >&2\nexit 3\n");
    Files.setPosixFilePermissions(bin, PosixFilePermissions.fromString("rwxr-xr-x"));
    // The server is not root.
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Cli run(Object... more) throws Exception {
    List<Object> args =
        new ArrayList<>(
            List.of(
                "server",
                "--no-ceiling",
                "--quick",
                "--read-ahead",
                0,
                "--home",
                home,
                "--corpus"));
    args.add(SampleText.write(temp.resolve("corpus")));
    args.addAll(List.of(more));
    return Cli.run(args.toArray());
  }

  private void refused(String words, Object... more) throws Exception {
    Cli cli = run(more);
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains(words), cli.err());
    assertEquals(1, cli.err().lines().count(), cli.err());
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    refused("name values of index.store.type, each once", "--stores", "niofs,niofs");
    refused("with a store out of", "--setting", "pread=x=y", "--stores", "niofs");
    refused("write STORE=NAME=VALUE", "--setting", "pread=x");
    refused("does not go with --memory", "--heap", "2g");
    refused("must be greater than 0", "--seconds", 0);
    Cli cli = Cli.run("server", "--home", home, "--corpus", "nowhere");
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("corpus nowhere does not exist"), cli.err());
    Files.delete(home.resolve("bin/opensearch"));
    refused("name the folder of an OpenSearch");
  }

  @Test
  void aServerThatDoesNotStartSaysWhy() throws Exception {
    Machines.assumeLinuxOnDisk(temp);
    Machines.assumeCgroups();
    Cli cli = run("--work", temp.resolve("work"));
    assertEquals(ExitCode.USAGE, cli.code(), cli.err());
    assertTrue(cli.err().contains("the server does not start; it says:"), cli.err());
    // Root's checkout may be closed to others, whose the server is.
    assumeFalse(cli.err().contains("Permission denied"), cli.err());
    assertTrue(cli.err().contains("it is broken"), cli.err());
    assertFalse(Files.exists(temp.resolve("work/server")), "the files are gone");
  }
}
