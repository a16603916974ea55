/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import java.util.function.LongFunction;
import java.util.function.ToLongBiFunction;

/**
 * How a server reads and writes sizes such as {@code 4gb}.
 *
 * @param parser returns the bytes of a text, which is the value of a setting with a key, and throws
 *     a {@code RuntimeException} where that is no size
 * @param printer returns what users are shown for that many bytes
 */
public record Sizes(ToLongBiFunction<String, String> parser, LongFunction<String> printer) {

  long parse(String text, String key) {
    return parser.applyAsLong(text, key);
  }

  String print(long bytes) {
    return printer.apply(bytes);
  }
}
