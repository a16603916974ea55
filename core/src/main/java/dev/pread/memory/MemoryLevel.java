/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.NativeBuffer;
import dev.pread.posix.SystemCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Something that limits the memory of this process: a memory cgroup of version 1 or 2, or the
 * machine. It is not thread-safe.
 */
abstract class MemoryLevel implements AutoCloseable {

  /** The limit of a group that has none. */
  static final long UNLIMITED = Long.MAX_VALUE;

  /** Version 1 says "no limit" with the largest multiple of a page. */
  private static final long NO_LIMIT_V1 = 1L << 60;

  private static final String TOTAL = "MemTotal:";

  private final String name;

  private MemoryLevel(String name) {
    this.name = name;
  }

  /** Returns the limit in bytes, or {@link #UNLIMITED}. It may change at any time. */
  abstract long limit();

  /**
   * Returns whether something that was read of it last is no more: the group may be gone, and this
   * process in another one, or its controller may have been disabled. Until it is found anew its
   * limit is the last one, and all of that counts as in use.
   */
  boolean isStale() {
    return false;
  }

  /**
   * Returns why there may be a limit that can't be read now, with the file's path; null if none. A
   * limit beyond which the kernel kills nobody does not matter here.
   */
  String failure() {
    return null;
  }

  /**
   * Returns a figure that is cheap to get and grows with what is in use, in bytes.
   *
   * @throws IllegalStateException if it can't be read just now, and there is none that is safe
   */
  abstract long usage();

  /**
   * Returns how many bytes of the {@link #usage} the kernel can take back at once, and should:
   * clean pages of files that nobody has mapped. Among those that are mapped is the code of this
   * very process, which comes to a halt without it.
   */
  abstract long reclaimable();

  /**
   * Finds out what takes too long to be found out at each look: opens files anew that could not be
   * opened or read, and looks for limits of groups that can't be seen.
   */
  abstract void refresh();

  /**
   * Returns the numbers of the threads in this group, one in each line, as far as they can be told.
   * Those of groups below this one are not among them.
   */
  String threads() {
    return "";
  }

  @Override
  public abstract void close();

  @Override
  public String toString() {
    return name;
  }

  /** Returns the level of a folder of a cgroup file system of version 2. */
  static MemoryLevel v2(SystemCalls calls, Path folder) {
    return new Group(calls, folder, Names.V2);
  }

  /**
   * Returns the level of a folder of the memory controller of version 1.
   *
   * @param isTop whether no group around it can be seen. Then the tightest limit of those around it
   *     counts as its own: the kernel tells that, but not what else is used below it
   */
  static MemoryLevel v1(SystemCalls calls, Path folder, boolean isTop) {
    return new Group(calls, folder, isTop ? Names.V1_TOP : Names.V1);
  }

  /** Returns the machine, whose memory is described below the folder {@code proc}. */
  static MemoryLevel machine(SystemCalls calls, Path proc) {
    return new Machine(calls, proc);
  }

  /**
   * What the files of a group are called, and the figures in its {@code memory.stat}.
   *
   * @param around what the tightest limit of the group and all around it is called there, or null
   *     if it is not needed
   */
  private record Names(
      List<String> limits, String usage, String threads, String prefix, String around) {

    private static final Names V2 =
        new Names(
            List.of("memory.max", "memory.high"), "memory.current", "cgroup.threads", "", null);

    private static final Names V1 =
        new Names(
            List.of("memory.limit_in_bytes"), "memory.usage_in_bytes", "tasks", "total_", null);

    private static final Names V1_TOP =
        new Names(V1.limits, V1.usage, V1.threads, V1.prefix, "hierarchical_memory_limit");
  }

  /** A group, and all groups below it. */
  private static final class Group extends MemoryLevel {

    /** The first of them is the one that kills. */
    private final KernelFile[] limits;

    /** What each of them said when it was last read; no limit if it is not there. */
    private final long[] known;

    private final KernelFile usage;
    private final KernelFile stat;

    /** All of these, as far as they have been opened. */
    private final List<KernelFile> files;

    private final SystemCalls calls;
    private final NativeBuffer buffer;
    private final Path folder;
    private final Names names;

    /** The tightest limit that has been told of groups that can't be seen. */
    private long limitAround = UNLIMITED;

