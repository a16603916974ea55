/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static dev.pread.memory.FakeKernel.MOUNT_V1;
import static dev.pread.memory.FakeKernel.MOUNT_V2;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.memory.MemoryView.Room;
import dev.pread.posix.OpenMode;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What limits a process: the machine, and its groups. */
class MemoryViewTest extends MemoryViewTestCase {

  // ---- the machine ----

  @Test
  void withoutGroupsTheMachineIsTheLimit() {
    Room room = room();
    assertEquals(64 * GIB, room.limit());
    assertEquals(4 * GIB, room.unreclaimable());
    assertEquals(60 * GIB, room.free());
    assertEquals("machine", room.level().toString());
  }

  /** What the kernel says to be available contains the pages of files that are mapped. */
  @Test
  void ofTheMachineNeitherAreMappedPagesForTheTaking() throws IOException {
    String files =
        "MemTotal: 8192 kB\nMemAvailable: 6144 kB\nDirty: 200 kB\nWriteback: 56 kB\n"
            + "Active(file): 1024 kB\nInactive(file): 3072 kB\nMapped: ";
    kernel.write("proc/meminfo", files + "768 kB\n");
    assertEquals((2 + 1) * MIB, room().unreclaimable());
    kernel.write("proc/meminfo", files + "4096 kB\n");
    assertEquals((2 + 2) * MIB + (256 << 10), room().unreclaimable(), "at most half of them");
  }

  /** Some sandboxes do not say what is available. */
  @Test
  void whereNothingIsSaidToBeAvailableWhatIsFreeIs() throws IOException {
    kernel.write("proc/meminfo", "MemTotal: 8192 kB\nMemFree: 1024 kB\n");
    assertEquals(MIB, room().free());
    kernel.write("proc/meminfo", "MemTotal: 8192 kB\nMemAvailable: what kB\n");
    assertEquals(0, room().free());
  }

  @Test
  void whereThereAreNoFilesNothingLimits() throws IOException {
    kernel = new FakeKernel(root.resolve("empty"));
    try (MemoryView view = MemoryView.find(calls, kernel.root())) {
      assertEquals(MemoryLevel.UNLIMITED, view.limits().tightest());
      assertNull(view.room());
    }
    assertEquals(
        new MemoryGovernor.Limits(Long.MAX_VALUE, Long.MAX_VALUE, MemoryLevel.UNLIMITED, null),
        new MemoryGovernor(kernel.root(), () -> 0).limits(calls),
        "for the cache");
  }

  // ---- groups ----

