/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.awt.AWTError;
import java.io.IOException;
import java.util.Optional;

/**
 * Draws plots as long as that works. Java's graphics need native libraries, and on a server without
 * fonts they fail in many ways: then the page goes without plots, and says so. Not thread-safe.
 */
final class Drawings {
  private static final int MAX_REASON = 200;

  private final Studio studio;
  private String failure;
  private String reason;
  private int leftOut;

  /** Makes a plot, from the first use of a graphics class to its markup. */
  interface Drawing {
    String svg() throws IOException;
  }

  /** Where plots are drawn. */
  interface Studio {
    String draw(Drawing drawing) throws IOException;
  }

  Drawings(Studio studio) {
    this.studio = studio;
  }

  /** A plot, or empty if it cannot be drawn. */
  Optional<String> draw(Drawing drawing) {
    try {
      return Optional.of(studio.draw(drawing));
    } catch (IOException e) {
      leftOut++;
      if (reason == null) {
        reason = shortened(e.getMessage());
      }
      return Optional.empty();
    } catch (RuntimeException | LinkageError | InternalError | AWTError e) {
      if (failure == null) {
        failure = shortened(String.valueOf(e));
      }
      return Optional.empty();
    }
  }

  /** What to tell the reader; empty if all plots are there. */
  Optional<String> note() {
    if (failure != null) {
      return Optional.of(
          "Plots are missing, since Java's graphics failed ("
              + failure
              + "). On a server without fonts, install fontconfig and a font (Debian: apt-get"
              + " install fontconfig fonts-dejavu-core libfreetype6), and make this page again from"
              + " the JSON file: report FILE.json --html PAGE.html");
    }
    return leftOut == 0
        ? Optional.empty()
        : Optional.of(leftOut + " plots are left out, which could not be drawn: " + reason);
  }

  private static String shortened(String text) {
    return text == null ? "" : text.substring(0, Math.min(text.length(), MAX_REASON));
  }
}
