/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.util.Map;

/**
 * The errno values this library knows by name, as Linux numbers them on x86-64 and aarch64 (a test
 * compares them with the C headers), with the texts of {@code strerror(3)}.
 */
public final class Errno {

  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** Interrupted system call. */
  public static final int EINTR = 4;

  /** Input/output error. */
  public static final int EIO = 5;

  /** Bad file descriptor. */
  public static final int EBADF = 9;

  /** Resource temporarily unavailable. */
  public static final int EAGAIN = 11;

  /** Cannot allocate memory. */
  public static final int ENOMEM = 12;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** File exists. */
  public static final int EEXIST = 17;

  /** No such device. */
  public static final int ENODEV = 19;

  /** Not a directory. */
  public static final int ENOTDIR = 20;

  /** Is a directory. */
  public static final int EISDIR = 21;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** Too many open files in system. */
  public static final int ENFILE = 23;

  /** Too many open files. */
  public static final int EMFILE = 24;

  /** File too large. */
  public static final int EFBIG = 27;

  /** No space left on device. */
  public static final int ENOSPC = 28;

  /** Read-only file system. */
  public static final int EROFS = 30;

  /** File name too long. */
  public static final int ENAMETOOLONG = 36;

  /** Function not implemented. */
  public static final int ENOSYS = 38;

  /** Too many levels of symbolic links. */
  public static final int ELOOP = 40;

  /** Invalid exchange. */
  public static final int EBADE = 52;

  /** No data available. */
  public static final int ENODATA = 61;

  /** Link has been severed. */
  public static final int ENOLINK = 67;

  /** Bad message. */
  public static final int EBADMSG = 74;

  /** Invalid or incomplete multibyte or wide character. */
  public static final int EILSEQ = 84;

  /** Operation not supported. */
  public static final int EOPNOTSUPP = 95;

  /** Connection timed out. */
  public static final int ETIMEDOUT = 110;

  /** Stale file handle. */
  public static final int ESTALE = 116;

  /** Structure needs cleaning. */
  public static final int EUCLEAN = 117;

  /** Remote I/O error. */
  public static final int EREMOTEIO = 121;

  /** Disk quota exceeded. */
  public static final int EDQUOT = 122;

  private record Entry(String name, String text) {}

  private static final Map<Integer, Entry> KNOWN =
      Map.ofEntries(
          Map.entry(EPERM, new Entry("EPERM", "Operation not permitted")),
          Map.entry(ENOENT, new Entry("ENOENT", "No such file or directory")),
          Map.entry(EINTR, new Entry("EINTR", "Interrupted system call")),
          Map.entry(EIO, new Entry("EIO", "Input/output error")),
          Map.entry(EBADF, new Entry("EBADF", "Bad file descriptor")),
          Map.entry(EAGAIN, new Entry("EAGAIN", "Resource temporarily unavailable")),
          Map.entry(ENOMEM, new Entry("ENOMEM", "Cannot allocate memory")),
          Map.entry(EACCES, new Entry("EACCES", "Permission denied")),
          Map.entry(EEXIST, new Entry("EEXIST", "File exists")),
          Map.entry(ENODEV, new Entry("ENODEV", "No such device")),
          Map.entry(ENOTDIR, new Entry("ENOTDIR", "Not a directory")),
          Map.entry(EISDIR, new Entry("EISDIR", "Is a directory")),
          Map.entry(EINVAL, new Entry("EINVAL", "Invalid argument")),
          Map.entry(ENFILE, new Entry("ENFILE", "Too many open files in system")),
          Map.entry(EMFILE, new Entry("EMFILE", "Too many open files")),
          Map.entry(EFBIG, new Entry("EFBIG", "File too large")),
          Map.entry(ENOSPC, new Entry("ENOSPC", "No space left on device")),
          Map.entry(EROFS, new Entry("EROFS", "Read-only file system")),
          Map.entry(ENAMETOOLONG, new Entry("ENAMETOOLONG", "File name too long")),
          Map.entry(ENOSYS, new Entry("ENOSYS", "Function not implemented")),
          Map.entry(ELOOP, new Entry("ELOOP", "Too many levels of symbolic links")),
          Map.entry(EBADE, new Entry("EBADE", "Invalid exchange")),
          Map.entry(ENODATA, new Entry("ENODATA", "No data available")),
          Map.entry(ENOLINK, new Entry("ENOLINK", "Link has been severed")),
          Map.entry(EBADMSG, new Entry("EBADMSG", "Bad message")),
          Map.entry(
              EILSEQ, new Entry("EILSEQ", "Invalid or incomplete multibyte or wide character")),
          Map.entry(EOPNOTSUPP, new Entry("EOPNOTSUPP", "Operation not supported")),
          Map.entry(ETIMEDOUT, new Entry("ETIMEDOUT", "Connection timed out")),
          Map.entry(ESTALE, new Entry("ESTALE", "Stale file handle")),
          Map.entry(EUCLEAN, new Entry("EUCLEAN", "Structure needs cleaning")),
          Map.entry(EREMOTEIO, new Entry("EREMOTEIO", "Remote I/O error")),
          Map.entry(EDQUOT, new Entry("EDQUOT", "Disk quota exceeded")));

  private Errno() {}

  /** Returns all values by name, for the test that checks them against the C headers. */
  static Map<String, Integer> byName() {
    return KNOWN.entrySet().stream()
        .collect(java.util.stream.Collectors.toMap(e -> e.getValue().name(), Map.Entry::getKey));
  }

  /** Describes an errno, for example as {@code "ENOSPC (28): No space left on device"}. */
  public static String describe(int errno) {
    Entry known = KNOWN.get(errno);
    return known == null ? "errno " + errno : known.name() + " (" + errno + "): " + known.text();
  }

  /**
   * Returns the errno whose text {@code message} contains, as the messages of the JDK's exceptions
   * do, or 0 if it contains none. This is for backends over {@code java.nio}, which do not see the
   * number.
   */
  static int fromMessage(String message) {
    // The longest text wins: "Too many open files in system" contains "Too many open files".
    int best = 0;
    int bestLength = 0;
    for (Map.Entry<Integer, Entry> e : KNOWN.entrySet()) {
      String text = e.getValue().text();
      if (text.length() > bestLength && message.contains(text)) {
        best = e.getKey();
        bestLength = text.length();
      }
    }
    return best;
  }
}
