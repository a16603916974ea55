/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.plugin.Messages;
import dev.pread.plugin.NodeSettings;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsModule;

class PreadSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "pread.cache.size, 100%, auto 384mb 512mb",
    "pread.cache.size, 1000tb, auto 384mb 512mb",
    "pread.cache.size, 5 apples, auto 384mb 512mb",
    "pread.cache.size, -1, auto 384mb 512mb",
    "pread.cache.max, 100%, none 50% pread.cache.size",
    "pread.cache.max, -1, none 50% pread.cache.size",
    "pread.cache.max, much, none 50% pread.cache.size",
    "pread.block.size, 2kb, 4096 65536",
    "pread.block.size, 3kb, 4096 65536",
    "pread.block.size, 128kb, 4096 65536",
    "pread.block.size, 0, 4096 65536",
    "pread.block.size, large, 4kb 64kb",
    "pread.block.size, '', 4kb 64kb",
    "pread.queue.depth, -1, 0 1 1024",
    "pread.queue.depth, 1025, 0 1 1024",
    "pread.queue.depth, deep, 0 1024",
    "pread.queue.depth, '', 0 1024",
    "pread.backend, mmap, auto ffm jni channel",
    "pread.backend, '', auto ffm jni channel",
    "pread.cache.warm_restart, perhaps, true false",
  })
  void refusesAtStartAsTheServerDoes(String setting, String value, String allowed) {
    Settings settings = Settings.builder().put(setting, value).build();
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new SettingsModule(settings, PreadSettings.all(), List.of(), Set.of()));
    Messages.assertNames(e.getMessage(), "[" + setting + "]", "[" + value + "]");
    Messages.assertNames(e.getMessage(), (Object[]) allowed.split(" ", -1));
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
        new NodeSettings(1 << 20, Long.MAX_VALUE, 4 << 10, 0, "channel", true),
        PreadSettings.of(settings));
  }
}
