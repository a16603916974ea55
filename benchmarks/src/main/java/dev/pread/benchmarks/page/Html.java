/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes HTML that is well-formed XML too. All text and all values of attributes are escaped here,
 * so that names and settings, which may be anybody's, stay text. Not thread-safe.
 */
final class Html {
  private final StringBuilder out = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>();

  /** Begins an element; attributes as names and values in turn. */
  Html open(String tag, String... attributes) {
    begin(tag, attributes).append('>');
    open.push(tag);
    return this;
  }

  /** Ends the innermost element. */
  Html close() {
    out.append("</").append(open.pop()).append('>');
    return this;
  }

  /** Ends the innermost element, and the line. */
  Html closeLine() {
    close();
    out.append('\n');
    return this;
  }

  /** An element without content. */
  Html empty(String tag, String... attributes) {
    begin(tag, attributes).append("/>");
    return this;
  }

  /** An element with nothing but text. */
  Html element(String tag, String text, String... attributes) {
    return open(tag, attributes).text(text).close();
  }

  Html text(String text) {
    out.append(escape(text));
    return this;
  }

  /** Markup of our own making, as it is. */
  Html markup(String markup) {
    out.append(markup);
    return this;
  }

  private StringBuilder begin(String tag, String... attributes) {
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      out.append(escape(attributes[i + 1])).append('"');
    }
    return out;
  }

  /** Text for content or an attribute; characters that XML does not allow are replaced. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(allowed(c) ? c : 0xFFFD);
              }
            });
    return escaped.toString();
  }

  private static boolean allowed(int c) {
    boolean control = (c < ' ' && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
    boolean surrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    // Text that runs backwards can make a line say something else.
    boolean turning = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return !control && !surrogate && !turning && (c & 0xFFFE) != 0xFFFE;
  }

  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("not closed: " + open);
    }
    return out.toString();
  }
}
