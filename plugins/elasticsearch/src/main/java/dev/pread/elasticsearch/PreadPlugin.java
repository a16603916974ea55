/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.lucene.util.SetOnce;
import org.elasticsearch.common.component.LifecycleListener;
import org.elasticsearch.common.settings.Setting;
import org.elasticsearch.plugins.IndexStorePlugin;

/**
 * What the server loads: the store types of {@link StoreType}, the settings of {@link
 * PreadSettings}, and {@code GET /_pread/stats} and {@code GET /_cat/pread}.
 *
 * <p>One per node, and so are the {@link NodeDirectories} with their block cache: made when the
 * node starts, so that settings that can't be used keep it from starting, and closed with the node.
 */
public final class PreadPlugin extends StatsPlugin implements IndexStorePlugin {

  private static final Logger LOGGER = LogManager.getLogger(PreadPlugin.class);

  private final SetOnce<NodeDirectories> node = new SetOnce<>();

  /** Creates it for the server. */
  public PreadPlugin() {}

  @Override
  public List<Setting<?>> getSettings() {
    return PreadSettings.all();
  }

  @Override
  public Collection<?> createComponents(PluginServices services) {
    node.set(
        new NodeDirectories(
            PreadSettings.of(services.environment().settings()),
            PreadSettings.memory(),
            () -> services.nodeEnvironment().nodeDataPaths()[0],
            LOGGER::info));
    // It is closed with its node, after all indexes and before the search and transport services,
    // and also where the node can't be made: then nobody closes the plugins.
    services
        .clusterService()
        .addLifecycleListener(
            new LifecycleListener() {
              @Override
              public void afterClose() {
                close();
              }
            });
    return List.of(node.get());
  }

  /**
   * Closes what there is. The server calls it once more, with all plugins, in case another listener
   * has kept it from telling ours. Nothing leaves it, which would do the same to others.
   */
  @Override
  public void close() {
    NodeDirectories made = node.get();
    if (made != null) {
      try {
        made.close();
      } catch (RuntimeException | Error e) {
        LOGGER.warn("pread: the block cache could not be closed", e);
      }
    }
  }

  @Override
  public Map<String, DirectoryFactory> getDirectoryFactories() {
    // The server asks for them before there are components, and calls them for shards, so after
    // that.
    return Map.of(
        StoreType.PREAD.key(), new PreadDirectoryFactory(StoreType.PREAD, node::get),
        StoreType.PREAD_DIRECT.key(), new PreadDirectoryFactory(StoreType.PREAD_DIRECT, node::get));
  }
}
