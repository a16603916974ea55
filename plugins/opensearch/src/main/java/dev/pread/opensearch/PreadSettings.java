/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.BlockCache;
import dev.pread.PreadConfig;
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

  /**
   * How large the node's block cache is: {@code auto} for what memory nobody else wants, bytes, or
   * percent of the memory that the heap leaves: of the container's limit where there is one, else
   * of the machine's memory. 0 is no cache. A size that leaves nothing to the JVM itself is refused
   * ({@link CacheSize#NEEDED_BYTES}).
   */
  static final Setting<Long> CACHE_SIZE =
      new Setting<>(
          NodeSettings.CACHE_SIZE,
          CacheSize.AUTO,
          text -> memory().parse(text),
          Property.NodeScope);

  /** Bytes of a block: what a miss reads once the cache is full. */
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

  /** Who makes the system calls; {@code auto} takes the best there is. */
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
    // The probe knows of cgroups, v1 and v2, as the JVM does.
    return new CacheSize(
        OsProbe.getInstance().getTotalPhysicalMemorySize(),
        Runtime.getRuntime().maxMemory(),
        SIZES);
  }
}
