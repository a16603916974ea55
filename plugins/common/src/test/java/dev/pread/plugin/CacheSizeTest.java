/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.BlockCache;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheSizeTest {

  private static final long GIB = 1L << 30;

  /** A size of 12 GiB, of which the heap leaves 10 GiB. */
  private static final CacheSize OF_12_GIB = of(12 * GIB, 2 * GIB);

  private static final CacheSize UNKNOWN = of(0, 2 * GIB);

  private static CacheSize of(long limit, long heap) {
    return new CacheSize(limit, heap, MebiBytes.SIZES);
  }

  @ParameterizedTest
  @CsvSource({
    "4096mb, 4294967296",
    "4kb, 4096",
    "50%, 5368709120",
    "' 50% ', 5368709120",
    "12.5%, 1342177280",
    "96.25%, 10334765056",
    "9856mb, 10334765056",
    "0, 0",
    "0%, 0"
  })
  void takesBytesAndShares(String text, long bytes) {
    assertEquals(bytes, OF_12_GIB.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", " Auto "})
  void leavesTheSizeToTheCache(String text) {
    assertEquals(NodeSettings.AUTO, OF_12_GIB.parse(text));
    assertEquals(NodeSettings.AUTO, UNKNOWN.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "auto%",
        "-1mb",
        "9857mb",
        "11264mb",
        "100%",
        "98%",
        "101%",
        "-1%",
        "many",
        "x%",
        "NaN%",
        "5 apples",
        "%"
      })
  void refusesOthersNamingTheRange(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> OF_12_GIB.parse(text)).getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.CACHE_SIZE.name(), "auto", 0);
    Messages.assertNames(message, "block", 10334765056L, "9856mb", "0%", "96%");
    Messages.assertNames(message, "10240mb", "-Xmx", "384mb", "512mb");
  }

  @ParameterizedTest
  @ValueSource(strings = {"50%", "100%", "0%", "-1kb", "many"})
  void offersBytesAloneWhereTheMemoryIsNotKnown(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> UNKNOWN.parse(text)).getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.CACHE_SIZE.name(), "block");
    assertFalse(message.contains(String.valueOf(Long.MAX_VALUE)), message);
    assertEquals(4 * GIB, UNKNOWN.parse("4096mb"));
  }

  @ParameterizedTest
  @CsvSource({
    "4096mb, 4294967296",
    "50%, 5368709120",
    "' 99% ', 10630044057",
    "1000000mb, 1048576000000",
    "none, 9223372036854775807",
    "' None', 9223372036854775807"
  })
  void takesBoundsOfAnySizeAndShares(String text, long bytes) {
    assertEquals(bytes, OF_12_GIB.parseMax(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "auto", "0", "0%", "-1mb", "100%", "-1%", "NaN%", "%", "5 apples"})
  void refusesOtherBoundsNamingWhatIsAllowed(String text) {
    for (CacheSize memory : List.of(OF_12_GIB, UNKNOWN)) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> memory.parseMax(text)).getMessage();
      Messages.assertNames(message, "[" + text + "]", "[" + NodeSettings.CACHE_MAX.name() + "]");
      Messages.assertNames(message, "none", "block", "4gb", "50%", NodeSettings.CACHE_SIZE.name());
    }
  }

  /** It is not none, silently, where the heap is as large as the memory. */
  @Test
  void aPercentageIsOfWhatTheMessageNames() {
    CacheSize full = of(GIB, GIB);
    assertEquals(4L << 20, full.parse("50%"));
    String message =
        assertThrows(IllegalArgumentException.class, () -> full.parse("100%")).getMessage();
    Messages.assertNames(message, "99%", "8mb");
  }

  /** Says how large a cache is by default. */
  static final class DefaultSize {

    private DefaultSize() {}

    public static void main(String[] args) {
      try (BlockCache cache = new BlockCache()) {
        System.out.println(cache.size());
      }
    }
  }

  @Test
  void whereTheHeapLeavesNothingAsMuchIsAllowedAsTheLibraryTakesThen() throws Exception {
    ObjectName system = ObjectName.getInstance(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME);
    Object memory =
        ManagementFactory.getPlatformMBeanServer().getAttribute(system, "TotalMemorySize");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseG1GC",
                "-Xms16m",
                "-Xmx" + memory,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                DefaultSize.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String size = new String(process.getInputStream().readAllBytes(), US_ASCII).trim();
    assertEquals(0, process.waitFor());
    CacheSize full =
        new CacheSize(GIB, GIB, new Sizes((text, key) -> Long.parseLong(text), String::valueOf));
    assertEquals(Long.parseLong(size), full.parse(size));
    String more = String.valueOf(Long.parseLong(size) + 1);
    assertThrows(IllegalArgumentException.class, () -> full.parse(more));
  }

  @Test
  void tellsWhatIsLeftToTheJvm() {
    Messages.assertNames(OF_12_GIB.shares(9 * GIB), "[12288mb]", "[2048mb]", "[1024mb]", "[512mb]");
    Messages.assertNames(OF_12_GIB.elasticShares(), "[12288mb]", "[2048mb]");
    for (String said : List.of(UNKNOWN.shares(GIB), UNKNOWN.elasticShares())) {
      assertFalse(said.contains("["), said);
    }
  }

  /** The figures in the page are those of the messages, and so is what to look for. */
  @Test
  void thePageAdvisesWhatTheMessagesDo() throws IOException {
    String page = Files.readString(Path.of("../../docs/tuning.md"));
    Messages.assertNames(
        page,
        "leave " + (CacheSize.ADVISED_BYTES >> 20) + " MiB or more",
        "less than " + (CacheSize.NEEDED_BYTES >> 20) + " MiB",
        NodeDirectories.CACHE_LINE);
  }
}
