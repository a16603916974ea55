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

/** {@code GET /_cat/pread}: the same as text, a line per node. */
final class RestCatPreadAction extends AbstractCatAction {

  private static final String PATH = "/_cat/pread";

  @Override
  public String getName() {
    return "cat_pread_action";
  }

  @Override
  public List<Route> routes() {
    return List.of(new Route(RestRequest.Method.GET, PATH));
  }

  @Override
  protected void documentation(StringBuilder text) {
    text.append(PATH).append('\n');
  }

  @Override
  protected RestChannelConsumer doCatRequest(RestRequest request, NodeClient client) {
    return channel ->
        client.execute(
            StatsAction.TYPE,
            new StatsAction.Request(),
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
    table.addCell("name", "alias:n;desc:node name");
    table.addCell("id", "default:false;desc:node id");
    table.addCell("backend", "alias:b;desc:how system calls are made");
    table.addCell("size", "alias:s;text-align:right;desc:memory of the block cache, at most");
    table.addCell("used", "alias:u;text-align:right;desc:memory that blocks are in");
    table.addCell("block", "default:false;text-align:right;desc:size of a block");
    table.addCell("hits", "alias:h;text-align:right;desc:look-ups that found their block");
    table.addCell("misses", "alias:m;text-align:right;desc:reads of files into the cache");
    table.addCell("ratio", "alias:r;text-align:right;desc:look-ups that were hits, of all");
    table.addCell("evictions", "alias:e;text-align:right;desc:blocks that went to make room");
    table.addCell("read", "alias:rd;text-align:right;desc:bytes read into the cache");
    table.addCell("waits", "default:false;alias:w;text-align:right;desc:waits for another's read");
    table.addCell("private", "default:false;alias:p;text-align:right;desc:misses read past it");
    table.addCell("pread", "text-align:right;desc:open directories of type pread");
    table.addCell("direct", "text-align:right;desc:open directories of type pread_direct");
    table.addCell("fell_back", "text-align:right;desc:of those, without direct I/O");
    return table.endHeaders();
  }

  private Table table(RestRequest request, StatsAction.Response response) {
    Table table = getTableWithHeader(request);
    for (StatsAction.NodeResponse node : response.getNodes()) {
      StorageStats stats = node.stats();
      table.startRow();
      table.addCell(node.getNode().getName());
      table.addCell(node.getNode().getId());
      table.addCell(stats.backend());
      table.addCell(ByteSizeValue.ofBytes(stats.cacheSize()));
      table.addCell(ByteSizeValue.ofBytes(stats.used()));
      table.addCell(ByteSizeValue.ofBytes(stats.blockSize()));
      table.addCell(stats.cache().hits());
      table.addCell(stats.cache().misses());
      table.addCell(String.format(Locale.ROOT, "%.3f", stats.cache().hitRatio()));
      table.addCell(stats.cache().evictions());
      table.addCell(ByteSizeValue.ofBytes(stats.cache().bytesRead()));
      table.addCell(stats.cache().waits());
      table.addCell(stats.cache().privateReads());
      table.addCell(stats.directories().buffered());
      table.addCell(stats.directories().direct());
      table.addCell(stats.directories().fellBack());
      table.endRow();
    }
    return table;
  }
}