  @Test
  void aGroupOfVersion2() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "1073741824", "max", 600 * MIB);
    kernel.write(
        "sys/fs/cgroup/app/memory.stat",
        "anon 1\nfile 2\nfile_dirty "
            + 10 * MIB
            + "\nfile_writeback "
            + 5 * MIB
            + "\ninactive_file "
            + 200 * MIB
            + "\nactive_file "
            + 50 * MIB
            + "\nslab_reclaimable "
            + 20 * MIB
            + "\nslab "
            + 30 * MIB);
    Room room = room();
    assertEquals(GIB, room.limit());
    assertEquals(600 * MIB, room.usage());
    assertEquals((600 - (200 + 50 - 10 - 5) - 20 / 2) * MIB, room.unreclaimable());
    assertEquals(room.limit() - room.unreclaimable(), room.free());
    assertEquals("cgroup " + root.resolve("sys/fs/cgroup/app"), room.level().toString());
  }

  /** The figures of a group of version 1 include those of the groups below it by another name. */
  @Test
  void aGroupOfVersion1() throws IOException {
    kernel.self("9:name=systemd:/x\n4:cpu,memory:/app\n0::/\n", MOUNT_V1);
    String folder = "sys/fs/cgroup/memory/app/";
    kernel.write(folder + "memory.limit_in_bytes", "" + 512 * MIB);
    kernel.write(folder + "memory.usage_in_bytes", "" + 300 * MIB);
    kernel.write(
        folder + "memory.stat",
        "inactive_file 1\nactive_file 2\ntotal_dirty "
            + 10 * MIB
            + "\ntotal_writeback "
            + 5 * MIB
            + "\ntotal_inactive_file "
            + 100 * MIB
            + "\ntotal_active_file "
            + 40 * MIB);
    kernel.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    Room room = room();
    assertEquals(512 * MIB, room.limit());
    assertEquals((300 - (100 + 40 - 10 - 5)) * MIB, room.unreclaimable());
  }

  /** One version has the memory, so that files of the other need not be looked for. */
  @Test
  void whereVersion1HasTheMemoryVersion2LimitsNothing() throws IOException {
    kernel.self("4:memory:/app\n0::/app\n", MOUNT_V1 + MOUNT_V2);
    kernel.write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "" + GIB);
    kernel.v2("app", Long.toString(MIB), "max", 0);
    assertEquals(GIB, limit());
    kernel.self("4:cpu:/app\n0::/app\n", MOUNT_V1 + MOUNT_V2);
    assertEquals(MIB, limit());
  }

  /** A container with version 1 sees no group but its own, and what limits that in all. */
  @Test
  void aLimitOfAGroupThatIsNotMountedCounts() throws IOException {
    kernel.self("4:memory:/pod/app\n", MOUNT_V1.replace(" / /sys", " /pod/app /sys"));
    String folder = "sys/fs/cgroup/memory/";
    kernel.write(folder + "memory.limit_in_bytes", NO_LIMIT_V1);
    kernel.write(folder + "memory.usage_in_bytes", "" + MIB);
    kernel.write(folder + "memory.stat", "hierarchical_memory_limit " + GIB);
    assertEquals(GIB, limit());
    kernel.write(folder + "memory.limit_in_bytes", "" + 512 * MIB);
    assertEquals(512 * MIB, limit());
    kernel.write(folder + "memory.limit_in_bytes", NO_LIMIT_V1);
    kernel.write(folder + "memory.stat", "hierarchical_memory_limit " + NO_LIMIT_V1);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(64 * GIB, view.room().limit());
      kernel.write(folder + "memory.stat", "hierarchical_memory_limit " + GIB);
      assertSame(view, view.current());
      assertTrue(view.hasOtherLimits());
      assertEquals(GIB, view.room().limit());
      assertEquals(64 * GIB, view.nextRoom().limit());
    }
    kernel.write(folder + "memory.limit_in_bytes", "" + GIB);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(GIB, view.room().limit());
      kernel.write(folder + "memory.stat", "hierarchical_memory_limit " + 512 * MIB);
      assertEquals(GIB, view.room().limit(), "this look has found it");
      assertTrue(view.hasOtherLimits());
      assertEquals(512 * MIB, view.room().limit());
    }
  }

  /** The kernel returns as much of a list at once as it likes. */
  @Test
  void mountsAreReadToTheEnd() throws IOException {
    kernel.self("0::/app\n", "21 31 0:20 / /proc rw - proc proc rw\n" + MOUNT_V2);
    kernel.v2("app", Long.toString(GIB), "max", MIB);
    AtomicInteger mounts = new AtomicInteger(-1);
    SystemCalls inParts =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("open") && arguments[0].toString().endsWith("mountinfo")) {
                mounts.set(calls.open((Path) arguments[0], (OpenMode) arguments[1]));
                return mounts.get();
              }
              if (name.equals("pread") && arguments[0].equals(mounts.get())) {
                arguments[3] = Math.min((int) arguments[3], 40);
              }
              return null;
            });
    try (MemoryView view = MemoryView.find(inParts, root)) {
      assertEquals(GIB, view.limits().tightest());
    }
  }

  /** What is used below a limit that can be seen is known as well, so it counts once. */
  @Test
  void aLimitOfAGroupThatIsMountedIsOnlyItsOwn() throws IOException {
    kernel.self("4:memory:/app\n", MOUNT_V1);
    String folder = "sys/fs/cgroup/memory/";
    kernel.write(folder + "memory.limit_in_bytes", "" + GIB);
    kernel.write(folder + "app/memory.limit_in_bytes", NO_LIMIT_V1);
    kernel.write(folder + "app/memory.stat", "hierarchical_memory_limit " + GIB);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(
          "cgroup " + root.resolve("sys/fs/cgroup/memory"), view.room().level().toString());
      assertEquals(64 * GIB, view.nextRoom().limit());
    }
  }

  /** The code that this process runs is among the pages of files that are mapped. */
  @Test
  void mappedPagesAreNotForTheTaking() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", 600 * MIB);
    String files = "inactive_file " + 200 * MIB + "\nfile_mapped ";
    kernel.write("sys/fs/cgroup/app/memory.stat", files + 30 * MIB);
    assertEquals((600 - 200 + 30) * MIB, room().unreclaimable());
    kernel.write("sys/fs/cgroup/app/memory.stat", files + 190 * MIB);
    assertEquals((600 - 200 + 100) * MIB, room().unreclaimable(), "at most half of them");
  }

  @Test
  void aGroupAroundItMayBeTighter() throws IOException {
    kernel.self("0::/outer/middle/app\n", MOUNT_V2);
    kernel.v2("outer/middle/app", "" + 4 * GIB, "max", MIB);
    kernel.v2("outer/middle", "max", "max", MIB);
    kernel.v2("outer", "" + 2 * GIB, "max", MIB);
    assertEquals(2 * GIB, limit());
    kernel.v2("outer/middle/app", "" + GIB, "max", MIB);
    assertEquals(GIB, limit());
  }

  /** What counts is what is left, not which limit is lower. */
  @Test
  void theOneWithTheLeastRoomCounts() throws IOException {
    kernel.self("0::/outer/app\n", MOUNT_V2);
    kernel.v2("outer/app", "" + GIB, "max", 100 * MIB);
    kernel.v2("outer", "" + 4 * GIB, "max", 4 * GIB - 500 * MIB);
    assertEquals(4 * GIB, room().limit());
    assertEquals(500 * MIB, room().free());
    kernel.v2("outer", "" + 4 * GIB, "max", 2 * GIB);
    assertEquals(GIB, room().limit());
    kernel.machine(64 * GIB, GIB + 500 * MIB);
    assertEquals(64 * GIB, room().limit());
  }

  @Test
  void knowsTheNextOneToCount() throws IOException {
    kernel.self("0::/outer/middle/app\n", MOUNT_V2);
    kernel.v2("outer/middle/app", "" + 3 * GIB, "max", 0);
    kernel.v2("outer/middle", "" + GIB, "max", 0);
    kernel.v2("outer", "" + 2 * GIB, "max", 0);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(GIB, view.room().limit());
      assertEquals(2 * GIB, view.nextRoom().limit());
      kernel.v2("outer/middle", "max", "max", 0);
      assertEquals(2 * GIB, view.room().limit());
      assertEquals(3 * GIB, view.nextRoom().limit());
    }
    kernel.self("0::/\n", "");
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(64 * GIB, view.room().limit());
      assertNull(view.nextRoom());
    }
  }

  @Test
  void aProcessThatIsMovedHasTheLimitsOfItsNewGroup() throws IOException {
    kernel.self("0::/one\n", MOUNT_V2);
    kernel.v2("one", "" + 2 * GIB, "max", 0);
    kernel.v2("two", "" + GIB, "max", 0);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertSame(view, view.current());
      kernel.self("0::/two\n", MOUNT_V2);
      // If the new limit can't be read, the old one goes on to count.
      makeUnreadable("sys/fs/cgroup/two/memory.max");
      assertSame(view, view.current());
      assertEquals(2 * GIB, view.room().limit());
      Files.delete(root.resolve("sys/fs/cgroup/two/memory.max"));
      kernel.v2("two", "" + GIB, "max", 0);
      try (MemoryView moved = view.current()) {
        assertEquals(GIB, moved.room().limit());
        assertSame(moved, moved.current());
      }
    }
  }

  @Test
  void theHighMarkCountsIfItIsTighter() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + 4 * GIB, "" + 3 * GIB, MIB);
    assertEquals(3 * GIB, limit());
    kernel.v2("app", "" + 2 * GIB, "" + 3 * GIB, MIB);
    assertEquals(2 * GIB, limit());
    kernel.v2("app", "max", "max", MIB);
    assertEquals(64 * GIB, limit());
  }

  @Test
  void aLimitThatChangesIsSeen() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + 4 * GIB, "max", MIB);
    try (MemoryView view = MemoryView.find(calls, root)) {
      assertEquals(4 * GIB, view.limits().tightest());
      kernel.v2("app", "" + 2 * GIB, "max", MIB);
      assertEquals(2 * GIB, view.limits().tightest());
      kernel.v2("app", "max", "max", MIB);
      assertEquals(64 * GIB, view.limits().tightest());
    }
  }

  /** What a shell has set, and what the heap may still commit of what it has reserved. */
  @Test
  void whatIsLeftOfTheAddressSpaceIsTold() throws IOException {
    assertEquals(MemoryLevel.UNLIMITED, addressSpace(), "nothing is known");
    kernel.write("proc/self/status", "Name:\tjava\nVmSize:\t    2000 kB\nVmData:\t    1000 kB\n");
    limits("unlimited", "unlimited");
    assertEquals(MemoryLevel.UNLIMITED, addressSpace());
    limits("unlimited", "4000000000");
    assertEquals(4_000_000_000L - (2000 << 10), addressSpace());
    limits("1200000000", "4000000000");
    assertEquals(1_200_000_000L - (1000 << 10) - 100, addressSpace());
    limits("1200000000", "1000");
    assertEquals(0, addressSpace());
    limits("18446744073709550592", "18446744073709550592");
    assertEquals(MemoryLevel.UNLIMITED, addressSpace(), "more than there is");
  }

  private long addressSpace() {
    return AddressSpace.left(calls, root.resolve("proc"), 100);
  }

  private void limits(String data, String all) throws IOException {
    kernel.write(
        "proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
            + ("Max data size             " + data + "           unlimited            bytes     \n")
            + ("Max address space         "
                + all
                + "           unlimited            bytes     \n"));
  }

  @Test
  void theLoosestLimitIsTheLargestThatIsKnown() throws IOException {
    kernel.self("0::/outer/app\n", MOUNT_V2);
    kernel.v2("outer/app", "" + GIB, "max", MIB);
    kernel.v2("outer", "max", "max", MIB);
    MemoryGovernor governor = new MemoryGovernor(root, () -> 0);
    assertEquals(
        new MemoryGovernor.Limits(GIB, 64 * GIB, MemoryLevel.UNLIMITED, null),
        governor.limits(calls));
    kernel.write("proc/meminfo", "");
    assertEquals(
        new MemoryGovernor.Limits(GIB, GIB, MemoryLevel.UNLIMITED, null), governor.limits(calls));
  }

  /** Whoever changes a limit meanwhile leaves no cache whose bounds contradict each other. */
  @Test
  void theTightestAndTheLoosestLimitAreOfOneLook() throws IOException {
    kernel.self("0::/app\n", MOUNT_V2);
    kernel.v2("app", "" + GIB, "max", MIB);
    kernel.write("proc/meminfo", "");
    AtomicLong limit = new AtomicLong(4 * GIB);
    SystemCalls changing =
        ScriptedCalls.of(
            calls,
            (name, arguments) -> {
              if (name.equals("pread")) {
                write("sys/fs/cgroup/app/memory.max", "" + limit.addAndGet(-MIB));
              }
              return null;
            });
    MemoryGovernor.Limits limits = new MemoryGovernor(root, () -> 0).limits(changing);
    assertTrue(limits.tightest() < 4 * GIB, limits.toString());
    assertEquals(limits.tightest(), limits.loosest());
  }

  // ---- the reserve ----

  @Test
  void aPartOfTheLimitStaysFree() {
    assertEquals(48 * MIB, reserve(0));
    assertEquals(48 * MIB, reserve(256 * MIB));
    assertEquals(64 * MIB, reserve(GIB));
    assertEquals(512 * MIB, reserve(8 * GIB));
    assertEquals(GIB, reserve(16 * GIB));
    assertEquals(GIB, reserve(1L << 50));
  }

  private static long reserve(long limit) {
    Room room = new Room(null, limit, 0, 3);
    assertEquals(limit - 3 - room.reserve(), room.beyondReserve());
    return room.reserve();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pod/memory.max", "pod/memory.high", "pod/container/memory.max"})
  void knowsWhetherALimitHasChanged(String changed) throws IOException {
    kernel.self("0::/pod/container\n", FakeKernel.MOUNT_V2);
    kernel.v2("pod", Long.toString(4 * GIB), Long.toString(4 * GIB), 0);
    kernel.v2("pod/container", Long.toString(2 * GIB), "max", 0);
    try (MemoryView view = MemoryView.find(calls, root)) {
      Room before = view.room();
      assertFalse(view.hasOtherLimits());
      kernel.write("sys/fs/cgroup/" + changed, Long.toString(GIB));
      assertTrue(view.hasOtherLimits());
      assertTrue(view.hasOtherLimits(), "asking changes nothing");
      assertEquals(2 * GIB, before.limit());
      assertEquals(GIB, view.room().limit());
      assertFalse(view.hasOtherLimits());
    }
  }

  @Test
  void theThreadsOfAGroupShareItsLimit() throws IOException {
    kernel.self("0::/pod\n", MOUNT_V2);
    kernel.v2("pod", "1073741824", "max", 0);
    kernel.write("sys/fs/cgroup/pod/cgroup.threads", "12\n3456\n");
    assertEquals("12 3456", threads());
    kernel.self("4:memory:/pod\n", MOUNT_V1);
    kernel.write("sys/fs/cgroup/memory/pod/memory.limit_in_bytes", "1073741824");
    kernel.write("sys/fs/cgroup/memory/pod/tasks", "7\n");
    assertEquals("7", threads());
    kernel.self("0::/none\n", MOUNT_V2);
    assertEquals("", threads(), "those of the machine are not told");
  }

  private String threads() {
    try (MemoryView view = MemoryView.find(calls, root)) {
      return view.room().level().threads().strip().replace('\n', ' ');
    }
  }
}
