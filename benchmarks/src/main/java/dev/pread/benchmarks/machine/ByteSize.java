/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.machine;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts sizes as people write them: {@code 4096}, {@code 64k}, {@code 512m}, {@code 1g}. */
public final class ByteSize implements ITypeConverter<Long> {
  public static final long MEBI = 1L << 20;

  private static final Pattern SYNTAX = Pattern.compile("(\\d{1,15})([kmgt]?)(i?b)?");

  @Override
  public Long convert(String text) {
    Matcher matcher = SYNTAX.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a size: write bytes, or a number with k, m, g or t, like 512m");
    }
    int unit = matcher.group(2).isEmpty() ? 0 : 1 + "kmgt".indexOf(matcher.group(2));
    return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * unit));
  }

  /** Formats a size for messages: in the largest unit that leaves at least one. */
  public static String format(long bytes) {
    String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    boolean whole = value == Math.rint(value) || value >= 100;
    return String.format(Locale.ROOT, whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }
}
