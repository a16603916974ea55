/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.env.Environment;
import org.opensearch.env.NodeEnvironment;
import org.opensearch.plugins.Plugin;
import org.opensearch.repositories.RepositoriesService;
import org.opensearch.script.ScriptService;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.client.Client;
import org.opensearch.watcher.ResourceWatcherService;

/** How this generation of the server has a plugin make what belongs to the node. */
abstract class NodePlugin extends Plugin {

  /** Makes what all indexes of the node share, which is closed with the service of its cluster. */
  abstract NodeDirectories start(
      Environment environment, NodeEnvironment data, ClusterService cluster);

  /** Closes what has been made, if there is anything. Nothing leaves it, and it may come again. */
  abstract void stop();

  @Override
  public final Collection<Object> createComponents(
      Client client,
      ClusterService clusterService,
      ThreadPool threadPool,
      ResourceWatcherService resourceWatcherService,
      ScriptService scriptService,
      NamedXContentRegistry xContentRegistry,
      Environment environment,
      NodeEnvironment nodeEnvironment,
      NamedWriteableRegistry namedWriteableRegistry,
      IndexNameExpressionResolver indexNameExpressionResolver,
      Supplier<RepositoriesService> repositoriesServiceSupplier) {
    return List.of(start(environment, nodeEnvironment, clusterService));
  }

  /**
   * Closes what there is. The server calls it once more, with all plugins, in case another listener
   * has kept it from telling ours.
   */
  @Override
  public final void close() {
    stop();
  }
}
