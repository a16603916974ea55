/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.OpenMode;
import dev.pread.posix.ScriptedCalls;
import dev.pread.posix.SystemCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The kernel's files about memory, made up below a folder. They can change at any time. */
final class FakeKernel {

  static final long MIB = 1 << 20;

  /** A mount of the file system of cgroups of version 2 where most systems have it. */
  static final String MOUNT_V2 =
      "35 31 0:32 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

  /** A mount of the memory controller of version 1 where most systems have it. */
  static final String MOUNT_V1 =
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

  /** Whatever a file says, it is that long: a change never shows a part of it. */
  private static final int LENGTH = 512;

  private final Path root;

  FakeKernel(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  /** Writes a file with one call, so that readers see all of it or nothing. */
  void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    byte[] bytes =
        (text + "\n".repeat(Math.max(0, LENGTH - text.length())))
            .getBytes(StandardCharsets.ISO_8859_1);
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Says which groups this process is in, and what is mounted. */
  void self(String cgroup, String mountinfo) throws IOException {
    write("proc/self/cgroup", cgroup);
    write("proc/self/mountinfo", mountinfo);
  }

  void machine(long total, long available) throws IOException {
    write(
        "proc/meminfo",
        "MemTotal:       "
            + (total >> 10)
            + " kB\nMemFree:        12 kB\nMemAvailable:   "
            + (available >> 10)
            + " kB\n");
  }

  /** Makes a group of version 2 below {@code /sys/fs/cgroup}, with no pages of files. */
  void v2(String group, String max, String high, long current) throws IOException {
    v2(group, max, high, current, 0);
  }

  /** Makes a group, or changes it, of which the kernel could reclaim so many bytes of files. */
  void v2(String group, String max, String high, long current, long files) throws IOException {
    String folder = "sys/fs/cgroup/" + group + "/";
    write(folder + "memory.max", max);
    write(folder + "memory.high", high);
    write(folder + "memory.current", Long.toString(current));
    write(
        folder + "memory.stat",
        "anon " + current + "\ninactive_file " + files + "\nactive_file 0\n");
  }

  /**
   * Returns calls to which files of a group that were opened before it has gone say that it has.
   *
   * @param folder of the group
   */
  static SystemCalls withoutGroup(SystemCalls calls, Path folder, AtomicBoolean isGone) {
    Set<Object> files = ConcurrentHashMap.newKeySet();
    return ScriptedCalls.of(
        calls,
        (name, arguments) -> {
          if (name.equals("open") && ((Path) arguments[0]).startsWith(folder)) {
            int opened = calls.open((Path) arguments[0], (OpenMode) arguments[1]);
            if (!isGone.get()) {
              files.add(opened);
            }
            return opened;
          }
          if (name.equals("close")) {
            files.remove(arguments[0]);
          }
          boolean isRead = name.equals("pread") && files.contains(arguments[0]);
          return isRead && isGone.get() ? -MemoryViewTestCase.ENODEV : null;
        });
  }
}
