/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.util.List;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestActions.NodesResponseRestListener;

/** {@code GET /_pread/stats}: the figures of all nodes, or of those that are named, as JSON. */
final class RestStatsAction extends StatsHandler {

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
  RestChannelConsumer answer(RestRequest request, Nodes nodes) {
    StatsAction.Request stats = request(request);
    return channel -> nodes.ask(stats, new NodesResponseRestListener<>(channel));
  }

  /**
   * Returns the request for the nodes that a request by HTTP names, or for all if it names none.
   */
  static StatsAction.Request request(RestRequest request) {
    StatsAction.Request stats =
        new StatsAction.Request(Strings.splitStringByCommaToArray(request.param("nodeId")));
    stats.timeout(request.param("timeout"));
    return stats;
  }
}
