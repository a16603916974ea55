/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.List;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.Strings;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.action.RestActions;

/** {@code GET /_pread/stats}, {@code GET /_pread/NODES/stats}: JSON. */
final class RestStatsAction extends BaseRestHandler {

  @Override
  public String getName() {
    return "pread_stats_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, "/_pread/stats"),
        new Route(RestRequest.Method.GET, "/_pread/{nodeId}/stats"));
  }

  @Override
  protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
    StatsAction.Request stats =
        new StatsAction.Request(Strings.splitStringByCommaToArray(request.param("nodeId")));
    return channel ->
        client.execute(
            StatsAction.TYPE, stats, new RestActions.NodesResponseRestListener<>(channel));
  }
}
