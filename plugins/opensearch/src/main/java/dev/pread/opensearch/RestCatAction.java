/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.util.List;
import java.util.Locale;
import org.opensearch.common.Table;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.rest.action.RestResponseListener;
import org.opensearch.rest.action.cat.AbstractCatAction;
import org.opensearch.rest.action.cat.RestTable;
import org.opensearch.transport.client.node.NodeClient;

/** {@code GET /_cat/pread}: the same figures as text, a line per node. */
final class RestCatAction extends AbstractCatAction {

  @Override
  public String getName() {
    return "cat_pread_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, "/_cat/pread"),
        new Route(RestRequest.Method.GET, "/_cat/pread/{nodeId}"));
  }

  @Override
  protected void documentation(StringBuilder text) {
    text.append("/_cat/pread\n").append("/_cat/pread/{nodeId}\n");
  }

  @Override
  protected RestChannelConsumer doCatRequest(RestRequest request, NodeClient client) {
    StatsAction.Request stats = RestStatsAction.request(request);
    return channel ->
        client.execute(
            StatsAction.INSTANCE,
            stats,
            new RestResponseListener<StatsAction.Response>(channel) {
              @Override
              public RestResponse buildResponse(StatsAction.Response response) throws Exception {
                return RestTable.buildResponse(table(request, response), channel);
              }
            });
  }

  @Override
  protected Table getTableWithHeader(RestRequest request) {
    return new Table()
        .startHeaders()
        .addCell("id", "default:false;alias:nodeId;desc:id of the node")
        .addCell("name", "alias:n;desc:name of the node")
        .addCell("backend", "alias:b;desc:who makes the system calls: ffm, jni or channel")
        .addCell("size", right("alias:s;desc:memory of the block cache, at most"))
        .addCell("used", right("alias:u;desc:bytes of the blocks that are in it"))
        .addCell("block_size", right("default:false;alias:bs;desc:bytes of a block"))
        .addCell("hits", right("alias:h;desc:look-ups that found their block"))
        .addCell("misses", right("alias:m;desc:look-ups that did not find their block"))
        .addCell(
            "hit_ratio",
            right("alias:hr;desc:look-ups that found their block, of all, - where there were none"))
        .addCell("evictions", right("alias:e;desc:blocks that went to make room"))
        .addCell("read", right("alias:r;desc:bytes that were read into the cache"))
        .addCell("waits", right("alias:w;desc:waits for a block that another thread was reading"))
        .addCell("bypasses", right("alias:by;desc:misses that were read past the cache"))
        .addCell("pread", right("alias:p;desc:open shards of type pread"))
        .addCell("pread_direct", right("alias:pd;desc:open shards of type pread_direct"))
        .addCell(
            "direct_io",
            "alias:d;desc:whether those read past the page cache, - where there are none")
        .addCell("fell_back", right("alias:fb;desc:how many of those read through it instead"))
        .endHeaders();
  }

  private static String ratio(Double ratio) {
    return ratio == null ? "-" : String.format(Locale.ROOT, "%.3f", ratio);
  }

  private static String right(String attributes) {
    return attributes + ";text-align:right";
  }

  private Table table(RestRequest request, StatsAction.Response response) {
    Table table = getTableWithHeader(request);
    for (NodeFigures node : response.getNodes()) {
      table
          .startRow()
          .addCell(node.getNode().getId())
          .addCell(node.getNode().getName())
          .addCell(node.backend())
          .addCell(new ByteSizeValue(node.cacheSize()))
          .addCell(new ByteSizeValue(node.cacheUsed()))
          .addCell(new ByteSizeValue(node.blockSize()))
          .addCell(node.cache().hits())
          .addCell(node.cache().misses())
          .addCell(ratio(node.hitRatio()))
          .addCell(node.cache().evictions())
          .addCell(new ByteSizeValue(node.cache().bytesRead()))
          .addCell(node.cache().waits())
          .addCell(node.cache().bypasses())
          .addCell(node.open(StoreType.PREAD))
          .addCell(node.open(StoreType.PREAD_DIRECT))
          .addCell(node.open(StoreType.PREAD_DIRECT) == 0 ? "-" : node.directIo())
          .addCell(node.fellBack())
          .endRow();
    }
    return table;
  }
}
