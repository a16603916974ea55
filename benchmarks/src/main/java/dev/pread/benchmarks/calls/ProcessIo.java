/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.calls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code /proc/self/io} counts of this process, all of its threads together; see
 * proc_pid_io(5).
 *
 * @param writeCalls system calls that write: {@code syscw}
 * @param writtenBytes by them: {@code wchar}
 */
record ProcessIo(long writeCalls, long writtenBytes) {
  private static final Path FILE = Path.of("/proc/self/io");

  /** The figures so far; empty where the kernel does not tell. */
  static Optional<ProcessIo> read() {
    try {
      return parse(Files.readString(FILE));
    } catch (IOException unknown) {
      return Optional.empty();
    }
  }

  /** Takes them out of the file's text; empty if one is missing or is no number. */
  static Optional<ProcessIo> parse(String text) {
    long calls = value(text, "syscw: ");
    long bytes = value(text, "wchar: ");
    return calls < 0 || bytes < 0 ? Optional.empty() : Optional.of(new ProcessIo(calls, bytes));
  }

  private static long value(String text, String name) {
    return text.lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .filter(number -> number.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElse(-1);
  }

  ProcessIo minus(ProcessIo before) {
    return new ProcessIo(writeCalls - before.writeCalls, writtenBytes - before.writtenBytes);
  }
}
