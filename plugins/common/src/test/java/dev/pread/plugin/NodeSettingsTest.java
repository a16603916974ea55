/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSettingsTest {

  @Test
  void takesBlockSizesAndBackends() {
    assertEquals(4 << 10, NodeSettings.parseBlockSize("4kb", MebiBytes.SIZES));
    assertEquals(64 << 10, NodeSettings.parseBlockSize("64kb", MebiBytes.SIZES));
    assertEquals("jni", NodeSettings.parseBackend(" JNI "));
    assertEquals("auto", NodeSettings.parseBackend("auto"));
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
    assertEquals(
        "failed to parse value ["
            + text
            + "] for setting [pread.queue.depth]: use 0 for threads instead of queues, or from 1 to"
            + " 1024 reads at the same time, such as 128",
        message);
  }

  @Test
  void warmRestartsAreWantedOrNot() {
    assertTrue(NodeSettings.parseWarmRestart(" true "));
    assertFalse(NodeSettings.parseWarmRestart("false"));
    String message =
        assertThrows(IllegalArgumentException.class, () -> NodeSettings.parseWarmRestart("perhaps"))
            .getMessage();
    assertEquals(
        "failed to parse value [perhaps] for setting [pread.cache.warm_restart]: use true or false",
        message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2kb", "5kb", "128kb", "0", "large", ""})
  void refusesBlockSizesNamingTheRange(String text) {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> NodeSettings.parseBlockSize(text, MebiBytes.SIZES))
            .getMessage();
    assertEquals(
        "failed to parse value ["
            + text
            + "] for setting [pread.block.size]: use a power of two from 4kb to 64kb, such as 16kb",
        message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "", "ffi"})
  void refusesBackendsNamingWhatThereIs(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> NodeSettings.parseBackend(text))
            .getMessage();
    Messages.assertNames(message, "[" + text + "]", NodeSettings.BACKEND);
    Messages.assertNames(message, "auto", "ffm", "jni", "channel");
  }
}
