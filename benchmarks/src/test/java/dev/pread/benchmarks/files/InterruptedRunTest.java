/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.pread.benchmarks.Cli;
import dev.pread.benchmarks.machine.ExitCode;
import dev.pread.benchmarks.machine.Machines;
import dev.pread.benchmarks.machine.ReadAhead;
import dev.pread.benchmarks.machine.UnavailableException;
import dev.pread.harness.MemoryCgroup;
import dev.pread.harness.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run that is ended in the middle, for real: as a process that gets the signal, on this machine's
 * disk and cgroups.
 */
@Timeout(120)
class InterruptedRunTest {
  private static final long PINNED = 256;
  private static final long TIMEOUT_SECONDS = 60;

  @TempDir private Path temp;
  private Path setting;
  private String before;
  private ServerProcess run;
  private List<ProcessHandle> children = List.of();

  @BeforeEach
  void readSetting() throws Exception {
    Machines.assumeCgroups(temp);
    try {
      setting = ReadAhead.setting(Path.of("/sys"), temp);
      before = Files.readString(setting).strip();
      ReadAhead.pin(temp, PINNED).close();
    } catch (UnavailableException e) {
      before = null; // What cannot be set need not be put back.
      abort(e.getMessage());
    }
  }

  @AfterEach
  void putBack() throws IOException {
    children.forEach(ProcessHandle::destroyForcibly);
    if (run != null) {
      run.kill();
    }
    if (before != null) {
      Files.writeString(setting, before);
    }
  }

  /** A run that would take ten minutes, when its first child is reading. */
  private void start() throws Exception {
    String line =
        "pressure cold --memory=256m --file-size=8m --directories=mmap,niofs --seconds=600";
    run = Cli.start(line + " --work=DIR/work --read-ahead=" + PINNED, temp);
    Cli.await(run, () -> groups().stream().anyMatch(InterruptedRunTest::hasProcess));
    ProcessHandle.of(run.pid()).ifPresent(process -> children = process.descendants().toList());
    assertFalse(children.isEmpty(), run.said());
  }

  private static boolean hasProcess(File group) {
    try {
      return !Files.readString(group.toPath().resolve("cgroup.procs")).isBlank();
    } catch (IOException gone) {
      // Before all others one is made and deleted, to see whether that can be done.
      return false;
    }
  }

  private List<File> groups() throws IOException {
    String prefix = "lucene-pread-" + run.pid() + "-";
    try (MemoryCgroup any = MemoryCgroup.create(64L << 20)) {
      File parent = any.path().getParent().toFile();
      return List.of(parent.listFiles(file -> file.getName().startsWith(prefix)));
    }
  }

  @Test
  void ctrlCPutsEverythingBack() throws Exception {
    start();
    assertEquals(Long.toString(PINNED), Files.readString(setting).strip());
    Cli.interrupt(run);
    assertEquals(ExitCode.STOPPED, run.awaitEnd(), run.said());
    assertEquals(before, Files.readString(setting).strip());
    assertEquals(List.of(), groups());
    assertFalse(Files.exists(temp.resolve("work/cold")), "its folder is gone");
    assertTrue(children.stream().noneMatch(ProcessHandle::isAlive), "the child is gone");
  }

  @Test
  void childOfAKilledRunEnds() throws Exception {
    start();
    run.kill();
    for (ProcessHandle child : children) {
      // It sees its input end.
      child.onExit().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
    assertEquals(List.of(), groups());
  }
}
