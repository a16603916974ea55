/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import dev.pread.plugin.CatColumn;
import java.util.List;
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
    StatsRequest stats = RestStatsAction.request(request);
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
    Table table = new Table().startHeaders();
    table.addCell("id", CatColumn.ID).addCell("name", CatColumn.NAME);
    for (CatColumn column : CatColumn.ALL) {
      table.addCell(column.name(), column.attributes());
    }
    return table.endHeaders();
  }

  private Table table(RestRequest request, StatsAction.Response response) {
    Table table = getTableWithHeader(request);
    for (StatsAction.NodeResponse node : response.getNodes()) {
      table.startRow().addCell(node.getNode().getId()).addCell(node.getNode().getName());
      for (CatColumn column : CatColumn.ALL) {
        table.addCell(column.value(node.stats(), ByteSizeValue::ofBytes));
      }
      table.endRow();
    }
    return table;
  }
}
