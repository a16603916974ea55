/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.plugin.NodeSettings;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsModule;

class PreadSettingsTest {

  @Test
  void hasDefaults() {
    NodeSettings settings = PreadSettings.of(Settings.EMPTY);
    assertEquals(NodeSettings.AUTO, settings.cacheSize());
    assertEquals(BlockCache.DEFAULT_BLOCK_SIZE, settings.blockSize());
    assertEquals(BlockCache.DEFAULT_QUEUE_DEPTH, settings.queueDepth());
    assertEquals("auto", settings.backend());
    assertFalse(settings.warmRestart());
  }

  @ParameterizedTest
  @CsvSource({
    "pread.block.size, 3kb, a power of two from 4kb to 64kb",
    "pread.block.size, 2kb, a power of two from 4kb to 64kb",
    "pread.block.size, 128kb, a power of two from 4kb to 64kb",
    "pread.block.size, 0, a power of two from 4kb to 64kb",
    "pread.block.size, large, a power of two from 4kb to 64kb",
    "pread.queue.depth, -1, 'or from 1 to 1024 reads at the same time'",
    "pread.queue.depth, 1025, 'or from 1 to 1024 reads at the same time'",
    "pread.queue.depth, deep, 'use 0 for threads instead of queues'",
    "pread.cache.size, 5 apples, 'a size from 65536 bytes (64kb) to '",
    "pread.backend, mmap, 'use auto or one of [ffm, jni, channel]'",
    "pread.cache.size, 1000tb, 'or a percentage from 0% to '",
    "pread.cache.size, 100%, 'or a percentage from 0% to '",
    "pread.cache.warm_restart, perhaps, 'use true or false'",
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
            .put("pread.queue.depth", 0)
            .put("pread.backend", "Channel")
            .put("pread.cache.size", "1mb")
            .put("pread.cache.warm_restart", true)
            .build();
    assertEquals(
        new NodeSettings(1 << 20, 4 << 10, 0, "channel", true), PreadSettings.of(settings));
  }
}
