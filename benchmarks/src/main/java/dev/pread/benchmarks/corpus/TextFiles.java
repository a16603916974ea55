/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Tells text from everything else, by content: names say little in a foreign corpus. */
final class TextFiles {
  /** Larger files are generated tables and dumps, and would each be held in memory: left out. */
  static final int MAX_BYTES = 16 << 20;

  /** As much as is looked at for a zero byte, which no text has and nearly every binary does. */
  private static final int PROBE_BYTES = 8 << 10;

  private TextFiles() {}

  /**
   * Reads a stream to its end, or to the limit whatever length its header claims.
   *
   * @return null if this is no text to index
   */
  static SourceText read(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length == 0 || bytes.length > MAX_BYTES || isBinary(bytes)) {
      return null;
    }
    return new SourceText(name, new String(bytes, StandardCharsets.UTF_8));
  }

  private static boolean isBinary(byte[] bytes) {
    int end = Math.min(bytes.length, PROBE_BYTES);
    for (int i = 0; i < end; i++) {
      if (bytes[i] == 0) {
        return true;
      }
    }
    return false;
  }
}
