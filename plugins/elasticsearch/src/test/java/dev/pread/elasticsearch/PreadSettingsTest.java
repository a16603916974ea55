/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pread.plugin.Messages;
import dev.pread.plugin.NodeSettings;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreadSettingsTest {

  static {
    // The server's exceptions can't be made without.
    LogConfigurator.configureESLogging();
  }

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
  void refusesNamingWhatIsAllowed(String setting, String value, String allowed) {
    Settings settings = Settings.builder().put(setting, value).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> PreadSettings.of(settings));
    Messages.assertNames(refused.getMessage(), "[" + setting + "]", "[" + value + "]");
    Messages.assertNames(refused.getMessage(), (Object[]) allowed.split(" ", -1));
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
        new NodeSettings(1 << 20, Long.MAX_VALUE, 64 << 10, 1024, "jni", true),
        PreadSettings.of(settings));
  }
}
