/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A memory cgroup with a limit, of version 1 or 2. Processes join it by writing their id to {@link
 * #procs()} before they become what is measured, so that all of their memory, page cache included,
 * is counted. {@link #close()} waits for them to be gone and removes the group; groups that a
 * killed run left behind go when the next one is made. One thread.
 *
 * <p>Pages of a file belong to the group that brought them in: whoever measures under a limit has
 * to drop them first, or the first reads are another group's gift.
 */
public final class MemoryCgroup implements Closeable {
  private static final Path MOUNT = Path.of("/sys/fs/cgroup");
  private static final String PREFIX = "lucene-pread-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,9})-\\d+");
  private static final long UNKNOWN = -1;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long POLL_MILLIS = 20;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /**
   * What the two versions call the same things.
   *
   * @param limit of memory, in bytes
   * @param swapLimit of swap, or of both together in version 1; not there without swap accounting
   * @param peak highest usage so far; not there in version 2 before Linux 5.19
   * @param kills file with a line that begins with {@code oom_kill}
   * @param faults name of the counter of major faults in {@code memory.stat}
   */
  private record Names(String limit, String swapLimit, String peak, String kills, String faults) {}

  private static final Names V1 =
      new Names(
          "memory.limit_in_bytes",
          "memory.memsw.limit_in_bytes",
          "memory.max_usage_in_bytes",
          "memory.oom_control",
          "total_pgmajfault");
  private static final Names V2 =
      new Names("memory.max", "memory.swap.max", "memory.peak", "memory.events", "pgmajfault");

  private final Path path;
  private final Names names;

  private MemoryCgroup(Path path, Names names) {
    this.path = path;
    this.names = names;
  }

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

  /** Which version of cgroups limits memory here: 1 or 2. */
  public static int version() {
    return Files.exists(MOUNT.resolve("memory").resolve(V1.limit())) ? 1 : 2;
  }

  /** The same under another mount point. */
  public static MemoryCgroup create(Path mount, long limit) throws UnavailableException {
    Path v1 = mount.resolve("memory");
    MemoryCgroup group =
        Files.exists(v1.resolve(V1.limit()))
            ? new MemoryCgroup(fresh(v1), V1)
            : new MemoryCgroup(fresh(v2(mount)), V2);
    removeLeftovers(group.path.getParent());
    boolean usable = false;
    try {
      Files.createDirectory(group.path);
      group.limit(limit);
      usable = true;
      return group;
    } catch (IOException e) {
      throw new UnavailableException(
          "no memory cgroup can be made at " + group.path + " (" + e + "): run as root", e);
    } finally {
      if (!usable) {
        removeQuietly(group.path);
      }
    }
  }

  private static Path v2(Path mount) throws UnavailableException {
    if (!contains(mount.resolve("cgroup.controllers"), "memory")) {
      throw new UnavailableException(
          "there is no memory cgroup controller under " + mount + ": run on Linux with cgroups");
    }
    Path enabled = mount.resolve("cgroup.subtree_control");
    if (!contains(enabled, "memory")) {
      throw new UnavailableException(
          "the memory controller is not on for groups below "
              + mount
              + ": echo +memory > "
              + enabled);
    }
    return mount;
  }

  private static boolean contains(Path file, String word) {
    try {
      return (" " + Files.readString(file).strip() + " ").contains(" " + word + " ");
    } catch (IOException absent) {
      return false;
    }
  }

  private static Path fresh(Path parent) {
    return parent.resolve(PREFIX + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
  }

  private void limit(long bytes) throws IOException {
    Files.writeString(path.resolve(names.limit()), Long.toString(bytes));
    Path swap = path.resolve(names.swapLimit());
    if (Files.exists(swap)) {
      Files.writeString(swap, Long.toString(names.equals(V1) ? bytes : 0));
    }
    // The kernel rounds to pages; anything else means that the limit does not hold.
    long set = number(names.limit());
    if (Math.abs(set - bytes) >= 1 << 16) {
      throw new IOException(names.limit() + " is " + set + " after writing " + bytes);
    }
  }

  /** A run that was killed could not remove its groups: they are named after its process. */
  private static void removeLeftovers(Path parent) {
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path group : groups) {
        Matcher name = NAME.matcher(group.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          removeQuietly(group); // Refused while anything runs in it.
        }
      }
    } catch (IOException | DirectoryIteratorException unreadable) {
      // Then making one of our own fails too, and says why.
    }
  }

  private static void removeQuietly(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException notNow) {
      // The next run tries again.
    }
  }

  /** Where the group is, in the cgroup file system. */
  public Path path() {
    return path;
  }

  /** The file that a process writes its id to, to join. */
  public Path procs() {
    return path.resolve("cgroup.procs");
  }

  /** The highest usage so far, in bytes, page cache included; -1 where the kernel does not tell. */
  public long peakBytes() {
    try {
      return number(names.peak());
    } catch (IOException | NumberFormatException absent) {
      return UNKNOWN;
    }
  }

  /**
   * Major page faults of all processes that were in the group; -1 where the kernel does not tell.
   */
  public long majorFaults() {
    return counter("memory.stat", names.faults());
  }

  /** Processes that the kernel killed because of the limit; -1 where it does not tell. */
  public long oomKills() {
    return counter(names.kills(), "oom_kill");
  }

  private long number(String file) throws IOException {
    return Long.parseLong(Files.readString(path.resolve(file)).strip());
  }

  private long counter(String file, String name) {
    try {
      for (String line : Files.readAllLines(path.resolve(file))) {
        if (line.startsWith(name + " ")) {
          return Long.parseLong(line.substring(name.length()).strip());
        }
      }
    } catch (IOException | NumberFormatException absent) {
      // As unknown as a counter that is not listed.
    }
    return UNKNOWN;
  }

  /**
   * Removes the group as soon as its last process is gone.
   *
   * @throws IOException if it is still there after 15 seconds; with how to remove it by hand
   */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    IOException last = null;
    do {
      try {
        if (isEmpty()) {
          forgetPages();
          Files.deleteIfExists(path);
          return;
        }
      } catch (IOException e) {
        last = e; // Busy, while the last process is being taken down.
      }
    } while (pause() && System.nanoTime() - deadline < 0);
    throw new IOException(
        "cgroup "
            + path
            + " cannot be removed: end the processes in "
            + procs()
            + ", then rmdir it",
        last);
  }

  private boolean isEmpty() throws IOException {
    try {
      return Files.readString(procs()).isBlank();
    } catch (NoSuchFileException gone) {
      return true;
    }
  }

  /** Version 1 keeps a removed group's pages counted somewhere until they are reclaimed. */
  private void forgetPages() {
    Path force = path.resolve("memory.force_empty");
    if (Files.exists(force)) {
      try {
        Files.writeString(force, "0");
      } catch (IOException busy) {
        // A favour to the next slot, which drops its file's pages anyway.
      }
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(POLL_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
