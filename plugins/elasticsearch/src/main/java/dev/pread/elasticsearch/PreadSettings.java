/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
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

  /** {@code auto}, bytes, or a percentage of the memory that the heap leaves. */
  static final Setting<Long> CACHE_SIZE =
      new Setting<>(
          NodeSettings.CACHE_SIZE,
          CacheSize.AUTO,
          text -> memory().parse(text),
          Property.NodeScope);

  /** A power of two from 4 KiB to 64 KiB. */
  static final Setting<Integer> BLOCK_SIZE =
      new Setting<>(
          NodeSettings.BLOCK_SIZE,
          BlockCache.DEFAULT_BLOCK_SIZE + "b",
          text -> NodeSettings.parseBlockSize(text, SIZES),
          Property.NodeScope);

  /** How many direct reads ahead each queue may have under way; 0 is for threads and no queue. */
  static final Setting<Integer> QUEUE_DEPTH =
      new Setting<>(
          NodeSettings.QUEUE_DEPTH,
          String.valueOf(BlockCache.DEFAULT_QUEUE_DEPTH),
          NodeSettings::parseQueueDepth,
          Property.NodeScope);

  /** Which way system calls are made; {@code auto} takes the best there is. */
  static final Setting<String> BACKEND =
      new Setting<>(
          NodeSettings.BACKEND,
          PreadConfig.DEFAULT.backend(),
          NodeSettings::parseBackend,
          Property.NodeScope);

  /** Whether the node reads after a restart what its cache had before, in the background. */
  static final Setting<Boolean> WARM_RESTART =
      new Setting<>(
          NodeSettings.WARM_RESTART, "false", NodeSettings::parseWarmRestart, Property.NodeScope);

  private PreadSettings() {}

  static List<Setting<?>> all() {
    return List.of(CACHE_SIZE, BLOCK_SIZE, QUEUE_DEPTH, BACKEND, WARM_RESTART);
  }

  /**
   * Returns those of a node.
   *
   * @throws IllegalArgumentException if one of them can't be used
   */
  static NodeSettings of(Settings settings) {
    return new NodeSettings(
        CACHE_SIZE.get(settings),
        BLOCK_SIZE.get(settings),
        QUEUE_DEPTH.get(settings),
        BACKEND.get(settings),
        WARM_RESTART.get(settings));
  }

  /** Returns what there is for the cache in this process. */
  static CacheSize memory() {
    return new CacheSize(
        OsProbe.getInstance().getTotalPhysicalMemorySize(),
        JvmInfo.jvmInfo().getMem().getHeapMax().getBytes(),
        SIZES);
  }
}
