/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.nio.file.Path;

/** What the kernel counts for this process; -1 for what it does not tell. */
public final class ProcessFigures {
  private static final Path SELF = Path.of("/proc/self");

  /** Of the fields after the name in parentheses, see proc(5): majflt is the 12th of all. */
  private static final int MAJOR_FAULTS = 9;

  private ProcessFigures() {}

  /** Major page faults of all threads so far. */
  public static long majorFaults() {
    String stat = KernelFile.text(SELF.resolve("stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    return fields.length > MAJOR_FAULTS ? Long.parseLong(fields[MAJOR_FAULTS]) : -1;
  }

  /**
   * A counter of {@code /proc/self/io}.
   *
   * @param name like {@code read_bytes}: what this process had the device read, page faults
   *     included; {@code write_bytes}: what it made dirty or wrote past the page cache
   */
  public static long io(String name) {
    return KernelFile.number(SELF.resolve("io"), name);
  }

  /**
   * A line of {@code /proc/self/status} that is given in kB.
   *
   * @param name like {@code VmRSS}
   * @return bytes
   */
  public static long status(String name) {
    long kibibytes = KernelFile.number(SELF.resolve("status"), name);
    return kibibytes < 0 ? -1 : kibibytes << 10;
  }
}
