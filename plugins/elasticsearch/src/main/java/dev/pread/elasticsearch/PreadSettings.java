/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.CacheSize;
import dev.pread.plugin.NodeSettings;
import dev.pread.plugin.Sizes;
import java.util.List;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.common.settings.Setting.Property;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.unit.ByteSizeValue;
import org.elasticsearch.monitor.jvm.JvmInfo;
import org.elasticsearch.monitor.os.OsProbe;

/**
 * The settings of a node, in {@code elasticsearch.yml}. A value that can't be used keeps the node
 * from starting; the message names the setting, the value, and what is allowed.
 */
final class PreadSettings {

  private static final Sizes SIZES =
      new Sizes(
          (text, key) -> ByteSizeValue.parseBytesSizeValue(text, key).getBytes(),
          bytes -> ByteSizeValue.ofBytes(bytes).toString());

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
    return new CacheSize(
        OsProbe.getInstance().getTotalPhysicalMemorySize(),
        JvmInfo.jvmInfo().getMem().getHeapMax().getBytes(),
        SIZES);
  }
}
