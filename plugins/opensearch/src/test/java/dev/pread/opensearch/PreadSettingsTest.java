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
  @CsvSource(textBlock = Messages.REFUSED)
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
