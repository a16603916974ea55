/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.List;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.Strings;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestUtils;
import org.elasticsearch.rest.action.RestActions;

/** {@code GET /_pread/stats}: the figures of all nodes, or of those that are named, as JSON. */
final class RestStatsAction extends BaseRestHandler {

  @Override
  public String getName() {
    return "pread_stats_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, "/_pread/stats"),
        new Route(RestRequest.Method.GET, "/_pread/stats/{nodeId}"));
  }

  @Override
  protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
    StatsRequest stats = request(request);
    return channel ->
        client.execute(
            StatsAction.TYPE, stats, new RestActions.NodesResponseRestListener<>(channel));
  }

  /**
   * Returns the request for the nodes that a request by HTTP names, or for all if it names none.
   */
  static StatsRequest request(RestRequest request) {
    StatsRequest stats =
        new StatsRequest(Strings.splitStringByCommaToArray(request.param("nodeId")));
    stats.setTimeout(RestUtils.getTimeout(request));
    return stats;
  }
}
