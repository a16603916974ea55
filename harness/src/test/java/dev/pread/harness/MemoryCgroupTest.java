/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups for real where this is root, and both versions over files of the same names. */
class MemoryCgroupTest {
  private static final long LIMIT = 48L << 20;

  @TempDir private Path temp;

  /**
   * Returns a group of the kernel's, which needs root on a machine whose memory cgroups may be
   * changed.
   */
  private static MemoryCgroup real() {
    try {
      return MemoryCgroup.create(LIMIT);
    } catch (IOException e) {
      return abort(e.getMessage());
    }
  }

  private static LimitedProcess.Ended run(MemoryCgroup group, int bytes) throws IOException {
    // tail keeps a line that does not end in memory.
    String script =
        "cat /proc/self/cgroup; head -c N /dev/zero | tail -c N | wc -c".replace("N", "" + bytes);
    return LimitedProcess.run(List.of("sh", "-c", script), group, 60, () -> false);
  }

  @Test
  void processIsCountedFromItsFirstPageAndTheLimitHolds() throws Exception {
    Path path;
    try (MemoryCgroup group = real()) {
      path = group.path();
      LimitedProcess.Ended ended = run(group, 20_000_000);
      assertEquals(0, ended.exit(), ended.err());
      assertTrue(ended.out().contains(path.getFileName().toString()), ended.out());
      assertTrue(ended.out().contains("20000000"), ended.out());
      assertTrue(ended.usage().peakBytes() > 20_000_000, ended.usage().toString());
      assertEquals(0, ended.usage().oomKills());
      ended = run(group, 200_000_000);
      assertTrue(ended.usage().oomKills() > 0, ended.toString());
      assertFalse(ended.out().contains("200000000"), ended.out());
      assertTrue(ended.usage().peakBytes() <= LIMIT, ended.usage().toString());
    }
    assertFalse(Files.exists(path), "the group is gone");
  }

  @Test
  void hangingProcessIsKilled() {
    List<String> command = List.of("sleep", "600");
    IOException e =
        assertThrows(IOException.class, () -> LimitedProcess.run(command, null, 0.2, () -> false));
    String pid = e.getMessage().replaceAll("^process (\\d+) hangs.*", "$1");
    assertTrue(ProcessHandle.of(Long.parseLong(pid)).isEmpty(), e.getMessage());
  }

  @Test
  void groupsOfKilledRunsAreRemovedAndNoOthers() throws Exception {
    Process dead = new ProcessBuilder("true").start();
    dead.waitFor();
    Path left = Files.createDirectory(temp.resolve("lucene-pread-" + dead.pid() + "-1"));
    Path foreign = Files.createDirectory(temp.resolve("lucene-pread-test-" + dead.pid()));
    MemoryCgroup living = MemoryCgroup.create(temp, LIMIT);
    MemoryCgroup.create(temp, LIMIT);
    assertFalse(Files.exists(left));
    assertTrue(Files.exists(foreign) && Files.exists(living.path()));
    Files.createDirectory(living.procs());
    IOException e = assertThrows(IOException.class, () -> run(living, 1));
    assertTrue(e.getMessage().contains("join the cgroup " + living.path()), e.getMessage());
  }

  @Test
  void bothVersionsTell() throws Exception {
    assertTold(
        Map.of(
            "memory.max", Long.toString(LIMIT),
            "memory.peak", "123\n",
            "memory.stat", "anon 1\npgfault 9\npgmajfault 7\n",
            "memory.events", "low 0\noom 4\noom_kill 3\n"));
    Path mount = Files.createDirectory(temp.resolve("memory"));
    Files.writeString(mount.resolve("memory.limit_in_bytes"), "9223372036854771712\n");
    assertTold(
        Map.of(
            "memory.limit_in_bytes", Long.toString(LIMIT),
            "memory.max_usage_in_bytes", "123\n",
            "memory.stat", "pgmajfault 1\ntotal_pgmajfault 7\n",
            "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"));
  }

  /** The kernel makes the files with the group, and takes them away with it. */
  private void assertTold(Map<String, String> files) throws Exception {
    MemoryCgroup group = MemoryCgroup.create(temp, LIMIT);
    try (var written = Files.newDirectoryStream(group.path())) {
      for (Path file : written) {
        assertEquals(Files.readString(file), files.get(file.getFileName().toString()), "the limit");
      }
    }
    assertEquals(-1, group.peakBytes(), "version 2 before Linux 5.19");
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(group.path().resolve(file.getKey()), file.getValue());
    }
    assertEquals(123, group.peakBytes());
    assertEquals(7, group.majorFaults());
    assertEquals(3, group.oomKills());
    for (String file : files.keySet()) {
      Files.delete(group.path().resolve(file));
    }
    group.close();
    assertFalse(Files.exists(group.path()));
  }
}
