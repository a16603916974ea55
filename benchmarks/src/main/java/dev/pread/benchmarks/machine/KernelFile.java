/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what the kernel tells in its files. */
final class KernelFile {
  private KernelFile() {}

  /** All of a file; empty if it cannot be read. */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException absent) {
      return "";
    }
  }

  /**
   * The number in the line that begins with a name; -1 if there is none.
   *
   * @param name with nothing but blanks or a colon between it and the number; may be empty
   */
  static long number(Path file, String name) {
    Pattern line =
        Pattern.compile("^" + Pattern.quote(name) + "[:\\s]*(\\d{1,18})\\b", Pattern.MULTILINE);
    Matcher matcher = line.matcher(text(file));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }
}
