/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what the kernel tells in its files; -1 stands for what it does not tell. */
public final class ProcessFigures {
  private static final Path SELF = Path.of("/proc/self");

  private ProcessFigures() {}

  /** Returns the major page faults of all threads: the tenth field after the name, see proc(5). */
  public static long majorFaults() {
    return number(SELF.resolve("stat"), ".*\\)(?: \\S+){9}");
  }

  /** Returns a counter of {@code /proc/self/io}: {@code read_bytes} has page faults, too. */
  public static long io(String name) {
    return number(SELF.resolve("io"), name);
  }

  /** Returns a size in bytes of {@code /proc/self/status}, like {@code VmRSS}. */
  public static long status(String name) {
    long kibibytes = number(SELF.resolve("status"), name);
    return kibibytes < 0 ? -1 : kibibytes << 10;
  }

  /** Returns the first number in the line that begins with a name, a regular expression. */
  public static long number(Path file, String name) {
    Pattern line = Pattern.compile("^" + name + "[:\\s]*(\\d{1,18})\\b", Pattern.MULTILINE);
    Matcher matcher = line.matcher(text(file));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  /** Returns all of a file; nothing if it cannot be read. */
  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
