/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.util.ThreadInterruptedException;

/**
 * Limits memory by a cgroup of version 1 or 2. Processes join it by writing their id to {@link
 * #procs()} before they become what is measured, so that all of their memory, page cache included,
 * is counted. {@link #close()} waits for them to be gone and removes the group; groups that a
 * killed run left behind go when the next one is made. One thread.
 *
 * <p>Pages of a file belong to the group that brought them in: whoever measures under a limit has
 * to drop them first, or the first reads are another group's gift.
 *
 * @param path of the group, in the cgroup file system
 * @param names of its files
 */
public record MemoryCgroup(Path path, Names names) implements Closeable {
  private static final Path MOUNT = Path.of("/sys/fs/cgroup");

  /** The beginning of a group's name; the process that made it and a number of its own follow. */
  private static final String PREFIX = "lucene-pread-";

  private static final long REMOVAL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long POLL_MILLIS = 20;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /**
   * The names by which a version of cgroups calls the same things.
   *
   * @param limit of memory, in bytes
   * @param swapLimit of swap, or of both together in version 1; not there without swap accounting
   * @param peak highest usage so far; not there in version 2 before Linux 5.19
   * @param kills file with a line that begins with {@code oom_kill}
   * @param faults name of the counter of major faults in {@code memory.stat}
   */
  record Names(String limit, String swapLimit, String peak, String kills, String faults) {}

  private static final Names V1 =
      new Names(
          "memory.limit_in_bytes",
          "memory.memsw.limit_in_bytes",
          "memory.max_usage_in_bytes",
          "memory.oom_control",
          "total_pgmajfault");
  private static final Names V2 =
      new Names("memory.max", "memory.swap.max", "memory.peak", "memory.events", "pgmajfault");

  /**
   * Makes a group, empty, with the given limit and no swap.
   *
   * @param limit in bytes
   * @throws UnavailableException without root, without a memory controller, or where it is not
   *     delegated
   */
  public static MemoryCgroup create(long limit) throws UnavailableException {
    return create(MOUNT, limit);
  }

  /** Says which version of cgroups limits memory here: 1 or 2. */
  static int version() {
    return isV1(MOUNT) ? 1 : 2;
  }

  private static boolean isV1(Path mount) {
    return Files.exists(mount.resolve("memory").resolve(V1.limit));
  }

  static MemoryCgroup create(Path mount, long limit) throws UnavailableException {
    Names names = isV1(mount) ? V1 : V2;
    Path parent = isV1(mount) ? mount.resolve("memory") : mount;
    Path delegated = mount.resolve("cgroup.subtree_control");
    if (!isV1(mount) && !ProcessFigures.text(delegated).matches("(?s).*\\bmemory\\b.*")) {
      throw new UnavailableException(
          "memory cgroups are not to be had below "
              + mount
              + ": run on Linux, as root, after echo +memory > "
              + delegated);
    }
    String name = PREFIX + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    MemoryCgroup group = new MemoryCgroup(parent.resolve(name), names);
    try {
      removeLeftovers(parent);
      Files.createDirectory(group.path);
      group.limit(limit);
      return group;
    } catch (IOException e) {
      removeQuietly(group.path);
      throw new UnavailableException(
          "no memory cgroup can be made at " + group.path + " (" + e + "): run as root", e);
    }
  }

  private void limit(long bytes) throws IOException {
    Files.writeString(path.resolve(names.limit), Long.toString(bytes));
    Path swap = path.resolve(names.swapLimit);
    if (Files.exists(swap)) {
      Files.writeString(swap, Long.toString(names.equals(V1) ? bytes : 0));
    }
    // The kernel rounds to pages; anything else means that the limit does not hold.
    long set = ProcessFigures.number(path.resolve(names.limit), "");
    if (Math.abs(set - bytes) >= 1 << 16) {
      throw new IOException(names.limit + " is " + set + " after writing " + bytes);
    }
  }

  /** Removes the groups of runs that were killed. */
  private static void removeLeftovers(Path parent) throws IOException {
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, PREFIX + "*-*")) {
      for (Path group : groups) {
        String pid = group.getFileName().toString().substring(PREFIX.length()).split("-", 2)[0];
        if (pid.matches("\\d{1,9}") && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
          removeQuietly(group);
        }
      }
    }
  }

  private static void removeQuietly(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException busy) {
      // The next run tries again.
    }
  }

  /** Returns the file that a process writes its id to, to join. */
  Path procs() {
    return path.resolve("cgroup.procs");
  }

  /** Returns the highest usage so far, in bytes, page cache included; -1 if unknown. */
  public long peakBytes() {
    return ProcessFigures.number(path.resolve(names.peak), "");
  }

  /** Returns the major page faults of all processes that were in the group; -1 if unknown. */
  public long majorFaults() {
    return ProcessFigures.number(path.resolve("memory.stat"), names.faults);
  }

  /** Counts the processes that the kernel killed because of the limit; -1 if unknown. */
  public long oomKills() {
    return ProcessFigures.number(path.resolve(names.kills), "oom_kill");
  }

  /**
   * Removes the group as soon as its last process is gone.
   *
   * @throws IOException if it is still there after 15 seconds; with how to remove it by hand
   */
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
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        throw new ThreadInterruptedException(e);
      }
    }
  }
}
