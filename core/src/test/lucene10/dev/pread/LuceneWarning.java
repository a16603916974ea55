/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.store.RightLucene;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.lucene.util.Version;

/** What the log of a {@link BackendJvm} says of a Lucene whose methods differ. */
public final class LuceneWarning {

  private static final Pattern SIGNATURE = Pattern.compile("\\w+\\([\\w,]*\\)");

  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

  private LuceneWarning() {}

  /**
   * Checks that a file went there and back, and that one warning names these methods and no others,
   * all versions that matter, and that nothing is wrong.
   */
  public static void assertSlow(String output, String backend, String methods) throws IOException {
    assertEquals(2, BackendJvm.count(output, BackendJvm.success(backend)), output);
    String warning = warning(output, methods);
    Fixtures.assertNames(warning, "right");
    assertFalse(warning.contains("AbstractMethodError"), warning);
  }

  /** Checks that one warning names these methods, and that to call them is an error. */
  static void assertBroken(String output, String methods) throws IOException {
    String warning = warning(output, methods);
    Fixtures.assertNames(warning, "AbstractMethodError");
    assertFalse(warning.contains("right"), warning);
  }

  private static String warning(String output, String methods) throws IOException {
    String warning = only(output);
    String named =
        SIGNATURE
            .matcher(warning)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.joining(", "));
    assertEquals(methods, named, warning);
    // After the last colon is what to do.
    Fixtures.assertNames(
        warning.substring(warning.lastIndexOf(':')), "tested", "lucene-pread-core");
    return warning;
  }

  private static List<String> versions(String text) {
    return VERSION.matcher(text).results().map(MatchResult::group).sorted().toList();
  }

  /**
   * Returns the only warning, after checking that it names our version, the Lucene it was built
   * for, those it was tested with, and the one that is here.
   */
  static String only(String output) throws IOException {
    // The JVM has warnings of its own.
    List<String> warnings =
        output.lines().filter(line -> line.startsWith("WARNING: lucene-pread-core ")).toList();
    assertEquals(1, warnings.size(), output);
    // Where it is missing, nothing has been said.
    Fixtures.assertNames(output, RightLucene.class.getSimpleName());
    Properties versions = new Properties();
    try (InputStream in = RightLucene.class.getResourceAsStream("lucene10")) {
      versions.load(in);
    }
    assertTrue(versions.getProperty("built").startsWith("10."), versions.toString());
    assertEquals(
        versions(versions.values() + " " + Version.LATEST), versions(warnings.get(0)), output);
    return warnings.get(0);
  }
}
