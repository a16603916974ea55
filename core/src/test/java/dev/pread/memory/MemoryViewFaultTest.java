/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static dev.pread.memory.FakeKernel.MOUNT_V1;
import static dev.pread.memory.FakeKernel.MOUNT_V2;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.Fixtures;
import dev.pread.memory.MemoryView.Room;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of the limits of a process where they can't be read, or make no sense. */
class MemoryViewFaultTest extends MemoryViewTestCase {

  // ---- what can't be read ----

  /** The memory of the machine may be far more than what this process may use. */
  @ParameterizedTest
  @ValueSource(
      strings = {"proc/self/cgroup", "proc/self/mountinfo", "sys/fs/cgroup/outer/app/memory.max"})
  void ifItsOwnLimitCanNotBeReadNothingIsKnown(String path) throws IOException {
    kernel.self("0::/outer/app\n", MOUNT_V2);
    kernel.v2("outer/app", "" + GIB, "" + GIB, MIB);
    kernel.v2("outer", "" + 2 * GIB, "max", MIB);
    makeUnreadable(path);
    assertEquals(MemoryLevel.UNLIMITED, limit());
    String failure = failure();
    Fixtures.assertNames(failure, root.resolve(path), "ELOOP");
  }

  /** It can be opened, but not be read. */
  @Test
  void ifReadingItFailsNothingIsKnown() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", MIB);
    Path max = root.resolve("sys/fs/cgroup/app/memory.max");
    Files.delete(max);
    Files.createDirectory(max);
    assertEquals(MemoryLevel.UNLIMITED, limit());
    String failure = failure();
    Fixtures.assertNames(failure, max);
    assertTrue(
        failure.matches(".*\\bE[A-Z]+ \\(\\d+\\).*"), "the errno of this backend: " + failure);
  }

  /** Who is beyond it is slowed down, and not killed. */
  @Test
  void ifTheHighMarkCanNotBeReadTheLimitCounts() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "" + 100 * MIB, MIB);
    makeUnreadable("sys/fs/cgroup/app/memory.high");
    assertEquals(GIB, limit());
    assertNull(failure());
  }

  @Test
  void ifTheLimitOfVersion1CanNotBeReadNothingIsKnown() throws IOException {
    kernel.self("4:cpu,memory:/app\n", MOUNT_V1);
    makeUnreadable("sys/fs/cgroup/memory/app/memory.limit_in_bytes");
    assertEquals(MemoryLevel.UNLIMITED, limit());
    assertNotNull(failure());
  }

  /** A sandbox that shows a process its own group alone is no reason to distrust that. */
  @Test
  void aGroupAroundItThatCanNotBeReadLimitsNothing() throws IOException {
    kernel.self("0::/outer/app\n", MOUNT_V2);
    kernel.v2("outer/app", "" + GIB, "max", MIB);
    makeUnreadable("sys/fs/cgroup/outer/memory.max");
    assertEquals(GIB, limit());
    assertNull(failure());
  }

  /** A controller is there late, or is disabled and enabled again. */
  @Test
  void whatCouldNotBeOpenedIsTriedAgain() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    Files.createDirectories(root.resolve("sys/fs/cgroup/app"));
    Files.delete(root.resolve("proc/meminfo"));
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertNull(view.room());
      kernel.v2("app", "" + GIB, "max", 600 * MIB);
      kernel.machine(64 * GIB, 60 * GIB);
      assertSame(view, view.current());
      assertEquals(new Room(view.own(), GIB, 600 * MIB, 600 * MIB), view.room());
      assertEquals(64 * GIB, view.nextRoom().limit());
    }
  }

  /** An open file of a controller that has been disabled says the same for ever. */
  @Test
  void whatCanNotBeReadAnyMoreIsOpenedAnew() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", 600 * MIB);
    AtomicBoolean isDisabled = new AtomicBoolean();
    SystemCalls disabling =
        FakeKernel.withoutGroup(calls, root.resolve("sys/fs/cgroup/app"), isDisabled);
    try (MemoryView view = MemoryView.find(disabling, root)) {
      assertSame(view, view.current());
      assertEquals(new Room(view.own(), GIB, 600 * MIB, 600 * MIB), view.room());
      isDisabled.set(true);
      assertEquals(GIB, view.room().limit(), "what it was");
      assertSame(view, view.current());
      assertEquals(new Room(view.own(), GIB, 600 * MIB, 600 * MIB), view.room());
    }
  }

  /** Its old group is gone, and where it is now can't be told: the machine may have far more. */
  @Test
  void ofAGroupThatIsGoneTheLimitStays() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", 600 * MIB);
    AtomicBoolean isGone = new AtomicBoolean();
    SystemCalls going = FakeKernel.withoutGroup(calls, root.resolve("sys/fs/cgroup/app"), isGone);
    try (MemoryView view = MemoryView.find(going, root)) {
      assertEquals(GIB, view.room().limit());
      kernel.v2("other", "" + GIB, "max", MIB);
      makeUnreadable("sys/fs/cgroup/other/memory.max");
      kernel.self("0::/other\n", MOUNT_V2);
      isGone.set(true);
      assertSame(view, view.current());
      assertEquals(GIB, view.room().limit());
      assertEquals(0, view.room().free(), "nobody knows what is in use");
    }
  }

  /** Whatever is opened is closed if there is no memory for the next file. */
  @ParameterizedTest
  @ValueSource(strings = {"0::/outer/app\n", "4:memory:/outer/app\n"})
  void withoutMemoryNothingStaysOpen(String groups) throws IOException {
    kernel.self(groups, MOUNT_V1 + MOUNT_V2);
    kernel.v2("outer/app", "" + GIB, "max", MIB);
    kernel.v2("outer", "" + 2 * GIB, "max", MIB);
    kernel.write("sys/fs/cgroup/memory/outer/app/memory.limit_in_bytes", "" + GIB);
    kernel.write("sys/fs/cgroup/memory/outer/app/memory.usage_in_bytes", "" + MIB);
    int failures = 0;
    while (!couldFindWithMemoryFor(failures)) {
      failures++;
      assertEquals(0, Fixtures.descriptorsIn(root), failures + " pieces of memory");
    }
    assertEquals(6, failures, "two lists, three groups and the machine have a buffer each");
  }

  private boolean couldFindWithMemoryFor(int pieces) {
    AtomicInteger left = new AtomicInteger(pieces);
    SystemCalls few = ScriptedCalls.withMemoryFor(left, calls);
    try (MemoryView view = MemoryView.find(few, root)) {
      return view.room().limit() == GIB;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  // ---- what makes no sense ----

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n\n",
        "nonsense",
        "0:",
        "0::",
        "::::::",
        "0::\0/x\n",
        "4:memory:\0",
        "0::/\0/x\n",
        "0::/missing/group\n4:memory:/missing"
      })
  void garbageLimitsNothing(String groups) throws IOException {
    for (String mounts :
        new String[] {
          "",
          MOUNT_V2,
          MOUNT_V1,
          "nonsense",
          " - cgroup2 x\n",
          "1 2 3 /  rw - cgroup2 cgroup2 rw\n",
          "1 2 3 / relative rw - cgroup cgroup memory\n",
          "1 2 3 \0 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
          "1 2 3 / /\0 rw - cgroup2 cgroup2 rw\n"
        }) {
      kernel.self(groups, mounts);
      assertEquals(64 * GIB, limit(), groups + " in " + mounts);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nonsense", "-1", "1e9", "99999999999999999999", "9223372036854771712"})
  void aLimitThatIsNoneLimitsNothing(String max) throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", max, max, MIB);
    assertEquals(64 * GIB, limit());
    for (String line : new String[] {"MemTotal: " + max + " kB", "MemTotal:", max}) {
      kernel.write("proc/meminfo", line);
      assertEquals(MemoryLevel.UNLIMITED, max.startsWith("92") ? Long.MAX_VALUE : limit(), line);
    }
  }

  /** Then nothing is known to be free, and the cache stays as small as it may. */
  @Test
  void aUsageThatCantBeReadIsTheLimit() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", MIB);
    kernel.write("sys/fs/cgroup/app/memory.current", "nonsense");
    assertEquals(0, room().free());
  }
}
