/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import java.util.List;
import java.util.Locale;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.Table;
import org.elasticsearch.common.unit.ByteSizeValue;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.action.RestResponseListener;
import org.elasticsearch.rest.action.cat.AbstractCatAction;
import org.elasticsearch.rest.action.cat.RestTable;

/** {@code GET /_cat/pread}: the same figures as text, a line per node. */
final class RestCatPreadAction extends AbstractCatAction {

  private static final String PATH = "/_cat/pread";
  private static final String PATH_OF_NODES = PATH + "/{nodeId}";

  @Override
  public String getName() {
    return "cat_pread_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, PATH), new Route(RestRequest.Method.GET, PATH_OF_NODES));
  }

  @Override
  protected void documentation(StringBuilder text) {
    text.append(PATH).append('\n').append(PATH_OF_NODES).append('\n');
  }

  @Override
  protected RestChannelConsumer doCatRequest(RestRequest request, NodeClient client) {
    StatsAction.Request stats = RestStatsAction.request(request);
    return channel ->
        client.execute(
            StatsAction.TYPE,
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
    Table table = new Table();
    table.startHeaders();
    table.addCell("id", "default:false;alias:nodeId;desc:id of the node");
    table.addCell("name", "alias:n;desc:name of the node");
    table.addCell("backend", "alias:b;desc:who makes the system calls: ffm, jni or channel");
    table.addCell("size", right("alias:s;desc:memory of the block cache, at most"));
    table.addCell("used", right("alias:u;desc:bytes of the blocks that are in it"));
    table.addCell("block_size", right("default:false;alias:bs;desc:bytes of a block"));
    table.addCell("hits", right("alias:h;desc:look-ups that found their block"));
    table.addCell("misses", right("alias:m;desc:look-ups that did not find their block"));
    table.addCell(
        "hit_ratio",
        right("alias:hr;desc:look-ups that found their block, of all, - where there were none"));
    table.addCell("evictions", right("alias:e;desc:blocks that went to make room"));
    table.addCell("read", right("alias:r;desc:bytes that were read into the cache"));
    table.addCell("waits", right("alias:w;desc:waits for a block that another thread was reading"));
    table.addCell("bypasses", right("alias:by;desc:misses that were read past the cache"));
    table.addCell("pread", right("alias:p;desc:open shards of type pread"));
    table.addCell("pread_direct", right("alias:pd;desc:open shards of type pread_direct"));
    table.addCell("direct_io", "alias:d;desc:whether those read past the page cache");
    table.addCell("fell_back", right("alias:fb;desc:how many of those read through it instead"));
    return table.endHeaders();
  }

  private static String ratio(Double ratio) {
    return ratio == null ? "-" : String.format(Locale.ROOT, "%.3f", ratio);
  }

  private static String right(String attributes) {
    return attributes + ";text-align:right";
  }

  private Table table(RestRequest request, StatsAction.Response response) {
    Table table = getTableWithHeader(request);
    for (StatsAction.NodeResponse node : response.getNodes()) {
      StorageStats stats = node.stats();
      table.startRow();
      table.addCell(node.getNode().getId());
      table.addCell(node.getNode().getName());
      table.addCell(stats.backend());
      table.addCell(ByteSizeValue.ofBytes(stats.cacheSize()));
      table.addCell(ByteSizeValue.ofBytes(stats.used()));
      table.addCell(ByteSizeValue.ofBytes(stats.blockSize()));
      table.addCell(stats.cache().hits());
      table.addCell(stats.cache().misses());
      table.addCell(ratio(stats.hitRatio()));
      table.addCell(stats.cache().evictions());
      table.addCell(ByteSizeValue.ofBytes(stats.cache().bytesRead()));
      table.addCell(stats.cache().waits());
      table.addCell(stats.cache().bypasses());
      table.addCell(stats.directories().buffered());
      table.addCell(stats.directories().direct());
      table.addCell(stats.directories().direct() == 0 ? "-" : stats.directories().directIo());
      table.addCell(stats.directories().fellBack());
      table.endRow();
    }
    return table;
  }
}
