/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.posix;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Path;

/**
 * Provides the bytes of a path as the kernel knows it, for backends that pass them to {@code
 * open(2)}.
 *
 * <p>A path of the default file system holds bytes. Its {@code toString} decodes them with the
 * charset of the process's locale and replaces those that mean nothing in it, so that encoding the
 * string again may give the name of another file. Its URI has each byte as it is: the JDK promises
 * that the path made from it is equal to the absolute path. So no charset is involved here, and
 * none can be too small or unknown to {@code java.lang.foreign}. A name that the locale's charset
 * can't encode never gets here: {@code Path.of} and {@code resolve} throw {@code
 * InvalidPathException}.
 */
public final class PathBytes {

  private PathBytes() {}

  /**
   * Returns the bytes of {@code path} as an absolute path, without a NUL.
   *
   * @throws IllegalArgumentException if it does not belong to the default file system
   */
  public static byte[] of(Path path) {
    URI uri = path.toUri();
    if (!"file".equals(uri.getScheme())) {
      throw new IllegalArgumentException("not a path of the default file system: " + uri);
    }
    String escaped = uri.getRawPath();
    // The URI of a folder ends with a slash, and open(2) would create no file by such a name.
    int end =
        escaped.length() > 1 && escaped.endsWith("/") ? escaped.length() - 1 : escaped.length();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(end);
    for (int i = 0; i < end; i++) {
      char c = escaped.charAt(i);
      if (c == '%') {
        bytes.write(Integer.parseInt(escaped, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toByteArray();
  }
}
