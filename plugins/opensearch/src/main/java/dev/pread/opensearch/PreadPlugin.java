/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import dev.pread.plugin.StoreType;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.opensearch.action.ActionRequest;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lifecycle.LifecycleListener;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.env.Environment;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.IndexStorePlugin;
import org.opensearch.rest.RestController;
import org.opensearch.rest.RestHandler;

/**
 * OpenSearch indexes on {@code PreadDirectory} and {@code DirectPreadDirectory}: {@code
 * index.store.type: pread} or {@code pread_direct}.
 *
 * <p>It owns the node's block cache, which goes with it.
 */
public final class PreadPlugin extends NodePlugin implements IndexStorePlugin, ActionPlugin {

  private static final Logger LOGGER = LogManager.getLogger(PreadPlugin.class);

  private volatile NodeDirectories node;

  @Override
  public List<Setting<?>> getSettings() {
    return PreadSettings.all();
  }

  /**
   * Starts what belongs to a node. The values of all settings have been checked, but not whether
   * the backend works.
   */
  @Override
  NodeDirectories start(Environment environment, NodeEnvironment data, ClusterService cluster) {
    node =
        new NodeDirectories(
            PreadSettings.of(environment.settings()),
            PreadSettings.memory(),
            () -> data.hasNodeFile() ? data.nodeDataPaths()[0] : null,
            LOGGER::info);
    // It is closed with its node, after all indexes and before the search and transport services,
    // and also where the node can't be made: then nobody closes the plugins.
    cluster.addLifecycleListener(
        new LifecycleListener() {
          @Override
          public void afterClose() {
            close();
          }
        });
    return node;
  }

  @Override
  void stop() {
    if (node != null) {
      try {
        node.close();
      } catch (RuntimeException | Error e) {
        LOGGER.warn("pread: the block cache could not be closed", e);
      }
    }
  }

  @Override
  public Map<String, DirectoryFactory> getDirectoryFactories() {
    return Map.of(
        StoreType.PREAD.key(), new PreadDirectoryFactory(StoreType.PREAD, () -> node),
        StoreType.PREAD_DIRECT.key(),
            new PreadDirectoryFactory(StoreType.PREAD_DIRECT, () -> node));
  }

  @Override
  public List<ActionHandler<? extends ActionRequest, ? extends ActionResponse>> getActions() {
    return List.of(new ActionHandler<>(StatsAction.INSTANCE, TransportStatsAction.class));
  }

  @Override
  public List<RestHandler> getRestHandlers(
      Settings settings,
      RestController restController,
      ClusterSettings clusterSettings,
      IndexScopedSettings indexScopedSettings,
      SettingsFilter settingsFilter,
      IndexNameExpressionResolver indexNameExpressionResolver,
      Supplier<DiscoveryNodes> nodesInCluster) {
    return List.of(new RestStatsAction(), new RestCatAction());
  }
}
