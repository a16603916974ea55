/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.RestHandler;

/** How this generation of the server is told of the statistics. */
abstract class StatsPlugin extends Plugin implements ActionPlugin {

  @Override
  public final Collection<ActionHandler> getActions() {
    return List.of(new ActionHandler(StatsAction.TYPE, TransportStatsAction.class));
  }

  @Override
  public final Collection<RestHandler> getRestHandlers(
      RestHandlersServices services,
      Supplier<DiscoveryNodes> nodesInCluster,
      Predicate<NodeFeature> clusterSupportsFeature) {
    return List.of(new RestStatsAction(), new RestCatPreadAction());
  }
}
