/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.rest.RestHandler;

/** How servers from 9.5 on are told of the statistics. */
abstract class StatsPlugin extends StatsActions {

  @Override
  public final Collection<RestHandler> getRestHandlers(
      RestHandlersServices services,
      Supplier<DiscoveryNodes> nodesInCluster,
      Predicate<NodeFeature> clusterSupportsFeature) {
    return List.of(new RestStatsAction(), new RestCatPreadAction());
  }
}
