/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.trace;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size of a cache as the command line has it: a part of the index, or bytes.
 *
 * @param label as it was written
 * @param percent of the index, if {@code bytes} is 0
 * @param bytes or 0
 */
public record CacheSize(String label, double percent, long bytes) {
  private static final Pattern SYNTAX =
      Pattern.compile("(?:(\\d{1,3}(?:\\.\\d+)?)%|(\\d{1,12})([kmg]?))");

  /**
   * Reads {@code 5%}, {@code 0.5%}, {@code 65536}, {@code 512k}, {@code 64m} or {@code 2g}.
   *
   * @return null if it is neither, or nothing at all
   */
  public static CacheSize parse(String text) {
    String label = text.strip().toLowerCase(Locale.ROOT);
    Matcher matcher = SYNTAX.matcher(label);
    if (!matcher.matches()) {
      return null;
    }
    if (matcher.group(1) != null) {
      double percent = Double.parseDouble(matcher.group(1));
      return percent > 0 ? new CacheSize(label, percent, 0) : null;
    }
    int shift =
        switch (matcher.group(3)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    long bytes = Long.parseLong(matcher.group(2)) << shift;
    return bytes > 0 ? new CacheSize(label, 0, bytes) : null;
  }

  /** How many blocks it has, at least one. */
  int blocks(long indexBytes, int blockSize) {
    double size = bytes > 0 ? bytes : indexBytes * percent / 100;
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE >> 4, size / blockSize));
  }
}