    Group(SystemCalls calls, Path folder, Names names) {
      super("cgroup " + folder);
      this.calls = calls;
      this.buffer = KernelFile.buffer(calls);
      this.folder = folder;
      this.names = names;
      this.limits = new KernelFile[names.limits.size()];
      this.known = new long[limits.length];
      Arrays.fill(known, UNLIMITED);
      this.files = new ArrayList<>(limits.length + 2);
      boolean isComplete = false;
      try {
        for (int i = 0; i < limits.length; i++) {
          limits[i] = open(names.limits.get(i));
        }
        usage = open(names.usage);
        stat = open("memory.stat");
        readLimitAround(stat.read());
        isComplete = true;
      } finally {
        if (!isComplete) {
          close();
        }
      }
    }

    private void readLimitAround(String stat) {
      if (names.around != null) {
        long bytes = KernelFile.number(stat, names.around, limitAround);
        limitAround = bytes >= NO_LIMIT_V1 ? UNLIMITED : bytes;
      }
    }

    private KernelFile open(String name) {
      KernelFile file = new KernelFile(calls, folder.resolve(name), buffer);
      // There is room in the list, so that what is open is in it.
      files.add(file);
      return file;
    }

    @Override
    long limit() {
      long least = limitAround;
      for (int i = 0; i < limits.length; i++) {
        // Version 2 says "max".
        long bytes = limits[i].number(UNLIMITED);
        if (!limits[i].isUnreadable()) {
          known[i] = bytes;
        }
        least = known[i] >= NO_LIMIT_V1 ? least : Math.min(least, known[i]);
      }
      return least;
    }

    @Override
    boolean isStale() {
      boolean isOld = false;
      for (KernelFile file : files) {
        isOld |= file.isGone();
      }
      return isOld;
    }

    @Override
    String failure() {
      long ignored = limits[0].number(UNLIMITED);
      return limits[0].failure();
    }

    @Override
    long usage() {
      // If it can't be read, nothing is taken to be free.
      long bytes = usage.number(-1);
      return bytes < 0 ? limit() : bytes;
    }

    @Override
    long reclaimable() {
      String text = stat.read();
      readLimitAround(text);
      long files = figure(text, "inactive_file") + figure(text, "active_file");
      long busy =
          Math.max(figure(text, "dirty"), figure(text, "file_dirty"))
              + Math.max(figure(text, "writeback"), figure(text, "file_writeback"));
      long mapped = Math.max(figure(text, "mapped_file"), figure(text, "file_mapped"));
      return Math.max(0, files - busy - Math.min(mapped, files / 2))
          + figure(text, "slab_reclaimable") / 2;
    }

    @Override
    void refresh() {
      files.forEach(KernelFile::reopenIfFailed);
      if (names.around != null && limit() == UNLIMITED) {
        // Nobody asks what can be taken back from it, which would find that out.
        readLimitAround(stat.read());
      }
    }

    @Override
    String threads() {
      // A file that stays open and is read once a second says the same for ever with version 1.
      try (KernelFile now = new KernelFile(calls, folder.resolve(names.threads), buffer)) {
        return now.readList();
      }
    }

    private long figure(String text, String name) {
      return KernelFile.number(text, names.prefix + name, 0);
    }

    @Override
    public void close() {
      files.forEach(KernelFile::close);
    }
  }

  /** The machine. */
  private static final class Machine extends MemoryLevel {

    private final KernelFile meminfo;

    /** What the machine had when it was last read. */
    private long total = UNLIMITED;

    Machine(SystemCalls calls, Path proc) {
      super("machine");
      meminfo = new KernelFile(calls, proc.resolve("meminfo"));
    }

    @Override
    long limit() {
      if (total == UNLIMITED) {
        total = KernelFile.number(meminfo.read(), TOTAL, UNLIMITED);
      }
      return total;
    }

    @Override
    long reclaimable() {
      // The kernel says what is available, and that does not count as in use.
      return 0;
    }

    @Override
    long usage() {
      String text = meminfo.read();
      total = KernelFile.number(text, TOTAL, UNLIMITED);
      if (total == UNLIMITED) {
        // With 0 all memory would seem to be free.
        throw new IllegalStateException("the machine's memory can't be read");
      }
      long available = KernelFile.number(text, "MemAvailable:", -1);
      if (available < 0) {
        // Some sandboxes and old kernels do not say it. What is free is less than that.
        return total - KernelFile.number(text, "MemFree:", 0);
      }
      long files =
          KernelFile.number(text, "Active(file):", 0)
              + KernelFile.number(text, "Inactive(file):", 0);
      long busy = KernelFile.number(text, "Dirty:", 0) + KernelFile.number(text, "Writeback:", 0);
      long mapped = KernelFile.number(text, "Mapped:", 0);
      return total - available + Math.min(files, busy + Math.min(mapped, files / 2));
    }

    @Override
    void refresh() {
      meminfo.reopenIfFailed();
    }

    @Override
    public void close() {
      meminfo.close();
    }
  }
}
