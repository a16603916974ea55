/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsModule;
import org.opensearch.core.common.unit.ByteSizeValue;

class PreadSettingsTest {

  private static final long GIB = 1L << 30;

  /** Of which the heap leaves 10 GiB. */
  private static final CacheSize OF_12_GIB = new CacheSize(12 * GIB, 2 * GIB);

  private static final CacheSize UNKNOWN = new CacheSize(0, 2 * GIB);

  @ParameterizedTest
  @CsvSource({
    "4gb, 4294967296",
    "512mb, 536870912",
    "65536b, 65536",
    "50%, 5368709120",
    "12.5%, 1342177280",
    "96.875%, 10401873920",
    "9920mb, 10401873920",
    "0, 0",
    "0%, 0"
  })
  void takesBytesAndShares(String text, long bytes) {
    assertEquals(bytes, OF_12_GIB.parse("pread.cache.size", text));
  }

  @ParameterizedTest
  @CsvSource({
    "11gb",
    "10gb",
    "9921mb",
    "100%",
    "98%",
    "101%",
    "-1%",
    "-5",
    "1kb",
    "many",
    "NaN%",
    "5 apples",
    "%",
    "0.0001%"
  })
  void refusesOtherCachesNamingTheRange(String text) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> OF_12_GIB.parse("pread.cache.size", text));
    assertTrue(
        e.getMessage().contains("[" + text + "] for setting [pread.cache.size]"), e::toString);
    assertTrue(e.getMessage().contains("65536 bytes (64kb) to 10401873920 bytes"), e::toString);
    assertTrue(e.getMessage().contains("0% to 96% of the 10gb"), e::toString);
    assertTrue(e.getMessage().contains("needs 320mb, and 512mb or more are advised"), e::toString);
  }

  @ParameterizedTest
  @CsvSource({"50%", "100%", "0%", "1kb", "many"})
  void offersBytesAloneWhereTheMemoryIsNotKnown(String text) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> UNKNOWN.parse("pread.cache.size", text));
    assertTrue(
        e.getMessage().contains("[" + text + "] for setting [pread.cache.size]"), e::toString);
    assertTrue(e.getMessage().contains("at least 65536 bytes (64kb), such as 4gb"), e::toString);
    assertFalse(e.getMessage().contains(String.valueOf(Long.MAX_VALUE)), e::toString);
    assertEquals(4 * GIB, UNKNOWN.parse("pread.cache.size", "4gb"));
  }

  /** And not none, silently, where the heap is as large as the memory. */
  @Test
  void aPercentageIsOfWhatTheMessageNames() {
    CacheSize full = new CacheSize(GIB, GIB);
    assertEquals(4L << 20, full.parse("pread.cache.size", "50%"));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> full.parse("pread.cache.size", "100%"));
    assertTrue(e.getMessage().contains("0% to 99% of the 8mb"), e::toString);
  }

  @Test
  void hasADefaultForSmallMemoriesAndLarge() {
    assertEquals(GIB, new CacheSize(100 * GIB, 0).defaultBytes());
    assertEquals(256L << 20, new CacheSize(3 * GIB, GIB).defaultBytes());
    assertEquals(8L << 20, new CacheSize(GIB, GIB).defaultBytes());
    assertEquals(64L << 20, UNKNOWN.defaultBytes());
    assertTrue(PreadSettings.CACHE_SIZE.get(Settings.EMPTY).getBytes() >= 8L << 20);
    assertEquals(new ByteSizeValue(16 << 10), PreadSettings.BLOCK_SIZE.get(Settings.EMPTY));
  }

  /** A node that is told nothing starts, however small its container is. */
  @Test
  void neverRefusesTheDefault() {
    for (long limit = 64L << 20; limit <= 4 * GIB; limit += 4L << 20) {
      CacheSize size = new CacheSize(limit, 512L << 20);
      assertEquals(size.defaultBytes(), size.parse("pread.cache.size", size.defaultBytes() + "b"));
    }
  }

  @Test
  void tellsWhatIsLeftToTheJvm() {
    assertEquals(
        "of a memory limit of [12gb] the heap [2gb] and the cache leave [1gb] to the JVM itself and"
            + " the page cache; [512mb] or more are advised",
        OF_12_GIB.shares(9 * GIB));
    assertEquals("the memory limit is not known", UNKNOWN.shares(GIB));
  }

  /** The figure in the page is that of the messages. */
  @Test
  void thePageAdvisesWhatTheMessagesDo() throws IOException {
    String page = Files.readString(Path.of("../../docs/opensearch.md"));
    assertTrue(page.contains("leave " + (CacheSize.ADVISED >> 20) + " MiB or more"), page);
    assertTrue(page.contains("less than " + (CacheSize.NEEDED >> 20) + " MiB"), page);
  }

  @ParameterizedTest
  @CsvSource({
    "pread.block.size, 3kb, a power of two from 4kb to 64kb",
    "pread.block.size, 2kb, a power of two from 4kb to 64kb",
    "pread.block.size, 128kb, a power of two from 4kb to 64kb",
    "pread.block.size, 0, a power of two from 4kb to 64kb",
    "pread.block.size, large, a power of two from 4kb to 64kb",
    "pread.backend, mmap, 'use auto or one of [ffm, jni, channel]'",
    "pread.cache.size, 1000tb, 'or a percentage from 0% to '",
    "pread.cache.size, 100%, 'or a percentage from 0% to '",
  })
  void refusesAtStartAsTheServerDoes(String setting, String value, String allowed) {
    Settings settings = Settings.builder().put(setting, value).build();
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new SettingsModule(settings, PreadSettings.all(), List.of(), Set.of()));
    assertTrue(e.getMessage().contains("[" + setting + "]"), e::toString);
    assertTrue(e.getMessage().contains(allowed), e::toString);
  }

  @Test
  void takesWhatCanBeUsed() {
    Settings settings =
        Settings.builder()
            .put("pread.block.size", "4kb")
            .put("pread.backend", "Channel")
            .put("pread.cache.size", "1mb")
            .build();
    try (NodeDirectories node = new NodeDirectories(settings)) {
      assertEquals("channel", node.backend());
      assertEquals(4096, node.blockSize());
      assertEquals(1 << 20, node.cacheSize());
    }
  }

  @Test
  void aNodeDoesNotStartWithWhatCanNot(@TempDir Path home) {
    Settings settings = Settings.builder().put("pread.cache.size", "200%").build();
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> EmbeddedNode.start(home, settings).close());
    assertTrue(e.getMessage().contains("[200%] for setting [pread.cache.size]"), e::toString);
  }
}
