/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.CacheSize;
import dev.pread.plugin.NodeSettings;
import dev.pread.plugin.Sizes;
import java.util.List;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Setting.Property;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.monitor.os.OsProbe;

/**
 * The settings of a node, in {@code opensearch.yml}. Each is checked when the node starts: a value
 * that can't be used ends the start with an {@link IllegalArgumentException} that names the setting
 * and what is allowed.
 */
final class PreadSettings {

  private static final Sizes SIZES =
      new Sizes(
          (text, key) -> ByteSizeValue.parseBytesSizeValue(text, key).getBytes(),
          bytes -> new ByteSizeValue(bytes).toString());

  private PreadSettings() {}

  static List<Setting<?>> all() {
    return NodeSettings.KEYS.stream().<Setting<?>>map(PreadSettings::setting).toList();
  }

  private static <T> Setting<T> setting(NodeSettings.Key<T> key) {
    return new Setting<>(
        key.name(),
        key.otherwise(),
        text -> key.parser().apply(text, memory()),
        Property.NodeScope);
  }

  /**
   * Returns those of a node.
   *
   * @throws IllegalArgumentException if one of them can't be used
   */
  static NodeSettings of(Settings settings) {
    return NodeSettings.of(settings::get, memory());
  }

  /** Returns what there is for the cache in this process. */
  static CacheSize memory() {
    // The probe knows of cgroups, v1 and v2, as the JVM does.
    return new CacheSize(
        OsProbe.getInstance().getTotalPhysicalMemorySize(),
        Runtime.getRuntime().maxMemory(),
        SIZES);
  }
}
