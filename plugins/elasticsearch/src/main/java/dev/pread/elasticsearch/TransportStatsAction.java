/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.NodeDirectories;
import java.io.IOException;
import java.util.List;
import org.elasticsearch.action.FailedNodeException;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.nodes.TransportNodesAction;
import org.elasticsearch.cluster.node.DiscoveryNode;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/** Collects the figures of the nodes. It is public for the server, which makes it. */
public final class TransportStatsAction
    extends TransportNodesAction<
        StatsRequest, StatsAction.Response, StatsRequest.OfNode, StatsAction.NodeResponse, Void> {

  private final NodeDirectories directories;

  /** Creates it for the server. */
  @Inject
  public TransportStatsAction(
      ClusterService clusterService,
      TransportService transportService,
      ActionFilters filters,
      ThreadPool threads,
      NodeDirectories directories) {
    super(
        StatsAction.NAME,
        clusterService,
        transportService,
        filters,
        StatsRequest.OfNode::new,
        threads.executor(ThreadPool.Names.MANAGEMENT));
    this.directories = directories;
  }

  @Override
  protected StatsAction.Response newResponse(
      StatsRequest request,
      List<StatsAction.NodeResponse> nodes,
      List<FailedNodeException> failures) {
    return new StatsAction.Response(clusterService.getClusterName(), nodes, failures);
  }

  @Override
  protected StatsRequest.OfNode newNodeRequest(StatsRequest request) {
    return new StatsRequest.OfNode();
  }

  @Override
  protected StatsAction.NodeResponse newNodeResponse(StreamInput in, DiscoveryNode node)
      throws IOException {
    return new StatsAction.NodeResponse(in, node);
  }

  @Override
  protected StatsAction.NodeResponse nodeOperation(StatsRequest.OfNode request, Task task) {
    return new StatsAction.NodeResponse(clusterService.localNode(), directories.stats());
  }
}
