/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.posix.BackendRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Names of files under the locales people have, each in a JVM of its own: the JVM takes the charset
 * of file names from the locale alone.
 */
class LocaleTest {

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "zh_CN, GBK, GBK, '7d22,5f15'",
    "ja_JP, EUC-JP, EUC-JP-LINUX, '7d22,5f15'",
    "ru_RU, KOI8-R, KOI8-R, '438,43d,434,435,43a,441'",
    "fr_FR, ISO-8859-15, ISO-8859-15, '153,75,76,72,65,20ac'",
    "en_US, ISO-8859-1, ISO-8859-1, 'e9'",
    "en_US, UTF-8, UTF-8, '7d22,1f600'"
  })
  void namesInTheCharsetOfTheLocale(String language, String map, String charset, String name)
      throws Exception {
    Path locales = Files.createDirectory(folder.resolve("locales"));
    String locale = language + "." + map;
    compile(locales, language, map, locale);
    check(charset, run(Map.of("LOCPATH", locales.toString(), "LC_ALL", locale), name));
  }

  @Test
  void namesInTheLocaleThatIsAlwaysThere() throws Exception {
    check("ANSI_X3.4-1968", run(Map.of("LC_ALL", "C"), "78"));
  }

  /** Makes a locale of its own, which takes no rights. */
  private static void compile(Path locales, String language, String map, String locale)
      throws Exception {
    Process process;
    try {
      process =
          new ProcessBuilder(
                  "localedef",
                  "--no-archive",
                  "-c",
                  "-i",
                  language,
                  "-f",
                  map,
                  locales.resolve(locale).toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("no localedef: install locales to test file names in " + map);
      return;
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Assumptions.assumeTrue(
        Files.exists(locales.resolve(locale).resolve("LC_CTYPE")),
        "localedef can't make " + locale + " (install locales): " + output);
  }

  private List<String> run(Map<String, String> environment, String name) throws Exception {
    String output =
        BackendJvm.run(
            environment,
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-D" + BackendRegistry.PROPERTY + "=" + Fixtures.backend().calls().name()),
            LocaleJvm.class,
            Files.createDirectory(folder.resolve("files")).toRealPath().toString(),
            name);
    List<String> lines = output.lines().filter(line -> line.matches("[a-z ]+[:=].*")).toList();
    assertEquals(6, lines.size(), output);
    return lines;
  }

  private static void check(String charset, List<String> lines) {
    assertEquals("charset=" + charset, lines.get(0));
    assertEquals("pages: read 1, there 1", lines.get(1));
    assertEquals("direct: read 1, there 1", lines.get(2));
    boolean allDecodable = charset.startsWith("KOI8") || charset.startsWith("ISO-8859");
    if (Fixtures.backend().calls().name().equals("channel") && !allDecodable) {
      // The JDK's RandomAccessFile has no way to such a file.
      assertTrue(lines.get(3).contains(charset), lines.get(3));
      assertTrue(lines.get(3).contains("ffm"), lines.get(3));
      assertEquals("created: false", lines.get(4));
    } else {
      assertEquals("undecodable: read 1", lines.get(3));
      assertEquals("created: true", lines.get(4));
    }
    assertEquals("decoy touched: false", lines.get(5));
  }
}
