/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What all pages have around their content. */
final class Page {
  private static final String STYLES = "page.css";

  private Page() {}

  /** A whole page. */
  static String of(String title, String body) throws IOException {
    Html html = new Html();
    html.open("html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml").open("head");
    html.empty("meta", "charset", "utf-8");
    html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    // Nothing is to be loaded, whatever a name in the figures looks like.
    html.empty(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'");
    html.element("title", title).open("style").markup(styles()).close().close();
    html.open("body").open("main").markup(body).close().close().closeLine();
    return "<!DOCTYPE html>\n" + html;
  }

  private static String styles() throws IOException {
    try (InputStream in = Page.class.getResourceAsStream(STYLES)) {
      if (in == null) {
        throw new IOException("the jar has no " + STYLES);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static void write(Path file, String page) throws IOException {
    Files.writeString(file, page, StandardCharsets.UTF_8);
  }
}
