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
  @CsvSource(textBlock = Messages.REFUSED)
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
