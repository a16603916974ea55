/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import dev.pread.benchmarks.result.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A run as one HTML page. */
public final class HtmlReport {
  private HtmlReport() {}

  /** Writes the page. */
  public static void write(Run run, Path file) throws IOException {
    Files.write(
        file,
        ("<!doctype html><title>" + run.about().command() + "</title>")
            .getBytes(StandardCharsets.UTF_8));
  }
}
