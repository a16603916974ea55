/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Limits memory by a cgroup of version 1 or 2, as a container does. Processes join it by {@link
 * #prefix()} before they become what is measured, so that all of their memory, page cache included,
 * is counted. {@link #close()} waits for them to be gone and removes the group; groups that a
 * killed run left behind go when the next one is made. It is for one thread.
 *
 * <p>Pages of a file belong to the group that brought them in: whoever measures under a limit has
 * to drop them first, or the first reads are another group's gift.
 *
 * @param path of the group, in the cgroup file system
 * @param v1 whether that is of version 1
 */
public record MemoryCgroup(Path path, boolean v1) implements Closeable {
  private static final Path MOUNT = Path.of("/sys/fs/cgroup");

  /** The process that made a group and a number of its own follow. */
  private static final String PREFIX = "lucene-pread-";

  /** What a process ends with if it may not join: no program of ours does. */
  static final int CANNOT_JOIN = 97;

  private static final long REMOVAL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /**
   * Makes a group, empty, with the given limit in bytes and no swap.
   *
   * @throws IOException where that is not to be had: with what would help
   */
  public static MemoryCgroup create(long limit) throws IOException {
    return create(MOUNT, limit);
  }

  /** Says which version of cgroups limits memory here. */
  public static int version() {
    return isV1(MOUNT) ? 1 : 2;
  }

  private static boolean isV1(Path mount) {
    return Files.exists(mount.resolve("memory/memory.limit_in_bytes"));
  }

  static MemoryCgroup create(Path mount, long limit) throws IOException {
    boolean v1 = isV1(mount);
    Path parent = v1 ? mount.resolve("memory") : mount;
    String name = PREFIX + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    MemoryCgroup group = new MemoryCgroup(parent.resolve(name), v1);
    try {
      removeLeftovers(parent);
      Files.createDirectory(group.path);
      Path file = group.file("memory.limit_in_bytes", "memory.max");
      Files.writeString(file, Long.toString(limit));
      // The kernel rounds to pages; anything else means that the limit does not hold.
      long set = ProcessFigures.number(file, "");
      if (Math.abs(set - limit) >= 1 << 16) {
        throw new IOException(file + " is " + set + " after writing " + limit);
      }
      // Of version 1, a limit of both together; without swap accounting there is none.
      Path swap = group.file("memory.memsw.limit_in_bytes", "memory.swap.max");
      if (Files.exists(swap)) {
        Files.writeString(swap, Long.toString(v1 ? limit : 0));
      }
      return group;
    } catch (IOException e) {
      removeUnlessBusy(group.path);
      Path delegated = mount.resolve("cgroup.subtree_control");
      String help = "): run as root, with version 2 after echo +memory > " + delegated;
      throw new IOException("no memory cgroup (" + e + help, e);
    }
  }

  private Path file(String inV1, String inV2) {
    return path.resolve(v1 ? inV1 : inV2);
  }

  private static void removeLeftovers(Path parent) throws IOException {
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, PREFIX + "*-*")) {
      for (Path group : groups) {
        String pid = group.getFileName().toString().split("-", -1)[2];
        if (pid.matches("\\d{1,9}") && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
          removeUnlessBusy(group);
        }
      }
    }
  }

  private static void removeUnlessBusy(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException busy) {
      // It goes the next time that a group is made.
    }
  }

  /** Returns what goes before a command so that it runs in here from its first page on. */
  public List<String> prefix() {
    String join = "echo $$ > \"$0\" || exit " + CANNOT_JOIN + "; exec \"$@\"";
    return List.of("sh", "-c", join, procs().toString());
  }

  /** Returns the file that a process writes its id to, to join. */
  Path procs() {
    return path.resolve("cgroup.procs");
  }

  /** Returns the highest usage so far, in bytes, page cache included; -1 before Linux 5.19. */
  public long peakBytes() {
    return ProcessFigures.number(file("memory.max_usage_in_bytes", "memory.peak"), "");
  }

  /** Returns the major page faults of all processes that were in the group. */
  public long majorFaults() {
    return ProcessFigures.number(
        path.resolve("memory.stat"), v1 ? "total_pgmajfault" : "pgmajfault");
  }

  /** Counts the processes that the kernel killed because of the limit. */
  public long oomKills() {
    return ProcessFigures.number(file("memory.oom_control", "memory.events"), "oom_kill");
  }

  /** Removes the group as soon as its last process is gone, if that is within 15 seconds. */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + REMOVAL_TIMEOUT_NANOS;
    // Version 1 keeps a removed group's pages counted somewhere until they are reclaimed.
    Path force = path.resolve("memory.force_empty");
    while (true) {
      try {
        if (Files.exists(force) && ProcessFigures.text(procs()).isBlank()) {
          Files.writeString(force, "0");
        }
        Files.deleteIfExists(path);
        return;
      } catch (IOException busy) {
        if (System.nanoTime() - deadline >= 0) {
          String by = ": end the processes in " + procs() + ", then rmdir it";
          throw new IOException("cgroup " + path + " cannot be removed" + by, busy);
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
