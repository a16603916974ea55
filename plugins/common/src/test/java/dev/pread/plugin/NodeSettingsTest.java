/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSettingsTest {

  @Test
  void takesBlockSizesAndBackends() {
    assertEquals(4 << 10, NodeSettings.parseBlockSize("4kb", MebiBytes.SIZES));
    assertEquals(64 << 10, NodeSettings.parseBlockSize("64kb", MebiBytes.SIZES));
    assertEquals("jni", NodeSettings.parseBackend(" JNI "));
    assertEquals("auto", NodeSettings.parseBackend("auto"));
  }

  private static NodeSettings settings(Map<String, String> texts) {
    return NodeSettings.of(
        name -> texts.getOrDefault(name, name.equals("pread.block.size") ? "16kb" : null),
        new CacheSize(12L << 30, 2L << 30, MebiBytes.SIZES));
  }

  @Test
  void aBoundIsForACacheThatAdapts() {
    assertEquals(NodeSettings.NO_MAX, settings(Map.of()).cacheMax());
    Map<String, String> bound = Map.of("pread.cache.max", "4096mb");
    assertEquals(4L << 30, settings(bound).cacheMax());
    assertEquals(NodeSettings.AUTO, settings(bound).cacheSize());
    for (String size : List.of("2048mb", "0")) {
      Map<String, String> both = Map.of("pread.cache.max", "4096mb", "pread.cache.size", size);
      String message =
          assertThrows(IllegalArgumentException.class, () -> settings(both)).getMessage();
      Messages.assertNames(message, "[4096mb]", "[pread.cache.max]", "[pread.cache.size]");
    }
    Map<String, String> none = Map.of("pread.cache.max", "none", "pread.cache.size", "2048mb");
    assertEquals(2L << 30, settings(none).cacheSize());
  }

  @Test
  void takesDepthsOfQueues() {
    assertEquals(0, NodeSettings.parseQueueDepth("0"));
    assertEquals(1, NodeSettings.parseQueueDepth("1"));
    assertEquals(128, NodeSettings.parseQueueDepth(" 128 "));
    assertEquals(1024, NodeSettings.parseQueueDepth("1024"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1025", "4294967297", "128kb", "deep", ""})
  void refusesDepthsNamingTheRange(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> NodeSettings.parseQueueDepth(text))
            .getMessage();
    Messages.assertNames(
        message, "[" + text + "]", "[" + NodeSettings.QUEUE_DEPTH.name() + "]", 0, 1024);
  }

  @Test
  void warmRestartsAreWantedOrNot() {
    assertTrue(NodeSettings.parseWarmRestart(" true "));
    assertFalse(NodeSettings.parseWarmRestart("false"));
    String message =
        assertThrows(IllegalArgumentException.class, () -> NodeSettings.parseWarmRestart("perhaps"))
            .getMessage();
    Messages.assertNames(
        message, "[perhaps]", "[" + NodeSettings.WARM_RESTART.name() + "]", "true", "false");
  }

  @ParameterizedTest
  @CsvSource({
    "2kb, 4096, 65536",
    "5kb, 4096, 65536",
    "128kb, 4096, 65536",
    "4194308kb, 4096, 65536",
    "-4kb, 4096, 65536",
    "0, 4096, 65536",
    "large, 4kb, 64kb",
    "'', 4kb, 64kb"
  })
  void refusesBlockSizesNamingTheRange(String text, String smallest, String largest) {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> NodeSettings.parseBlockSize(text, MebiBytes.SIZES))
            .getMessage();
    Messages.assertNames(
        message, "[" + text + "]", "[" + NodeSettings.BLOCK_SIZE.name() + "]", smallest, largest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "", "ffi"})
  void refusesBackendsNamingWhatThereIs(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> NodeSettings.parseBackend(text))
            .getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.BACKEND.name());
    Messages.assertNames(message, "auto", "ffm", "jni", "channel");
  }
}
