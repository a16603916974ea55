/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.NativeBuffer;
import dev.pread.posix.SystemCalls;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out how much more memory this process may map, whether it is used or not: {@code ulimit}
 * may limit all of it ({@code -v}), and what it may write to ({@code -d}). Who takes the last of it
 * has the JVM fail when that needs a thread or more room for its code.
 */
final class AddressSpace {

  /** Of two limits the first one is in force; it may be a word. */
  private static final Pattern MOST = Pattern.compile("(?m)^Max address space +(\\d{1,18}) ");

  private static final Pattern MOST_DATA = Pattern.compile("(?m)^Max data size +(\\d{1,18}) ");
  private static final Pattern USED = Pattern.compile("(?m)^VmSize:\\s+(\\d+) kB$");
  private static final Pattern USED_DATA = Pattern.compile("(?m)^VmData:\\s+(\\d+) kB$");

  private AddressSpace() {}

  /**
   * Returns how many bytes are left, or {@link MemoryLevel#UNLIMITED}.
   *
   * @param proc where the kernel tells
   * @param heapGrowth how many bytes of what it has reserved the heap has not committed yet
   */
  static long left(SystemCalls calls, Path proc, long heapGrowth) {
    NativeBuffer buffer = KernelFile.buffer(calls);
    try (KernelFile limits = new KernelFile(calls, proc.resolve("self/limits"), buffer);
        KernelFile status = new KernelFile(calls, proc.resolve("self/status"), buffer)) {
      String most = limits.read();
      String used = status.read();
      long all = left(MOST, most, USED, used, 0);
      return Math.min(all, left(MOST_DATA, most, USED_DATA, used, heapGrowth));
    }
  }

  private static long left(Pattern most, String limits, Pattern used, String status, long more) {
    Matcher limit = most.matcher(limits);
    if (!limit.find()) {
      return MemoryLevel.UNLIMITED;
    }
    Matcher kibibytes = used.matcher(status);
    long inUse = kibibytes.find() ? Long.parseLong(kibibytes.group(1)) << 10 : 0;
    return Math.max(0, Long.parseLong(limit.group(1)) - inUse - more);
  }
}
