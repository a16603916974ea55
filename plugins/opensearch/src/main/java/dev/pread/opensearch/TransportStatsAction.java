/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import dev.pread.plugin.NodeDirectories;
import java.io.IOException;
import java.util.List;
import org.opensearch.action.FailedNodeException;
import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.nodes.TransportNodesAction;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportService;

/** Gathers the figures of all nodes, those that lack the plugin as failures. */
public final class TransportStatsAction
    extends TransportNodesAction<
        StatsAction.Request, StatsAction.Response, NodeStatsRequest, NodeFigures> {

  private final NodeDirectories directories;

  /** Creates it for the node, which looks for a public constructor. */
  @Inject
  public TransportStatsAction(
      ThreadPool threadPool,
      ClusterService clusterService,
      TransportService transportService,
      ActionFilters filters,
      NodeDirectories directories) {
    super(
        StatsAction.NAME,
        threadPool,
        clusterService,
        transportService,
        filters,
        StatsAction.Request::new,
        NodeStatsRequest::new,
        ThreadPool.Names.MANAGEMENT,
        NodeFigures.class);
    this.directories = directories;
  }

  @Override
  protected StatsAction.Response newResponse(
      StatsAction.Request request, List<NodeFigures> nodes, List<FailedNodeException> failures) {
    return new StatsAction.Response(clusterService.getClusterName(), nodes, failures);
  }

  @Override
  protected NodeStatsRequest newNodeRequest(StatsAction.Request request) {
    return new NodeStatsRequest();
  }

  @Override
  protected NodeFigures newNodeResponse(StreamInput in) throws IOException {
    return new NodeFigures(in);
  }

  @Override
  protected NodeFigures nodeOperation(NodeStatsRequest request) {
    return new NodeFigures(clusterService.localNode(), directories.stats());
  }
}
