/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel tells in its files, of this process above all; -1 for what it does not tell. */
public final class ProcessFigures {
  private static final Path SELF = Path.of("/proc/self");

  private ProcessFigures() {}

  /** Major page faults of all threads so far: the tenth field after the name, see proc(5). */
  public static long majorFaults() {
    return number(SELF.resolve("stat"), ".*\\)(?: \\S+){9}");
  }

  /** Those since an earlier count; -1 if it is unknown. */
  public static long majorFaultsSince(long before) {
    return before < 0 ? -1 : majorFaults() - before;
  }

  /**
   * A counter of {@code /proc/self/io}.
   *
   * @param name like {@code read_bytes}: what this process had the device read, page faults
   *     included; {@code write_bytes}: what it made dirty or wrote past the page cache
   */
  public static long io(String name) {
    return number(SELF.resolve("io"), name);
  }

  /** A line of {@code /proc/self/status} that is given in kB, like {@code VmRSS}; in bytes. */
  public static long status(String name) {
    long kibibytes = number(SELF.resolve("status"), name);
    return kibibytes < 0 ? -1 : kibibytes << 10;
  }

  /**
   * The first number in the line that begins with a name.
   *
   * @param name as a regular expression, with blanks or a colon between it and the number
   */
  static long number(Path file, String name) {
    Pattern line = Pattern.compile("^" + name + "[:\\s]*(\\d{1,18})\\b", Pattern.MULTILINE);
    Matcher matcher = line.matcher(text(file));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** All of a file; empty if it cannot be read. */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
