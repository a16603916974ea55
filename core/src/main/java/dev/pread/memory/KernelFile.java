/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.memory;

import dev.pread.posix.Errno;
import dev.pread.posix.NativeBuffer;
import dev.pread.posix.OpenMode;
import dev.pread.posix.SystemCalls;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * A small file of the kernel's ({@code /proc}, {@code /sys}) that is read again and again: it stays
 * open, and each read from its start is a new answer. It is read by system calls, since servers
 * restrict what plugins may open through {@code java.nio.file}.
 *
 * <p>It is not thread-safe.
 */
final class KernelFile implements AutoCloseable {

  /** The number of bytes that the kernel returns of such a file at once. */
  private static final int SIZE = 4 << 10;

  /** The length of the longest number of bytes, with the end of its line. */
  private static final int MAX_DIGITS = 20;

  private final SystemCalls calls;
  private final Path path;
  private final NativeBuffer buffer;
  private final byte[] bytes = new byte[SIZE];
  private int fd;

  /** What the last call has returned: a negative errno if it failed. */
  private long result;

  /** Opens a file, which need not exist. */
  KernelFile(SystemCalls calls, Path path) {
    this(calls, path, buffer(calls));
  }

  /**
   * Opens a file, which need not exist, to be read by way of a {@link #buffer} that it shares with
   * others: what is allocated for each of many files is only freed by the garbage collector.
   */
  KernelFile(SystemCalls calls, Path path, NativeBuffer buffer) {
    this.calls = calls;
    this.path = path;
    this.buffer = buffer;
    open();
  }

  /** Makes a buffer that such files can be read by, one at a time. */
  static NativeBuffer buffer(SystemCalls calls) {
    return calls.allocate(SIZE, 8);
  }

  private void open() {
    fd = calls.open(path, OpenMode.READ);
    result = fd;
  }

  /**
   * Opens the file anew if it could not be opened, or not be read the last time. It may be another
   * one by now, or there may have been no descriptor left for it.
   */
  void reopenIfFailed() {
    if (result < 0) {
      close();
      open();
    }
  }

  /**
   * Returns what the file says now, or an empty text if it can't be read. Each char is a byte:
   * names in it may be in any charset. It must not be a list, of which the kernel returns as much
   * at once as it likes.
   */
  String read() {
    // A call that returns less has returned all, and one more would make the kernel write it anew.
    return text(SIZE);
  }

  /** Returns the same of a file that is a list, of threads or mounts. */
  String readList() {
    return text(1);
  }

  /** Returns what the file says, up to a call that returns less than so many bytes. */
  private String text(int least) {
    StringBuilder text = new StringBuilder();
    int read;
    do {
      read = read(SIZE, text.length());
      buffer.get(0, bytes, 0, read);
      text.append(new String(bytes, 0, read, StandardCharsets.ISO_8859_1));
    } while (read >= least);
    return text.toString();
  }

  /** Returns how many bytes have been read, 0 at the end or if it fails. */
  private int read(int most, long position) {
    if (fd >= 0) {
      result = calls.pread(fd, buffer, 0, most, position);
    }
    return (int) Math.max(0, result);
  }

  /**
   * Returns why the file could not be opened, or not be read the last time; null if it could, or is
   * not there.
   */
  String failure() {
    return isUnreadable() ? path + " can't be read: " + Errno.describe((int) -result) : null;
  }

  /**
   * Returns whether the last call says that what the file is about is no more: its group, or the
   * group's controller. Another file of that name may be there.
   */
  boolean isGone() {
    return result == -Errno.ENODEV;
  }

  /** Returns whether there is a {@link #failure}. */
  boolean isUnreadable() {
    return result < 0 && result != -Errno.ENOENT && result != -Errno.ENOTDIR;
  }

  /**
   * Returns the number that is all the file says, or {@code otherwise} if it says another thing. It
   * makes no object, since this is done many times a second.
   */
  long number(long otherwise) {
    int length = read(MAX_DIGITS, 0);
    buffer.get(0, bytes, 0, length);
    long number = 0;
    for (int i = 0; i < length; i++) {
      byte next = bytes[i];
      if (next < '0' || next > '9') {
        return i > 0 && next == '\n' ? number : otherwise;
      }
      number = number * 10 + (next - '0');
    }
    return length > 0 && number >= 0 ? number : otherwise;
  }

  /**
   * Returns the number behind a name at the start of a line, or {@code otherwise} if there is none.
   */
  static long number(String text, String name, long otherwise) {
    int at = text.startsWith(name + " ") ? 0 : text.indexOf("\n" + name + " ") + 1;
    if (at == 0 && !text.startsWith(name + " ")) {
      return otherwise;
    }
    int end = text.indexOf('\n', at);
    String value = text.substring(at + name.length(), end < 0 ? text.length() : end).strip();
    if (!value.endsWith(" kB")) {
      return number(value, otherwise);
    }
    long kibibytes = number(value.substring(0, value.length() - 3).strip(), -1);
    return kibibytes < 0 ? otherwise : kibibytes << 10;
  }

  private static long number(String digits, long otherwise) {
    try {
      long number = Long.parseLong(digits);
      return number < 0 ? otherwise : number;
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  /**
   * Returns the path of a name that such a file says, whatever the charset of the locale is.
   *
   * @param name an absolute path, of which each char is a byte
   * @throws IllegalArgumentException if it is not absolute, or has a NUL
   */
  static Path path(String name) {
    // Of a URI the path has each byte as it is, and a text would be encoded.
    StringBuilder uri = new StringBuilder("file://");
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '/') {
        uri.append(c);
      } else {
        uri.append('%').append(HexFormat.of().toHexDigits((byte) c));
      }
    }
    return Path.of(URI.create(uri.toString()));
  }

  @Override
  public void close() {
    int open = fd;
    // It may be closed once more, when its number is another file's.
    fd = -Errno.EBADF;
    result = fd;
    if (open >= 0) {
      // What was only read can't be lost.
      int ignored = calls.close(open);
    }
  }
}
