/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.cat.AbstractCatAction;
import org.opensearch.transport.client.node.NodeClient;

/** Answers requests by HTTP with the statistics; its client is of this generation of the server. */
abstract class StatsHandler extends BaseRestHandler {

  /** Returns what sends the answer, once the nodes have been asked. */
  abstract RestChannelConsumer answer(RestRequest request, Nodes nodes);

  @Override
  protected final RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
    return answer(request, asked(client));
  }

  private static Nodes asked(NodeClient client) {
    return (stats, listener) -> client.execute(StatsAction.INSTANCE, stats, listener);
  }

  /** The same as a table. */
  abstract static class OfTable extends AbstractCatAction {

    /** Does what {@link StatsHandler#answer} does. */
    abstract RestChannelConsumer answer(RestRequest request, Nodes nodes);

    @Override
    protected final RestChannelConsumer doCatRequest(RestRequest request, NodeClient client) {
      return answer(request, asked(client));
    }
  }
}
