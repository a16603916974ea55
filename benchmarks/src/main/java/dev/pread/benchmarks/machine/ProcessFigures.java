/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel counts for this process; -1 for what it does not tell. */
public final class ProcessFigures {
  private static final Path STAT = Path.of("/proc/self/stat");
  private static final Path IO = Path.of("/proc/self/io");
  private static final Path STATUS = Path.of("/proc/self/status");

  /** Of the fields after the name in parentheses, see proc(5): majflt is the 12th of all. */
  private static final int MAJOR_FAULTS = 9;

  private ProcessFigures() {}

  /** Major page faults of all threads so far. */
  public static long majorFaults() {
    try {
      String stat = Files.readString(STAT);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[MAJOR_FAULTS]);
    } catch (IOException | RuntimeException unknown) {
      return -1;
    }
  }

  /**
   * A counter of {@code /proc/self/io}.
   *
   * @param name like {@code read_bytes}: what this process had the device read, page faults
   *     included; {@code write_bytes}: what it made dirty or wrote past the page cache
   */
  public static long io(String name) {
    try {
      for (String line : Files.readAllLines(IO)) {
        if (line.startsWith(name + ":")) {
          return Long.parseLong(line.substring(name.length() + 1).strip());
        }
      }
    } catch (IOException | RuntimeException unknown) {
      // As unknown as a line that is not there.
    }
    return -1;
  }

  /**
   * A line of {@code /proc/self/status} that is given in kB.
   *
   * @param name like {@code VmRSS}
   * @return bytes
   */
  public static long status(String name) {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(name + ":")) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    } catch (IOException | RuntimeException unknown) {
      // As unknown as a line that is not there.
    }
    return -1;
  }
}
