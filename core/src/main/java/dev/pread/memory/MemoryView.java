/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.SystemCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out what this process may use of the memory: the limits of its memory cgroup and of all
 * groups around it, of version 1 or 2, and the machine's. The tightest one counts. It is not
 * thread-safe.
 */
final class MemoryView implements AutoCloseable {

  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7]{2})");

  /** The time between two looks at what takes too long for each look. */
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SystemCalls calls;
  private final Path root;

  /** What names the groups of this process, and what it said when they were looked for. */
  private final KernelFile groups;

  private final String foundGroups;

  /** What limits this process: its own group first, the machine last. */
  private final ArrayList<MemoryLevel> levels = new ArrayList<>();

  /** The limits of the levels as the last {@link #room} has found them. */
  private final long[] lastLimits;

  /** When to look at what takes too long for each look. */
  private long nextRefresh = System.nanoTime();

  /** See {@link #nextRoom}. */
  private Room nextRoom;

  /** Why the limit of this process can't be told, or null. */
  private final String failure;

  private MemoryView(SystemCalls calls, Path root) {
    this.calls = calls;
    this.root = root;
    Path proc = root.resolve("proc");
    groups = new KernelFile(calls, proc.resolve("self/cgroup"));
    boolean isComplete = false;
    try (KernelFile mounts = new KernelFile(calls, proc.resolve("self/mountinfo"))) {
      foundGroups = groups.read();
      String reason = addGroups(foundGroups, mounts.readList());
      reason = mounts.failure() == null ? reason : mounts.failure();
      reason = groups.failure() == null ? reason : groups.failure();
      if (reason == null) {
        add(() -> MemoryLevel.machine(calls, proc));
      } else {
        levels.forEach(MemoryLevel::close);
        levels.clear();
      }
      lastLimits = new long[levels.size()];
      failure = reason;
      isComplete = true;
    } finally {
      if (!isComplete) {
        close();
      }
    }
  }

  /** Adds a level, so that what it has opened is closed with this view whatever happens. */
  private void add(Supplier<MemoryLevel> level) {
    levels.ensureCapacity(levels.size() + 1);
    levels.add(level.get());
  }

  /**
   * Looks for all that limits this process. Groups around its own that can't be read limit nothing:
   * they are the business of whoever has set the limit of its own. If that can't be read, nothing
   * is known at all, and the machine's memory is no substitute.
   *
   * @param root the folder that {@code proc} and the mount points lie in: {@code /}, but for tests
   */
  static MemoryView find(SystemCalls calls, Path root) {
    return new MemoryView(calls, root);
  }

  /**
   * Returns this view as long as the process is in the groups that it shows. If the process has
   * been moved, or if this view shows nothing, this view is closed, and the one of the groups of
   * now is returned, unless that shows nothing: then the old limits are better than none. What
   * takes too long for each look is looked at once a second, and when something is no more.
   */
  MemoryView current() {
    // This comes before the groups are read: a process is moved before its old group goes.
    boolean isStale = levels.stream().anyMatch(MemoryLevel::isStale);
    if (failure == null && groups.read().equals(foundGroups)) {
      long now = System.nanoTime();
      if (isStale || now - nextRefresh >= 0) {
        nextRefresh = now + REFRESH_NANOS;
        levels.forEach(MemoryLevel::refresh);
      }
      return this;
    }
    MemoryView moved = find(calls, root);
    if (moved.failure != null) {
      moved.close();
      return this;
    }
    close();
    return moved;
  }

  /**
   * Adds the groups of this process.
   *
   * @return why the limit of one of its own can't be told, or null
   */
  private String addGroups(String groups, String mounts) {
    String failure = null;
    for (String line : groups.lines().toList()) {
      // hierarchy:controllers:path
      String[] fields = line.split(":", 3);
      boolean isGroup = fields.length == 3 && fields[2].startsWith("/");
      boolean isV1 = isGroup && List.of(fields[1].split(",")).contains("memory");
      // Where version 1 has the memory, it comes first, and version 2 limits nothing.
      boolean isV2 = isGroup && levels.isEmpty() && fields[0].equals("0") && fields[1].isEmpty();
      try {
        int own = levels.size();
        String hidden = isV1 || isV2 ? addGroups(mounts, KernelFile.path(fields[2]), isV1) : null;
        if (own < levels.size() && failure == null) {
          failure = levels.get(own).failure();
        } else if (levels.isEmpty() && failure == null) {
          failure = hidden;
        }
      } catch (IllegalArgumentException ignored) {
        // No file has a name with a NUL in it.
      }
    }
    return failure;
  }

  /**
   * Adds a group and those around it, as far up as they are mounted.
   *
   * @return why none of them could be found though some are mounted, or null
   */
  private String addGroups(String mounts, Path group, boolean isV1) {
    Path top = null;
    Path folder = null;
    String hidden = null;
    for (String line : mounts.lines().toList()) {
      // id parent device root mount-point options... - type source super-options
      String[] halves = line.split(" - ", 2);
      String[] mount = halves[0].split(" ", -1);
      if (halves.length < 2
          || mount.length < 5
          || !mount[3].startsWith("/")
          || !mount[4].startsWith("/")
          || !isOfMemory(halves[1], isV1)) {
        continue;
      }
      Path mounted = KernelFile.path(unescaped(mount[3]));
      Path point = KernelFile.path(unescaped(mount[4]));
      int depth = mounted.getNameCount();
      boolean hasGroup =
          group.startsWith(mounted)
              && (depth == group.getNameCount() || !group.getName(depth).endsWith(".."));
      if (!hasGroup && (mounted.startsWith("/..") || group.startsWith("/.."))) {
        // Groups around the namespace of this process, or those of a namespace that it has been
        // moved out of: which of them is its own can't be told.
        hidden = point + " shows no group of this process, but those of others";
        continue;
      }
      // In a container the group may be named as the host sees it, or lie outside what is mounted:
      // then the top of what is mounted is the nearest group around it that can be seen.
      if (hasGroup || top == null) {
        top = root.resolve(point.getRoot().relativize(point)).normalize();
        folder = hasGroup ? top.resolve(mounted.relativize(group)).normalize() : top;
      }
      if (hasGroup) {
        break;
      }
    }
    while (folder != null && folder.startsWith(top)) {
      Path level = folder;
      boolean isTop = folder.equals(top);
      add(() -> isV1 ? MemoryLevel.v1(calls, level, isTop) : MemoryLevel.v2(calls, level));
      folder = folder.getParent();
    }
    return top == null ? hidden : null;
  }

  /** Returns a path as it is: what separates fields and lines is written in octal digits. */
  private static String unescaped(String path) {
    return ESCAPE
        .matcher(path)
        .replaceAll(
            escape -> Matcher.quoteReplacement("" + (char) Integer.parseInt(escape.group(1), 8)));
  }

  private static boolean isOfMemory(String typeAndOptions, boolean isV1) {
    String[] fields = typeAndOptions.split(" ", -1);
    return isV1
        ? fields[0].equals("cgroup")
            && List.of(fields[fields.length - 1].split(",")).contains("memory")
        : fields[0].equals("cgroup2");
  }

  /** Returns what limits this process just now. Each limit is read once. */
  MemoryGovernor.Limits limits() {
    long tightest = MemoryLevel.UNLIMITED;
    long loosest = 0;
    for (MemoryLevel level : levels) {
      long limit = level.limit();
      tightest = Math.min(tightest, limit);
      loosest = limit == MemoryLevel.UNLIMITED ? loosest : Math.max(loosest, limit);
    }
    Runtime runtime = Runtime.getRuntime();
    long heapGrowth = runtime.maxMemory() - runtime.totalMemory();
    long mappable = AddressSpace.left(calls, root.resolve("proc"), heapGrowth);
    return new MemoryGovernor.Limits(
        tightest, tightest == MemoryLevel.UNLIMITED ? tightest : loosest, mappable, failure);
  }

  /** Returns the group of this process, or the machine: who is in it shares all limits. */
  MemoryLevel own() {
    return levels.get(0);
  }

  /**
   * Looks at all levels.
   *
   * @return the one with the least room, or null if nothing is known of any
   */
  Room room() {
    List<Room> rooms = new ArrayList<>();
    for (int i = 0; i < levels.size(); i++) {
      MemoryLevel level = levels.get(i);
      long limit = level.limit();
      lastLimits[i] = limit;
      if (limit != MemoryLevel.UNLIMITED) {
        rooms.add(look(level, limit));
      }
    }
    Room least = rooms.stream().min(Comparator.comparingLong(Room::beyondReserve)).orElse(null);
    rooms.remove(least);
    nextRoom = rooms.stream().min(Comparator.comparingLong(Room::untilNextLook)).orElse(null);
    return least;
  }

  /**
   * Returns the one of the levels that has to be looked at again first, but for the one that the
   * last {@link #room} has returned; null if there is no other.
   */
  Room nextRoom() {
    return nextRoom;
  }

  /**
   * Returns whether a group has another limit than the last {@link #room} has found, or is no more.
   * The machine, which is the last level, has what it has.
   */
  boolean hasOtherLimits() {
    for (int i = 0; i < lastLimits.length - 1; i++) {
      if (levels.get(i).limit() != lastLimits[i] || levels.get(i).isStale()) {
        return true;
      }
    }
    return false;
  }

  /** Looks once more at the level that had the least room. Its limit is taken to be the same. */
  static Room again(Room room) {
    return look(room.level(), room.limit());
  }

  private static Room look(MemoryLevel level, long limit) {
    // What is read meanwhile must not look free, so this comes first.
    long reclaimable = level.reclaimable();
    long usage = level.usage();
    return new Room(level, limit, usage, usage - reclaimable);
  }

  /**
   * Says how much room there is below one limit.
   *
   * @param limit in bytes
   * @param usage what {@link MemoryLevel#usage} was
   * @param unreclaimable bytes that nobody can be made to give back, but this process its own
   */
  record Room(MemoryLevel level, long limit, long usage, long unreclaimable) {

    private static final long SMALLEST_RESERVE = 48L << 20;
    private static final long LARGEST_RESERVE = 1L << 30;
    private static final int RESERVED_PART = 16;

    /** Returns how many bytes can be had without anybody else giving back memory of their own. */
    long free() {
      return limit - unreclaimable;
    }

    /** Returns how many bytes have to stay free, for what comes faster than anybody can look. */
    long reserve() {
      return Math.clamp(limit / RESERVED_PART, SMALLEST_RESERVE, LARGEST_RESERVE);
    }

    /**
     * Returns how many bytes others may take before somebody has to look again. Half of what is
     * free may be taken by the caches themselves, until there is only the reserve.
     */
    long untilNextLook() {
      return Math.max(0, free() / 2) + reserve() / 2;
    }

    long beyondReserve() {
      return free() - reserve();
    }
  }

  @Override
  public void close() {
    groups.close();
    levels.forEach(MemoryLevel::close);
  }
}
