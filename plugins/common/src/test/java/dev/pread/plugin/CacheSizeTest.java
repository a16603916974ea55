/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    "64kb, 65536",
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
        "4",
        "63kb",
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
        "%",
        "0.0001%"
      })
  void refusesOthersNamingTheRange(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> OF_12_GIB.parse(text)).getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.CACHE_SIZE, "auto", 0);
    Messages.assertNames(message, 65536, "64kb", 10334765056L, "9856mb", "0%", "96%");
    Messages.assertNames(message, "10240mb", "-Xmx", "384mb", "512mb");
  }

  @ParameterizedTest
  @ValueSource(strings = {"50%", "100%", "0%", "1kb", "many"})
  void offersBytesAloneWhereTheMemoryIsNotKnown(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> UNKNOWN.parse(text)).getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.CACHE_SIZE, 65536);
    assertFalse(message.contains(String.valueOf(Long.MAX_VALUE)), message);
    assertEquals(4 * GIB, UNKNOWN.parse("4096mb"));
  }

  /** It is not none, silently, where the heap is as large as the memory. */
  @Test
  void aPercentageIsOfWhatTheMessageNames() {
    CacheSize full = of(GIB, GIB);
    assertEquals(4L << 20, full.parse("50%"));
    String message =
        assertThrows(IllegalArgumentException.class, () -> full.parse("100%")).getMessage();
    assertTrue(message.contains("99%") && message.contains("8mb"), message);
  }

  @Test
  void tellsWhatIsLeftToTheJvm() {
    assertEquals(
        "of a memory limit of [12288mb] the heap [2048mb] and the cache leave [1024mb] to the JVM"
            + " itself and the page cache; [512mb] or more are advised",
        OF_12_GIB.shares(9 * GIB));
    assertEquals(
        "of a memory limit of [12288mb] the heap has [2048mb] to itself, and the cache takes what"
            + " nobody else wants",
        OF_12_GIB.elasticShares());
    assertEquals("the memory limit is not known", UNKNOWN.shares(GIB));
    assertEquals("the memory limit is not known", UNKNOWN.elasticShares());
  }

  /** The figures in the pages are those of the messages, and so is what to look for. */
  @ParameterizedTest
  @ValueSource(strings = {"opensearch.md", "elasticsearch.md"})
  void thePagesAdviseWhatTheMessagesDo(String name) throws IOException {
    String page = Files.readString(Path.of("../../docs", name));
    Messages.assertNames(
        page,
        "leave " + (CacheSize.ADVISED_BYTES >> 20) + " MiB or more",
        "less than " + (CacheSize.NEEDED_BYTES >> 20) + " MiB",
        NodeDirectories.CACHE_LINE);
  }
}
