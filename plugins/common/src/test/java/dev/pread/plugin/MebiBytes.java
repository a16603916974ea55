/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

/** Sizes as a server has them, with two units. */
final class MebiBytes {

  static final Sizes SIZES = new Sizes(MebiBytes::parse, MebiBytes::print);

  private MebiBytes() {}

  private static long parse(String text, String key) {
    if (text.equals("0")) {
      return 0;
    }
    int unit = text.length() - 2;
    int shift =
        switch (text.substring(unit)) {
          case "kb" -> 10;
          case "mb" -> 20;
          default -> throw new IllegalArgumentException("no unit in " + text + " of " + key);
        };
    return Long.parseLong(text.substring(0, unit)) << shift;
  }

  private static String print(long bytes) {
    return bytes % (1 << 20) == 0 ? (bytes >> 20) + "mb" : (bytes >> 10) + "kb";
  }
}
