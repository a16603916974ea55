/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  private static final long MEMORY = 10L << 30;

  @ParameterizedTest
  @CsvSource({
    "4gb, 4294967296",
    "512mb, 536870912",
    "65536b, 65536",
    "50%, 5368709120",
    "12.5%, 1342177280",
    "100%, 10737418240",
    "0, 0",
    "0%, 0"
  })
  void takesBytesAndShares(String text, long bytes) {
    assertEquals(bytes, PreadSettings.parseCacheSize(text, MEMORY).getBytes());
  }

  @ParameterizedTest
  @CsvSource({"11gb", "101%", "-1%", "-5", "1kb", "many", "NaN%", "5 apples", "%", "0.0001%"})
  void refusesOtherCachesNamingTheRange(String text) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> PreadSettings.parseCacheSize(text, MEMORY));
    assertTrue(
        e.getMessage().contains("[" + text + "] for setting [pread.cache.size]"), e::toString);
    assertTrue(e.getMessage().contains("65536 bytes (64kb) to 10737418240 bytes"), e::toString);
    assertTrue(e.getMessage().contains("0% to 100%"), e::toString);
  }

  @ParameterizedTest
  @CsvSource({"50%", "0%", "1kb", "many"})
  void offersBytesAloneWhereTheMemoryIsNotKnown(String text) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> PreadSettings.parseCacheSize(text, Long.MAX_VALUE));
    assertTrue(
        e.getMessage().contains("[" + text + "] for setting [pread.cache.size]"), e::toString);
    assertTrue(e.getMessage().contains("at least 65536 bytes (64kb), such as 4gb"), e::toString);
    assertFalse(e.getMessage().contains(String.valueOf(Long.MAX_VALUE)), e::toString);
    assertFalse(e.getMessage().contains("100%"), e::toString);
    assertEquals(4L << 30, PreadSettings.parseCacheSize("4gb", Long.MAX_VALUE).getBytes());
  }

  /** And not none, silently, where the heap is as large as the memory. */
  @Test
  void aPercentageIsOfWhatTheMessageNames() {
    assertEquals(4L << 20, PreadSettings.parseCacheSize("50%", 0).getBytes());
  }

  @Test
  void hasADefaultForSmallMemoriesAndLarge() {
    assertEquals(1L << 30, PreadSettings.defaultCacheSize(100L << 30));
    assertEquals(256L << 20, PreadSettings.defaultCacheSize(2L << 30));
    assertEquals(8L << 20, PreadSettings.defaultCacheSize(0));
    // The default is never refused.
    assertEquals(8L << 20, PreadSettings.parseCacheSize("8mb", 0).getBytes());
    assertTrue(PreadSettings.CACHE_SIZE.get(Settings.EMPTY).getBytes() >= 8L << 20);
    assertEquals(new ByteSizeValue(16 << 10), PreadSettings.BLOCK_SIZE.get(Settings.EMPTY));
  }

  @ParameterizedTest
  @CsvSource({
    "pread.block.size, 3kb, a power of two from 4kb to 64kb",
    "pread.block.size, 2kb, a power of two from 4kb to 64kb",
    "pread.block.size, 128kb, a power of two from 4kb to 64kb",
    "pread.block.size, 0, a power of two from 4kb to 64kb",
    "pread.block.size, large, a power of two from 4kb to 64kb",
    "pread.backend, mmap, 'use auto or one of [ffm, jni, channel]'",
    "pread.cache.size, 1000tb, 'or a percentage of that from 0% to 100%'",
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
