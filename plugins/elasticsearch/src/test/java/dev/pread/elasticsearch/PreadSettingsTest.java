/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pread.BlockCache;
import dev.pread.plugin.NodeSettings;
import java.util.List;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreadSettingsTest {

  static {
    // The server's exceptions can't be made without.
    LogConfigurator.configureESLogging();
  }

  @Test
  void defaults() {
    NodeSettings settings = PreadSettings.of(Settings.EMPTY);
    assertEquals(BlockCache.DEFAULT_BLOCK_SIZE, settings.blockSize());
    assertEquals(BlockCache.DEFAULT_QUEUE_DEPTH, settings.queueDepth());
    assertEquals("auto", settings.backend());
    assertFalse(settings.warmRestart());
    assertEquals(NodeSettings.AUTO, settings.cacheSize());
  }

  @ParameterizedTest
  @ValueSource(strings = {"100%", "1000tb", "5 apples"})
  void refusesSizesThatCanNotBe(String text) {
    Settings settings = Settings.builder().put("pread.cache.size", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(refused.getMessage().contains("[" + text + "]"), refused::getMessage);
    assertTrue(refused.getMessage().contains("auto"), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2kb", "5kb", "128kb", "0", "x", ""})
  void refusesBlockSizesNamingTheRange(String text) {
    Settings settings = Settings.builder().put("pread.block.size", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(refused.getMessage().contains("4kb to 64kb"), refused::getMessage);
    assertTrue(refused.getMessage().contains("pread.block.size"), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1025", "deep", ""})
  void refusesDepthsNamingTheRange(String text) {
    Settings settings = Settings.builder().put("pread.queue.depth", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    assertTrue(refused.getMessage().contains("from 1 to 1024 reads"), refused::getMessage);
    assertTrue(refused.getMessage().contains("pread.queue.depth"), refused::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "", "ffi"})
  void refusesBackendsNamingWhatThereIs(String text) {
    Settings settings = Settings.builder().put("pread.backend", text).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    for (String backend : List.of("auto", "ffm", "jni", "channel")) {
      assertTrue(refused.getMessage().contains(backend), refused::getMessage);
    }
    assertTrue(refused.getMessage().contains("pread.backend"), refused::getMessage);
  }

  @Test
  void takesWhatCanBeUsed() {
    Settings settings =
        Settings.builder()
            .put("pread.cache.size", "1mb")
            .put("pread.block.size", "64kb")
            .put("pread.queue.depth", 1024)
            .put("pread.backend", "JNI")
            .put("pread.cache.warm_restart", true)
            .build();
    assertEquals(
        new NodeSettings(1 << 20, 64 << 10, 1024, "jni", true), PreadSettings.of(settings));
  }
}
