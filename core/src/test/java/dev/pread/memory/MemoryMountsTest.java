/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import static dev.pread.memory.FakeKernel.MIB;
import static dev.pread.memory.FakeKernel.MOUNT_V1;
import static dev.pread.memory.FakeKernel.MOUNT_V2;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.pread.Fixtures;
import dev.pread.posix.OpenMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which group is a process's own, and where it is mounted. */
class MemoryMountsTest extends MemoryViewTestCase {

  /** In a container the host's names may show, of a tree of which only a part is mounted. */
  @ParameterizedTest
  @CsvSource({
    "/docker/abc, /docker/abc, ''",
    "/docker/abc, /docker/abc/app, app",
    "/docker/abc, /, ''",
    "/docker/abc, /docker/abcdef, ''",
    "/, /, ''",
    "/, /app/, app"
  })
  void inAContainerAPartIsMounted(String mounted, String group, String folder) throws IOException {
    kernel.self("0::" + group + "\n", MOUNT_V2.replace(" / /sys", " " + mounted + " /sys"));
    kernel.v2(folder, "" + GIB, "max", MIB);
    assertEquals(GIB, limit());
  }

  /** The host's groups may be mounted into a container that has a namespace of its own for them. */
  @ParameterizedTest
  @CsvSource({"/.., /", "/../.., /", "/../.., /app"})
  void whereOnlyGroupsAroundItsOwnAreMountedNothingIsKnown(String mounted, String group)
      throws IOException {
    String host = MOUNT_V2.replace(" / /sys", " " + mounted + " /sys");
    kernel.self("0::" + group + "\n", host);
    assertEquals(MemoryLevel.UNLIMITED, limit());
    Fixtures.assertNames(failure(), "/sys/fs/cgroup");
    String own = MOUNT_V2.replace("/sys/fs/cgroup", "/mnt");
    kernel.write("mnt/memory.max", "" + GIB);
    for (String mounts : new String[] {host + own, own + host}) {
      kernel.self("0::" + group + "\n", mounts);
      assertEquals(GIB, limit(), "its own is mounted, too");
    }
  }

  /** What is mounted are the groups of its namespace, and it has been moved out of that. */
  @ParameterizedTest
  @ValueSource(strings = {"/", "/app", "/../../.."})
  void aGroupOutsideWhatIsMountedIsNotOneOfTheSameName(String mounted) throws IOException {
    kernel.self("0::/../other\n", MOUNT_V2.replace(" / /sys", " " + mounted + " /sys"));
    kernel.v2("", "" + GIB, "max", MIB);
    kernel.v2("other", "" + 2 * GIB, "max", MIB);
    assertEquals(MemoryLevel.UNLIMITED, limit());
    Fixtures.assertNames(failure(), "/sys/fs/cgroup");
  }

  /** Version 2 has no limits of memory while version 1 has the controller. */
  @Test
  void whatVersion1LimitsIsKnownWhateverIsMountedOfVersion2() throws IOException {
    String host = MOUNT_V2.replace(" / /sys", " /.. /sys");
    kernel.self("4:memory:/\n0::/\n", MOUNT_V1 + host);
    kernel.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "" + GIB);
    assertEquals(GIB, limit());
    kernel.self("4:memory:/\n0::/\n", MOUNT_V1.replace(" / /sys", " /.. /sys") + MOUNT_V2);
    assertEquals(MemoryLevel.UNLIMITED, limit());
    Fixtures.assertNames(failure(), "/sys/fs/cgroup/memory");
  }

  /** A group outside the namespace, of which the mount shows the parent. */
  @Test
  void aGroupOutsideTheNamespaceMayBeMounted() throws IOException {
    kernel.self("0::/../other\n", MOUNT_V2.replace(" / /sys", " /.. /sys"));
    kernel.v2("other", "" + GIB, "max", MIB);
    assertEquals(GIB, limit());
  }

  /** The kernel does not care what the bytes of a name mean, in UTF-8 or ISO 8859-1 for example. */
  @ParameterizedTest
  @ValueSource(
      strings = {"gr\u00c3\u00b6\u00c3\u009fe", "gr\u00f6\u00dfe", "%41 \u0001?#", "foo\\x2dbar"})
  void aGroupMayHaveAnyName(String name) throws IOException {
    kernel.v2("any/app", "" + GIB, "max", MIB);
    Path bytes = KernelFile.path("/" + name);
    Path groups = root.resolve("sys/fs/cgroup");
    Path group = groups.resolve(bytes.getRoot().relativize(bytes)).resolve("app");
    Files.move(groups.resolve("any"), group.getParent());
    kernel.self("0::/" + name + "/app\n", MOUNT_V2);
    int opened = calls.open(group.resolve("memory.max"), OpenMode.READ);
    if (opened < 0) {
      assertNotNull(failure(), "backend channel can't open what means nothing in this locale");
      return;
    }
    assertEquals(0, calls.close(opened));
    assertEquals(GIB, limit());
    // Where mounts are told, what separates them is escaped.
    String escaped = name.replace("\\", "\\134").replace(" ", "\\040");
    kernel.self("0::/other\n", MOUNT_V2.replace("/cgroup ", "/cgroup/" + escaped + "/app "));
    assertEquals(GIB, limit());
  }

  /** A tool may have mounted the groups of others; they don't limit this process. */
  @Test
  void ofSeveralMountsTheOneWithTheGroupCounts() throws IOException {
    String others = MOUNT_V2.replace(" / /sys/fs/cgroup", " /others /mnt/others");
    kernel.write("mnt/others/memory.max", "" + MIB);
    kernel.v2("app", "" + GIB, "max", MIB);
    for (String mounts : new String[] {others + MOUNT_V2, MOUNT_V2 + others}) {
      kernel.self("0::/app\n", mounts);
      assertEquals(GIB, limit());
    }
  }

  @Test
  void otherControllersLimitNoMemory() throws IOException {
    kernel.self(
        "5:cpu:/app\n0::/app\n", MOUNT_V1.replace("rw,memory", "rw,cpu").replace("memory", "cpu"));
    kernel.write("sys/fs/cgroup/cpu/app/memory.limit_in_bytes", "" + MIB);
    assertEquals(64 * GIB, limit());
  }

  @Test
  void aLongListOfMountsIsReadToItsEnd() throws IOException {
    String other = "40 31 0:33 / /very/long/" + "x".repeat(200) + " rw - tmpfs tmpfs rw\n";
    kernel.v2("app", "" + GIB, "max", MIB);
    for (int count : new int[] {1, 20, 200, 1000}) {
      kernel.self("0::/app\n", other.repeat(count) + MOUNT_V2);
      assertEquals(GIB, limit(), count + " others");
    }
  }
}
