/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A memory cgroup, of version 1 or 2, with a limit and without swap: a container as far as memory
 * is concerned. It is to be closed when its last process has ended.
 *
 * @param path its folder
 */
public record MemoryGroup(Path path) implements AutoCloseable {

  private static final Path MOUNT = Path.of("/sys/fs/cgroup");
  private static final Path VERSION_1 = MOUNT.resolve("memory");
  private static final String LIMIT_1 = "memory.limit_in_bytes";
  private static final String LIMIT_2 = "memory.max";
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String KILLS = "oom_kill ";

  /**
   * Makes one.
   *
   * @param limit bytes
   * @throws IOException where that is not allowed, or there is no memory controller
   */
  public static MemoryGroup create(long limit) throws IOException {
    boolean first = Files.exists(VERSION_1.resolve(LIMIT_1));
    MemoryGroup group =
        new MemoryGroup(
            (first ? VERSION_1 : MOUNT)
                .resolve("lucene-pread-server-" + ProcessHandle.current().pid()));
    Files.createDirectory(group.path);
    try {
      Files.writeString(group.path.resolve(first ? LIMIT_1 : LIMIT_2), Long.toString(limit));
      Path swap = group.path.resolve(first ? "memory.memsw.limit_in_bytes" : "memory.swap.max");
      if (Files.exists(swap)) {
        Files.writeString(swap, Long.toString(first ? limit : 0));
      }
      return group;
    } catch (IOException e) {
      Files.delete(group.path);
      throw e;
    }
  }

  /** Returns what goes before a command so that it runs in here. */
  List<String> prefix() {
    return List.of(
        "sh", "-c", "echo $$ > " + path.resolve("cgroup.procs") + " && exec \"$0\" \"$@\"");
  }

  /** Returns how many of its processes the kernel killed because of the limit. */
  public long kills() throws IOException {
    Path version2 = path.resolve("memory.events");
    Path file = Files.exists(version2) ? version2 : path.resolve("memory.oom_control");
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith(KILLS))
        .mapToLong(line -> Long.parseLong(line.substring(KILLS.length()).trim()))
        .findFirst()
        .orElseThrow(() -> new IOException("no " + KILLS + "in " + file));
  }

  /** Removes it; a process that has just ended may keep it busy for a moment. */
  @Override
  public void close() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (true) {
      try {
        Files.delete(path);
        return;
      } catch (IOException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
